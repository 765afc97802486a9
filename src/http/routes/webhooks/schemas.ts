import { z } from 'zod'
import { LABEL_PATTERN, LABEL_WORDS } from '../../../core/index.ts'
import { MAX_FILTERS, MAX_RESENT } from '../../../operations/index.ts'
import { DELIVERY_STATES, DISABLED_REASONS, SEND_ERRORS, WEBHOOK_EVENTS, type WebhookEvent } from '../../../webhooks/index.ts'
import { count, requires, timestamp } from '../../kernel/index.ts'

const EVENTS = Object.keys(WEBHOOK_EVENTS) as [WebhookEvent, ...WebhookEvent[]]
const explained = (words: Readonly<Record<string, string>>): string =>
  Object.entries(words)
    .map(([name, meaning]) => `\`${name}\`: ${meaning.replace(/\.?$/, '.')}`)
    .join(' ')

const SYMBOL = /^[\p{L}\p{N}._-]{1,32}$/u
const SYMBOL_WORDS = { en: 'must be a symbol as used in datasets, for example 2330', zh: '必須是資料集所用的代號，例如 2330' }

const CHOSEN = {
  description: z
    .string()
    .refine(text => LABEL_PATTERN.test(text), requires(LABEL_WORDS, 'pattern'))
    .trim()
    .max(200)
    .meta({
      description: 'Name that describes the purpose of the endpoint. Invisible characters are refused; surrounding spaces are removed.',
      pattern: LABEL_PATTERN.source,
      example: 'nightly loader',
    }),
  events: z
    .array(z.enum(EVENTS))
    .min(1)
    .max(EVENTS.length)
    .meta({
      description: `Types of events to send. Default: all types. ${explained(WEBHOOK_EVENTS)}`,
      example: ['dataset.published', 'dataset.revised'],
    }),
  datasets: z
    .array(z.string())
    .max(MAX_FILTERS.datasets)
    .meta({
      description:
        'Slugs or ids of datasets. The endpoint receives only events of these datasets, and events that concern no dataset. An empty list means all datasets.',
      example: ['institutional-positioning'],
    }),
  symbols: z
    .array(z.string().refine(text => SYMBOL.test(text), requires(SYMBOL_WORDS, 'pattern')))
    .max(MAX_FILTERS.symbols)
    .meta({
      description:
        'Symbols. The endpoint receives a publication only if the publication affects one of these symbols. A publication that changes existing rows counts as affecting all symbols of its dataset. Publications of datasets without symbols, and other events, are not filtered. An empty list means all symbols.',
      example: ['2330'],
    }),
}
const TARGET = z.string().meta({
  description:
    'URL that receives the POST requests. The URL must use https, port 443 or 8443, and a public address. Redirects are not followed.',
  example: 'https://hooks.example.com/twmd',
})
const { description, events, datasets, symbols } = CHOSEN

export const NewEndpoint = z.strictObject({
  url: TARGET,
  description: description.optional(),
  events: events.optional(),
  datasets: datasets.optional(),
  symbols: symbols.optional(),
})

export const ChangedEndpoint = NewEndpoint.partial().extend({
  enabled: z.boolean().optional().meta({
    description:
      'State of the endpoint. `false` disables the endpoint and deletes queued messages. `true` enables the endpoint, unless the operator disabled it.',
    example: true,
  }),
})

const ENDPOINT = {
  webhook_id: z.string(),
  url: z.string(),
  description: z.string(),
  events: z.array(z.enum(EVENTS)),
  datasets: z.array(z.string()).meta({ description: 'Slugs of the datasets whose events are sent. Empty for all datasets.' }),
  symbols: z.array(z.string()).meta({ description: 'Symbols whose publications are sent. Empty for all symbols.' }),
  status: z.enum(['enabled', 'disabled']),
  disabled_reason: z.enum(DISABLED_REASONS).nullable().meta({
    description:
      'Reason why the endpoint is disabled. `owner`: the owner disabled the endpoint. `gone`: the receiver responded with 410. `failing`: the receiver accepted no message for five days. `operator`: the operator disabled the endpoint. Null if the endpoint is enabled.',
  }),
  over_limit: z.boolean().meta({
    description:
      'True if the account has more enabled endpoints than the plan allows and this endpoint is one of the newest. An endpoint over the limit receives no new events until the plan changes or an older endpoint is disabled.',
  }),
  created_at: timestamp('Creation time of the endpoint.'),
  failing_since: timestamp('When.').nullable().meta({
    description:
      'Time of the first failure in the current series of failures, RFC 3339, offset +08:00. An accepted message, or two days without an attempt, ends the series. Null if the endpoint accepted the last message.',
  }),
  former_secret_until: timestamp('When.').nullable().meta({
    description:
      'Time until which messages are also signed with the former secret, RFC 3339, offset +08:00. Null if there is no former secret.',
  }),
  held_until: timestamp('When.').nullable().meta({
    description:
      'End of a pause that the receiver requested with `Retry-After`, RFC 3339, offset +08:00. Null if there is no pause. The pause ends early if the URL changes, the endpoint is enabled again, or a message is resent.',
  }),
  waiting: count('Number of queued messages.'),
}
const SECRET = z
  .string()
  .meta({ description: 'Signing secret of messages: `whsec_` followed by base64. Store the secret as securely as a key.' })

