import { z } from 'zod'
import { PLAN_IDS } from '../../../../catalog/index.ts'
import { STANDINGS } from '../../../accounts/index.ts'
import { LABEL_PATTERN, LABEL_WORDS } from '../../../core/index.ts'
import {
  type BillingDeps,
  createCloseAccount,
  createIdempotentCall,
  createManageAccounts,
  MAX_NOTE_LENGTH,
  MAX_OVERLAP_HOURS,
  MAX_REASON_LENGTH,
  MOST_LIMITS,
} from '../../../operations/index.ts'
import { choice, type Endpoint, integer, namedCall, REPEATABLE, type Route, requires, route, text } from '../../kernel/index.ts'
import { ClosedAccount, Key } from '../accounts/schemas.ts'
import { AccountDetail, AccountList, RotatedKey } from './account-schemas.ts'

const COMMON = { group: 'administration', caller: 'admin_token' } as const
const ACCOUNT_ID = z.string().meta({ description: 'Id of an account.', example: 'acct_0123456789abcdefghjkmnpqrs' })
const OF_ACCOUNT = { ...COMMON, path: z.object({ account_id: ACCOUNT_ID }), answer: AccountDetail } as const
const OF_KEY = {
  ...COMMON,
  path: z.object({
    account_id: ACCOUNT_ID,
    key_id: z.string().meta({ description: 'Id of a key of the account.', example: 'key_0123456789abcdefghjkmnpqrs' }),
  }),
} as const

const LIST = {
  ...COMMON,
  summary: 'Accounts, newest first',
  summaryZh: '列出或搜尋帳戶',
  description:
    'Lists accounts, newest first. The search text is sent in a header, because URLs are logged and a search text can be an e-mail address.',
  headers: z.object({
    'x-account-search': z.string().max(254).optional().meta({
      description:
        'Search text: part of an e-mail address, id of an account, key, customer or subscription, or last four characters of a key.',
      example: 'example.com',
    }),
  }),
  query: z.object({
    status: choice(STANDINGS, { doc: 'Status of the accounts to return.' }),
    plan_id: choice(PLAN_IDS, { doc: 'Current plan of the accounts to return.' }),
    before: text(100, { doc: 'Cursor: `next_before` of the previous page. Returns accounts created before the account with this id.' }),
    limit: integer([1, 1_000], 100, { doc: 'Maximum number of accounts to return.' }),
  }),
  answer: AccountList,
  example: {},
} as const satisfies Endpoint

const SHOW = {
  ...OF_ACCOUNT,
  summary: 'Plan, keys, usage, payments, mails and notes of an account',
  summaryZh: '帳戶的方案、金鑰、用量、付款、郵件與備註',
  refusals: ['unknown_id'],
} as const satisfies Endpoint

const SUSPEND = {
  ...OF_ACCOUNT,
  summary: 'Suspend an account',
  summaryZh: '暫停帳戶',
  description:
    'Refuses all reads of the account with 403 `account_suspended` and the reason, starting with the next request. The owner can still sign in, revoke keys and cancel a subscription. Webhooks receive no events during a suspension. Repeating the call has no further effect. The audit log records the action.',
  body: z.strictObject({
    reason: z
      .string()
      .refine(reason => LABEL_PATTERN.test(reason), requires(LABEL_WORDS, 'pattern'))
      .trim()
      .min(1)
      .max(MAX_REASON_LENGTH)
      .meta({
        description: 'Reason for the suspension, which the owner can see.',
        pattern: `(?=.*\\S)${LABEL_PATTERN.source}`,
        example: 'unpaid invoice of June',
      }),
  }),
  refusals: ['unknown_id', 'conflict'],
} as const satisfies Endpoint

const RESTORE = {
  ...OF_ACCOUNT,
  summary: 'End the suspension of an account',
  summaryZh: '恢復帳戶',
  description:
    'Ends the suspension, starting with the next request. Repeating the call has no further effect. The audit log records the action.',
  refusals: ['unknown_id', 'conflict'],
} as const satisfies Endpoint

const CLOSE = {
  ...OF_ACCOUNT,
  summary: 'Close an account on behalf of its owner',
  summaryZh: '代為關閉帳戶',
  description:
    'Closes the account, with the effects of `DELETE /v2/self-serve/account`. Also ends a suspension. Live subscriptions continue, and must be cancelled at the payment provider. The audit log records the action.',
  answer: ClosedAccount,
  refusals: ['unknown_id', 'account_closed'],
} as const satisfies Endpoint

