import { z } from 'zod'
import { MOMENT_PATTERN, momentOf, taipei } from '../../../core/index.ts'
import { createIdempotentCall, createManageWebhooks, MAX_RESENT, settingsFaults, type WebhookDeps } from '../../../operations/index.ts'
import { DELIVERY_STATES } from '../../../webhooks/index.ts'
import { choice, type Endpoint, integer, namedCall, REPEATABLE, type Route, requires, route } from '../../kernel/index.ts'
import {
  ChangedEndpoint,
  DeletedWebhook,
  NewEndpoint,
  Resent,
  ResentSince,
  TestSent,
  WebhookDeliveries,
  WebhookEndpoint,
  WebhookEndpoints,
  WebhookSecret,
  WebhookWithSecret,
} from './schemas.ts'

const SELF_SERVE = { group: 'webhooks', caller: 'self_serve_token' } as const

const PATH = z.object({
  webhook_id: z.string().meta({ description: 'Id of a webhook endpoint of the account.', example: 'we_0123456789abcdefghjkmnpqrs' }),
})

const LIST = {
  ...SELF_SERVE,
  summary: 'Webhook endpoints of the account',
  summaryZh: '列出 Webhook 端點',
  answer: WebhookEndpoints,
  example: {},
} satisfies Endpoint

const CREATE = {
  ...SELF_SERVE,
  summary: 'Create a webhook endpoint',
  summaryZh: '建立 Webhook 端點',
  description:
    'Creates an endpoint that receives events of the account and of datasets by POST, signed as defined by Standard Webhooks. The response contains the signing secret. The operation `reveal` returns the secret later.',
  headers: REPEATABLE,
  body: NewEndpoint,
  answer: WebhookWithSecret,
  refusals: ['webhook_limit', 'conflict', 'key_not_revealable', 'reauth_required'],
  example: { body: { url: 'https://hooks.example.com/twmd', events: ['dataset.published'], symbols: ['2330'] } },
} satisfies Endpoint

const GET = {
  ...SELF_SERVE,
  summary: 'One webhook endpoint',
  summaryZh: '查看 Webhook 端點',
  path: PATH,
  answer: WebhookEndpoint,
  refusals: ['unknown_id'],
} satisfies Endpoint

const CHANGE = {
  ...SELF_SERVE,
  summary: 'Change a webhook endpoint',
  summaryZh: '變更 Webhook 端點',
  description:
    'Changes the sent fields of an endpoint. Omitted fields keep their value. The changes apply to new events. Queued messages are sent to the new URL.',
  path: PATH,
  body: ChangedEndpoint,
  answer: WebhookEndpoint,
  refusals: ['unknown_id', 'conflict', 'webhook_limit'],
} satisfies Endpoint

const DELETE = {
  ...SELF_SERVE,
  summary: 'Delete a webhook endpoint',
  summaryZh: '刪除 Webhook 端點',
  description:
    'Deletes the endpoint with its secret and delivery records. Queued messages are not sent. An endpoint disabled by the operator cannot be deleted until the operator enables it.',
  path: PATH,
  answer: DeletedWebhook,
  refusals: ['unknown_id', 'conflict'],
} satisfies Endpoint

const REVEAL = {
  ...SELF_SERVE,
  summary: 'Show the secret of a webhook endpoint again',
  summaryZh: '再次顯示 Webhook 密鑰',
  description:
    'Returns the signing secret of the endpoint. Available within 15 minutes of signing in, up to ten times an hour together with reveals of keys. Each call is logged.',
  path: PATH,
  answer: WebhookSecret,
  refusals: ['unknown_id', 'reauth_required', 'integrity'],
} satisfies Endpoint

const ROTATE = {
  ...SELF_SERVE,
  summary: 'Replace the secret of a webhook endpoint',
  summaryZh: '更換 Webhook 密鑰',
  description:
    'Replaces the signing secret and returns the new secret. For one day, messages have two signatures: one with the new secret and one with the former secret. Another replacement within this day ends the oldest secret immediately.',
  path: PATH,
  answer: WebhookWithSecret,
  refusals: ['unknown_id'],
} satisfies Endpoint

const TEST = {
  ...SELF_SERVE,
  summary: 'Send a test event',
  summaryZh: '傳送測試事件',
  description:
    'Sends an event of type `webhook.test` within two seconds. The list of deliveries shows the result of the test. Refused while 20 messages are queued for the endpoint.',
  path: PATH,
  answer: TestSent,
  refusals: ['unknown_id', 'conflict', 'webhook_limit'],
} satisfies Endpoint