export const WebhookEndpoint = z.object(ENDPOINT).meta({ id: 'WebhookEndpoint' })

export const WebhookWithSecret = z.object({ ...ENDPOINT, secret: SECRET }).meta({ id: 'WebhookWithSecret' })

export const WebhookEndpoints = z
  .object({
    data: z.array(WebhookEndpoint).meta({ description: 'Endpoints, newest first.' }),
    data_count: count('Number of endpoints.'),
    allowed: count('Maximum number of enabled endpoints in the plan.'),
  })
  .meta({ id: 'WebhookEndpoints' })

export const WebhookSecret = z
  .object({ webhook_id: z.string(), secret: SECRET, revealed_at: timestamp('Time of this call, as in the audit log.') })
  .meta({ id: 'WebhookSecret' })

export const DeletedWebhook = z.object({ webhook_id: z.string(), deleted: z.literal(true) }).meta({ id: 'DeletedWebhook' })

export const TestSent = z
  .object({ webhook_id: z.string(), message_id: z.string().meta({ description: 'Id of the message, as in its header `webhook-id`.' }) })
  .meta({ id: 'WebhookTest' })

const Attempt = z
  .object({
    at: timestamp('Start time of the attempt.'),
    status: z.int().nullable().meta({ description: 'HTTP status of the response. Null if there was no response.' }),
    error: z
      .enum(Object.keys(SEND_ERRORS) as [keyof typeof SEND_ERRORS, ...(keyof typeof SEND_ERRORS)[]])
      .nullable()
      .meta({ description: `Reason why there was no response. Null if there was a response. ${explained(SEND_ERRORS)}` }),
    ms: count('Duration of the attempt in milliseconds.'),
  })
  .meta({ id: 'WebhookAttempt' })

export const WebhookDeliveries = z
  .object({
    webhook_id: z.string(),
    data: z.array(
      z
        .object({
          message_id: z.string().meta({ description: 'Id of the message, which all attempts send in the header `webhook-id`.' }),
          type: z.string().meta({ description: 'Type of the event.', example: 'dataset.published' }),
          slug: z
            .string()
            .nullable()
            .meta({ description: 'Slug of the dataset. Null for events that are not about a dataset.', example: 'daily-prices' }),
          status: z.enum(DELIVERY_STATES).meta({
            description: 'State of the message. A `failed` message was given up after ten attempts, or because the endpoint was disabled.',
          }),
          created_at: timestamp('Creation time of the message.'),
          next_at: timestamp('When.')
            .nullable()
            .meta({ description: 'Time of the next attempt, RFC 3339, offset +08:00. Null if no attempt is scheduled.' }),
          attempts: z.array(Attempt).meta({ description: 'Delivery attempts of the last 30 days, oldest first.' }),
        })
        .meta({ id: 'WebhookDelivery' }),
    ),
    data_count: count('Number of messages on the page.'),
    has_more: z.boolean(),
    next_before: z.int().nullable().meta({ description: 'Value of `before` for the next page. Null on the last page.' }),
  })
  .meta({ id: 'WebhookDeliveries' })

export const Resent = z
  .object({ webhook_id: z.string(), resent: count('Number of messages that will be sent again.') })
  .meta({ id: 'WebhookResent' })

export const ResentSince = z
  .object({
    webhook_id: z.string(),
    resent: count('Number of messages that will be sent again.'),
    has_more: z.boolean().meta({
      description: `True if the call reached its limit of ${MAX_RESENT} messages and more messages remain. Call again for the next messages.`,
    }),
  })
  .meta({ id: 'WebhookResentSince' })