const own = (name: keyof typeof MOST_LIMITS, least: number, doc: string) =>
  z
    .int()
    .min(least)
    .max(MOST_LIMITS[name])
    .nullish()
    .meta({ description: `${doc} Null restores the limit of the plan. Default: unchanged.` })

const LIMIT = {
  ...OF_ACCOUNT,
  summary: 'Set limits of an account',
  summaryZh: '設定帳戶專屬限制',
  description: 'Sets limits that replace the limits of the plan, starting with the next request. The audit log records the action.',
  body: z.strictObject({
    row_limit: own('row_limit', 1, 'Maximum number of rows per response.'),
    requests_per_minute: own('requests_per_minute', 1, 'Maximum number of requests per minute.'),
    requests_at_once: own('requests_at_once', 1, 'Maximum number of concurrent reads.'),
    credits_per_month: own('credits_per_month', 0, 'Number of credits per month.'),
  }),
  refusals: ['unknown_id', 'conflict'],
} as const satisfies Endpoint

const NOTE = {
  ...OF_ACCOUNT,
  summary: 'Add a note to an account',
  summaryZh: '新增帳戶備註',
  description: 'Adds a note that only operators can see. The audit log records the action without the text of the note.',
  body: z.strictObject({
    text: z.string().trim().min(1).max(MAX_NOTE_LENGTH).meta({ description: 'Text of the note.', example: 'wants invoices with a tax id' }),
  }),
  refusals: ['unknown_id', 'conflict'],
} as const satisfies Endpoint

const REVOKE = {
  ...OF_KEY,
  summary: 'Revoke a key of an account',
  summaryZh: '代為撤銷金鑰',
  description:
    'Revokes the key and deletes its secret, starting with the next request. Repeating the call has no further effect. The audit log records the action.',
  answer: Key,
  refusals: ['unknown_id'],
} as const satisfies Endpoint

const ROTATE = {
  ...OF_KEY,
  summary: 'Replace a key of an account',
  summaryZh: '代為更換金鑰',
  description:
    'Creates a key with the same name and expiry, and ends the former key immediately or after `overlap_hours`. Send the secret to the owner over a secure channel. The audit log records the action.',
  body: z.strictObject({
    overlap_hours: z
      .int()
      .min(0)
      .max(MAX_OVERLAP_HOURS)
      .default(0)
      .meta({ description: 'Hours for which the former key stays valid.', example: 24 }),
  }),
  headers: REPEATABLE,
  answer: RotatedKey,
  refusals: ['unknown_id', 'conflict', 'key_not_revealable'],
} as const satisfies Endpoint

export function accountAdminRoutes(deps: BillingDeps): readonly Route<'admin_token'>[] {
  const [accounts, close, once] = [createManageAccounts(deps), createCloseAccount(deps), createIdempotentCall(deps)]
  const by = ({ caller: actor, requestId }: { readonly caller: 'admin'; readonly requestId: string }) => ({ actor, requestId })
  return [
    route('GET /v2/admin/accounts', LIST, ({ query, headers }) =>
      accounts.list({ ...query, text: headers['x-account-search']?.trim() || null }),
    ),
    route('GET /v2/admin/accounts/:account_id', SHOW, ({ params }) => accounts.show(params.account_id)),
    route('POST /v2/admin/accounts/:account_id/suspend', SUSPEND, call =>
      accounts.suspend(call.params.account_id, call.body.reason, by(call)),
    ),
    route('POST /v2/admin/accounts/:account_id/restore', RESTORE, call => accounts.restore(call.params.account_id, by(call))),
    route('POST /v2/admin/accounts/:account_id/close', CLOSE, call => {
      const account = accounts.find(call.params.account_id)
      return close({ accountId: account.id, account }, call, call.caller)
    }),
    route('POST /v2/admin/accounts/:account_id/limits', LIMIT, call => accounts.setLimits(call.params.account_id, call.body, by(call))),
    route('POST /v2/admin/accounts/:account_id/notes', NOTE, call => accounts.addNote(call.params.account_id, call.body.text, by(call))),
    route('POST /v2/admin/accounts/:account_id/keys/:key_id/revoke', REVOKE, call =>
      accounts.revokeKey(call.params.account_id, call.params.key_id, by(call)),
    ),
    route('POST /v2/admin/accounts/:account_id/keys/:key_id/rotate', ROTATE, call => {
      const { account_id: accountId, key_id: keyId } = call.params
      const named = namedCall(call, call.caller, `accounts/${accountId}/keys/${keyId}/rotate`)
      return once(
        named,
        ({ key }) => ({ accountId, keyId: key.key_id }),
        () => accounts.rotateKey(accountId, keyId, call.body.overlap_hours, by(call)),
      )
    }),
  ]
}