const DELIVERIES = {
  ...SELF_SERVE,
  summary: 'Messages of a webhook endpoint, with all attempts',
  summaryZh: '列出 Webhook 傳送紀錄',
  description: 'Lists the messages of the last 30 days and all queued messages, newest first.',
  path: PATH,
  query: z.object({
    status: choice(DELIVERY_STATES, { doc: 'State of the messages to return.', example: 'failed' }),
    limit: integer([1, 100], 20, { doc: 'Maximum number of messages per page.', example: 20 }),
    before: integer([1, 2_147_483_647], null, {
      doc: 'Cursor: `next_before` of the previous page. Returns messages older than the messages on the previous page.',
    }),
  }),
  answer: WebhookDeliveries,
  refusals: ['unknown_id'],
} satisfies Endpoint

const RESEND = {
  ...SELF_SERVE,
  summary: 'Send one message again',
  summaryZh: '重新傳送一則訊息',
  description: 'Sends a message again with the same id, so that the receiver can recognize a repeated message.',
  path: PATH.extend({
    message_id: z.string().meta({ description: 'Id of a message of this endpoint.', example: 'msg_0123456789abcdefghjkmnpqrs' }),
  }),
  answer: Resent,
  refusals: ['unknown_id', 'conflict', 'webhook_limit'],
} satisfies Endpoint

const A_MOMENT = {
  en: 'must be an RFC 3339 timestamp, for example 2026-07-01T18:00:00+08:00, or a day',
  zh: '必須是 RFC 3339 時間，例如 2026-07-01T18:00:00+08:00，或日期',
}

const RESEND_SINCE = {
  ...SELF_SERVE,
  summary: 'Resend undelivered messages',
  summaryZh: '重新傳送未送達的訊息',
  description: `Immediately resends messages created at or after \`since\` that failed or are queued for another attempt. Messages have the same ids as before. Each call resends up to ${MAX_RESENT} messages, oldest first.`,
  path: PATH,
  body: z.strictObject({
    since: z
      .string()
      .refine(text => momentOf(text) !== null, requires(A_MOMENT, 'timestamp'))
      .meta({
        description: 'Earliest creation time of the messages to resend. A time without an offset is Taipei time.',
        pattern: MOMENT_PATTERN.source,
        example: '2026-07-01T18:00:00+08:00',
      }),
  }),
  answer: ResentSince,
  refusals: ['unknown_id', 'conflict', 'webhook_limit'],
} satisfies Endpoint

const HOME = '/v2/self-serve/webhooks'

export function webhookRoutes(deps: WebhookDeps): readonly Route<'self_serve_token'>[] {
  const hooks = createManageWebhooks(deps)
  const once = createIdempotentCall(deps)
  const checks = { bodyFaults: (given: unknown) => settingsFaults(deps, given) }
  return [
    route(`GET ${HOME}`, LIST, ({ caller }) => hooks.list(caller)),
    route(
      `POST ${HOME}`,
      CREATE,
      call => {
        const { accountId } = call.caller
        const named = { ...namedCall(call, accountId, 'webhooks'), caller: call.caller }
        return once(
          named,
          ({ webhook_id: endpointId }) => ({ accountId, keyId: null, endpointId }),
          () => hooks.create(call.caller, call.body, call),
        )
      },
      checks,
    ),
    route(`GET ${HOME}/:webhook_id`, GET, ({ caller, params }) => hooks.get(caller, params)),
    route(`POST ${HOME}/:webhook_id`, CHANGE, call => hooks.change(call.caller, call.params, call.body, call), checks),
    route(`DELETE ${HOME}/:webhook_id`, DELETE, call => hooks.remove(call.caller, call.params, call)),
    route(`GET ${HOME}/:webhook_id/reveal`, REVEAL, call => hooks.reveal(call.caller, call.params, call)),
    route(`POST ${HOME}/:webhook_id/rotate`, ROTATE, call => hooks.rotate(call.caller, call.params, call)),
    route(`POST ${HOME}/:webhook_id/test`, TEST, ({ caller, params }) => hooks.test(caller, params)),
    route(`GET ${HOME}/:webhook_id/deliveries`, DELIVERIES, ({ caller, params, query: { status, ...page } }) =>
      hooks.deliveries(caller, params, { state: status, ...page }),
    ),
    route(`POST ${HOME}/:webhook_id/deliveries/:message_id/resend`, RESEND, ({ caller, params }) => hooks.resend(caller, params)),
    route(`POST ${HOME}/:webhook_id/resend`, RESEND_SINCE, ({ caller, params, body }) =>
      hooks.resendSince(caller, params, { since: taipei(momentOf(body.since)!) }),
    ),
  ]
}
