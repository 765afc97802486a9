import { z } from 'zod'
import { LABEL_PATTERN, LABEL_WORDS } from '../../../core/index.ts'
import { MAX_FILTERS, MAX_RESENT } from '../../../operations/index.ts'
import { DELIVERY_STATES, DISABLED_REASONS, SEND_ERRORS, WEBHOOK_EVENTS, type WebhookEvent } from '../../../webhooks/index.ts'
import { count, requires, timestamp } from '../../kernel/index.ts'

const EVENTS = Object.keys(WEBHOOK_EVENTS) as [WebhookEvent, ...WebhookEvent[]]
const explained = (words: Readonly<Record<string, string>>): string =>
  Object.entries(words)
    .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
    .join(' ')

/** Of a security or an entity, as datasets name it. */
const SYMBOL = /^[\p{L}\p{N}._-]{1,32}$/u
const SYMBOL_WORDS = { en: 'must be a symbol as datasets name it, for example 2330', zh: '必須是資料集所用的代號，例如 2330' }

const CHOSEN = {
  description: z
    .string()
    .refine(text => LABEL_PATTERN.test(text), requires(LABEL_WORDS, 'pattern'))
    .trim()
    .max(200)
    .meta({
      description: 'What it is for, in your words, without characters that cannot be seen; blanks around it are left out.',
      pattern: LABEL_PATTERN.source,
      example: 'nightly loader',
    }),
  events: z
    .array(z.enum(EVENTS))
    .min(1)
    .max(EVENTS.length)
    .meta({
      description: `Events it takes; all of them where it is not chosen. ${explained(WEBHOOK_EVENTS)}`,
      example: ['dataset.published', 'dataset.revised'],
    }),
  datasets: z
    .array(z.string())
    .max(MAX_FILTERS.datasets)
    .meta({
      description: 'Slugs or ids: only events about these datasets are sent, and those about no dataset. Every dataset where it is empty.',
      example: ['institutional-positioning'],
    }),
  symbols: z
    .array(z.string().refine(text => SYMBOL.test(text), requires(SYMBOL_WORDS, 'pattern')))
    .max(MAX_FILTERS.symbols)
    .meta({
      description:
        'Only publications that touch one of these symbols are sent, as far as it is known: where rows that were there changed, those of every dataset that holds one. Datasets without symbols, and events about no publication, are not held to it. Every symbol where it is empty.',
      example: ['2330'],
    }),
}
const TARGET = z.string().meta({
  description: 'Where messages are sent by POST: https, port 443 or 8443, at a public address. Redirects are not followed.',
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
    description: 'False sends nothing more and gives up what waits; true begins again, except where the operator turned it off.',
    example: true,
  }),
})

const ENDPOINT = {
  webhook_id: z.string(),
  url: z.string(),
  description: z.string(),
  events: z.array(z.enum(EVENTS)),
  datasets: z.array(z.string()).meta({ description: 'Slugs; every dataset where it is empty.' }),
  symbols: z.array(z.string()).meta({ description: 'Every symbol where it is empty.' }),
  status: z.enum(['enabled', 'disabled']),
  disabled_reason: z.enum(DISABLED_REASONS).nullable().meta({
    description:
      'owner: the owner disabled it; gone: it answered 410; failing: it accepted no message for five days; operator: the operator disabled it. Null while it is enabled.',
  }),
  over_limit: z.boolean().meta({
    description:
      'It is enabled beyond as many as the plan allows, as one of the newest: no event is written for it until the plan is higher or an older one is turned off.',
  }),
  created_at: timestamp('When it was made.'),
  failing_since: timestamp('When.').nullable().meta({
    description:
      'The first failure since the last message it took, or since two days without an attempt, RFC 3339, offset +08:00; null where it took the last one.',
  }),
  former_secret_until: timestamp('When.').nullable().meta({
    description: 'Until then messages are signed with the former secret as well, RFC 3339, offset +08:00; null where there is none.',
  }),
  held_until: timestamp('When.').nullable().meta({
    description:
      'Its receiver asked by `Retry-After` to be sent nothing until then, RFC 3339, offset +08:00; null where it did not. Ends with another URL, when it is turned on again, and when a message is asked for again.',
  }),
  waiting: count('Messages that wait to be sent.'),
}
const SECRET = z.string().meta({ description: 'What messages are signed with: `whsec_` and base64. Keep it as you keep a key.' })

export const WebhookEndpoint = z.object(ENDPOINT).meta({ id: 'WebhookEndpoint' })

export const WebhookWithSecret = z.object({ ...ENDPOINT, secret: SECRET }).meta({ id: 'WebhookWithSecret' })

export const WebhookEndpoints = z
  .object({
    data: z.array(WebhookEndpoint).meta({ description: 'Newest first.' }),
    data_count: count('Number of endpoints.'),
    allowed: count('Endpoints that the plan allows to be enabled.'),
  })
  .meta({ id: 'WebhookEndpoints' })

export const WebhookSecret = z
  .object({ webhook_id: z.string(), secret: SECRET, revealed_at: timestamp('When it was shown; on record.') })
  .meta({ id: 'WebhookSecret' })

export const DeletedWebhook = z.object({ webhook_id: z.string(), deleted: z.literal(true) }).meta({ id: 'DeletedWebhook' })

export const TestSent = z
  .object({ webhook_id: z.string(), message_id: z.string().meta({ description: 'Header `webhook-id` of the message.' }) })
  .meta({ id: 'WebhookTest' })

const Attempt = z
  .object({
    at: timestamp('When it began.'),
    status: z.int().nullable().meta({ description: 'Status of the answer; null where none came.' }),
    error: z
      .enum(Object.keys(SEND_ERRORS) as [keyof typeof SEND_ERRORS, ...(keyof typeof SEND_ERRORS)[]])
      .nullable()
      .meta({ description: `Why no answer came; null where one did. ${explained(SEND_ERRORS)}` }),
    ms: count('Milliseconds it took.'),
  })
  .meta({ id: 'WebhookAttempt' })

export const WebhookDeliveries = z
  .object({
    webhook_id: z.string(),
    data: z.array(
      z
        .object({
          message_id: z.string().meta({ description: 'Header `webhook-id` of the message; the same in each of its attempts.' }),
          type: z.string().meta({ description: 'Type of the event.', example: 'dataset.published' }),
          status: z
            .enum(DELIVERY_STATES)
            .meta({ description: 'failed: given up after ten attempts, or because the endpoint was disabled.' }),
          created_at: timestamp('When it was written.'),
          next_at: timestamp('When.')
            .nullable()
            .meta({ description: 'When it is tried next, RFC 3339, offset +08:00; null unless it waits.' }),
          attempts: z.array(Attempt).meta({ description: 'Oldest first, those of the last thirty days.' }),
        })
        .meta({ id: 'WebhookDelivery' }),
    ),
    data_count: count('Messages on the page.'),
    has_more: z.boolean(),
    next_before: z.int().nullable().meta({ description: 'Send it as before for the next page; null on the last.' }),
  })
  .meta({ id: 'WebhookDeliveries' })

export const Resent = z.object({ webhook_id: z.string(), resent: count('Messages that are sent again.') }).meta({ id: 'WebhookResent' })

export const ResentSince = z
  .object({
    webhook_id: z.string(),
    resent: count('Messages that are sent again.'),
    has_more: z
      .boolean()
      .meta({ description: `More did not arrive than the ${MAX_RESENT} that one call sends again; call again for the next.` }),
  })
  .meta({ id: 'WebhookResentSince' })
