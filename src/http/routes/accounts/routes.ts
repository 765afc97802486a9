import { z } from 'zod'
import type { Catalog } from '../../../../catalog/index.ts'
import { MAX_ENDED_LISTED, MAX_KEY_NAME_LENGTH } from '../../../accounts/index.ts'
import { inputRefusal, LABEL_PATTERN, LABEL_WORDS } from '../../../core/index.ts'
import {
  type AccountDeps,
  type BillingDeps,
  createAccountOperations,
  createCloseAccount,
  createIdempotentCall,
  createManageKeys,
  createSignIn,
  createUsageOperations,
  MAX_ACTIVE_KEYS,
  MAX_NEW_KEYS_PER_DAY,
} from '../../../operations/index.ts'
import { answered, type Endpoint, MINOR_UNITS, namedCall, REPEATABLE, type Route, requires, route, text } from '../../kernel/index.ts'
import { browserSessionRoutes } from './browser-session.ts'
import {
  Account,
  AccountSummary,
  ClosedAccount,
  Entitlements,
  IssuedKey,
  Key,
  Keys,
  RevealedKey,
  Settings,
  SettingsInput,
  ShareProfile,
} from './schemas.ts'
import { COMPLETE, LOCALES, START } from './sign-in.ts'
import { usageLedgerEndpoint, usageLedgerHandler } from './usage-ledger.ts'
import { usageQuery } from './usage-query.ts'
import { BillingPreview, UsageSummary } from './usage-schemas.ts'

type Deps = AccountDeps & { readonly catalog: Catalog }

const SELF_SERVE = { group: 'self_serve', caller: 'self_serve_token' } as const
const LEDGER = { account: '/v2/account/usage-ledger', selfServe: '/v2/self-serve/usage-ledger' } as const
const OF_KEY = { group: 'account', caller: 'api_key', cache: 'no-store' } as const

const ACCOUNT = {
  ...SELF_SERVE,
  summary: 'The account, its plan, limits and credits',
  summaryZh: '帳戶資料、方案、限制與點數',
  answer: Account,
  example: {},
} satisfies Endpoint

const CHOOSE = {
  ...SELF_SERVE,
  summary: 'Change settings of the account',
  summaryZh: '變更帳戶設定',
  description: 'Takes effect at once. What is in force stands in `settings` of the account; every mail is on until it is turned off.',
  body: SettingsInput,
  answer: Settings,
  example: { body: { credit_mails: false } },
} satisfies Endpoint

const CLOSE = {
  ...SELF_SERVE,
  summary: 'Close the account',
  summaryZh: '關閉帳戶',
  description:
    'Revokes every key and ends every session at once, erases the profile and ends a granted plan; records of billing and usage stay. A subscription at the payment provider goes on until it is cancelled in the portal: `billing.action_required` says so, `billing.portal_url` opens the portal without signing in, and `billing.next_step` says how to go on from here. An account cannot be opened again; the same address may begin a new one, which has its subscriptions, its customer and its invoices.',
  body: z.looseObject({}).optional().meta({ description: 'Not needed; what it holds is not read.' }),
  answer: ClosedAccount,
} satisfies Endpoint

const KEY_PATH = z.object({
  key_id: z.string().meta({ description: 'Id of a key of the account.', example: 'key_0123456789abcdefghjkmnpqrs' }),
})

const LIST_KEYS = {
  ...SELF_SERVE,
  summary: 'The keys of the account',
  summaryZh: '列出金鑰',
  description: `Every active key, and the ${MAX_ENDED_LISTED} newest of those that were revoked or have expired, newest first. Older ones stay on record and are no longer listed.`,
  answer: Keys,
  example: {},
} satisfies Endpoint

const CREATE_KEY = {
  ...SELF_SERVE,
  summary: 'Create a key',
  summaryZh: '建立金鑰',
  description: `At most ${MAX_ACTIVE_KEYS} keys are active at once, and ${MAX_NEW_KEYS_PER_DAY} are made within 24 hours: beyond, 429 says when the next may be. Limits and credits are the account’s, so more keys do not buy more requests.`,
  body: z.strictObject({
    name: z
      .string()
      .refine(name => LABEL_PATTERN.test(name), requires(LABEL_WORDS, 'pattern'))
      .trim()
      .min(1)
      .max(MAX_KEY_NAME_LENGTH)
      .default('key')
      .meta({
        description: 'What the key is for, without characters that cannot be seen; blanks around it are left out.',
        pattern: `(?=.*\\S)${LABEL_PATTERN.source}`,
        example: 'notebook',
      }),
    expires_in_days: z
      .number()
      .int()
      .min(1)
      .max(3_650)
      .nullish()
      .meta({ description: 'Days until the key expires; never when null or left out.', example: 90 }),
  }),
  headers: REPEATABLE,
  answer: IssuedKey,
  refusals: ['key_limit', 'conflict', 'key_not_revealable', 'reauth_required'],
  example: { body: { name: 'notebook', expires_in_days: 90 } },
} satisfies Endpoint

const REVOKE_KEY = {
  ...SELF_SERVE,
  summary: 'Revoke a key',
  summaryZh: '撤銷金鑰',
  description: 'Takes effect on the very next request, and erases the secret. Revoking it again changes nothing.',
  path: KEY_PATH,
  answer: Key,
  refusals: ['unknown_id'],
} satisfies Endpoint

const REVEAL_KEY = {
  ...SELF_SERVE,
  summary: 'Show the secret of a key again',
  summaryZh: '再次顯示金鑰',
  description: 'Within 15 minutes of signing in, ten times an hour. Every showing is on record.',
  path: KEY_PATH,
  answer: RevealedKey,
  refusals: ['unknown_id', 'key_not_revealable', 'reauth_required', 'integrity'],
} satisfies Endpoint

const SHARE_PROFILE = {
  ...SELF_SERVE,
  summary: 'Profile file for Delta Sharing readers',
  summaryZh: '下載 Delta Sharing 設定檔',
  description:
    'A file that pandas, Spark, Power BI and other readers of Delta Sharing open: where the tables are, and a key of the account as the bearer token. Made of a key that there is, never of a new one; keep it as you keep the key, and revoke that key where the file is lost. The secret is shown as by reveal: within 15 minutes of signing in, ten times an hour, each on record.',
  query: z.object({ key_id: text(100, { doc: 'Id of a key of the account; its newest active one when absent.' }) }),
  answer: ShareProfile,
  refusals: ['unknown_id', 'key_not_revealable', 'reauth_required', 'integrity'],
  example: {},
} satisfies Endpoint

const ENTITLEMENTS = {
  ...OF_KEY,
  summary: 'What the key may read, its limits and its credits',
  summaryZh: '金鑰的權限、限制與點數',
  description: 'Every dataset with the plan it needs and what a read costs, and whether the plan of the key includes it. Costs no credit.',
  answer: Entitlements,
  example: {},
} satisfies Endpoint

const SUMMARY = {
  group: 'account',
  caller: 'service_token',
  summary: 'The plan behind an e-mail address',
  summaryZh: '以電子郵件查詢方案',
  description:
    'For the website’s own backend. An address without an account has the free plan, in the same shape; this is never an error. One whose account was closed is `closed`, and its credits are those a new account begins with.',
  headers: z.object({
    'x-account-email': z.string().optional().meta({ description: 'The address to look up, in any case.', example: 'analyst@example.com' }),
  }),
  answer: AccountSummary,
  example: { headers: { 'x-account-email': 'analyst@example.com' } },
} satisfies Endpoint

/** The header is optional in the description and needed here, so that whoever sends no token is told of the token. @throws Refusal invalid_parameter */
function addressOf({ 'x-account-email': address }: { readonly 'x-account-email'?: string | undefined }): string {
  if (address !== undefined) return address
  const words = { en: 'send the address in the x-account-email header', zh: '請以 x-account-email 標頭傳送電子郵件地址' }
  throw inputRefusal([{ loc: ['header', 'x-account-email'], words, type: 'missing' }])
}

/** Shared by the holder of a key and a signed-in customer. */
const usageEndpoint = (catalog: Catalog) => ({
  summary: 'Usage by day, dataset and key',
  summaryZh: '依日期、資料集與金鑰統計用量',
  description:
    'Reads of all keys of the account within a window of days in Taipei, beside the credits of the period it ends in. Charged reads are there as soon as they are answered. Costs no credit.',
  query: usageQuery(catalog),
  answer: UsageSummary,
  example: { query: { window: '30d' } },
})

const previewEndpoint = (catalog: Catalog) => ({
  ...OF_KEY,
  summary: 'What a window of days costs, as an estimate',
  summaryZh: '預估帳單',
  description: `What the account’s subscriptions cost for the time they covered within the window, pro rata at the price they are billed at, and a line a dataset that shows where its credits went. A trial costs nothing, and periods that have not begun are not in it: \`next_invoice_at\` says when the next is due. Credits come with the plan, so those lines add no money. Amounts are before tax, in ${MINOR_UNITS}. Costs no credit.`,
  query: usageQuery(catalog),
  answer: BillingPreview,
  example: { query: { window: 'month' } },
})

/** Sign-in by mail, and a signed-in customer's account and keys. */
export function selfServeRoutes(
  deps: Deps & BillingDeps & { readonly origin: () => string },
): readonly Route<'public' | 'browser' | 'self_serve_token'>[] {
  const [signIn, account, close, usage, keys] = [
    createSignIn(deps),
    createAccountOperations(deps),
    createCloseAccount(deps),
    createUsageOperations(deps),
    createManageKeys(deps),
  ]
  const once = createIdempotentCall(deps)
  return [
    route('POST /v2/self-serve/onboarding/start', START, call => {
      const { email, locale } = call.body
      const named = call.languageNamed
      return signIn.start(call, { email, locale: locale ?? (named && LOCALES[named]) })
    }),
    route('POST /v2/self-serve/onboarding/complete', COMPLETE, call => signIn.complete(call, call.body, call)),
    ...browserSessionRoutes(deps),
    route('GET /v2/self-serve/account', ACCOUNT, ({ caller }) => account.view(caller)),
    route('GET /v2/self-serve/usage-summary', { ...SELF_SERVE, ...usageEndpoint(deps.catalog) }, ({ caller, query }) =>
      usage.summary(caller, query),
    ),
    route(`GET ${LEDGER.selfServe}`, { ...SELF_SERVE, ...usageLedgerEndpoint(deps.catalog) }, usageLedgerHandler(deps, LEDGER.selfServe)),
    route('POST /v2/self-serve/settings', CHOOSE, call => account.updateSettings(call.caller, call.body)),
    route('DELETE /v2/self-serve/account', CLOSE, call => close(call.caller, call)),
    route('GET /v2/self-serve/api-keys', LIST_KEYS, ({ caller }) => keys.list(caller)),
    route('POST /v2/self-serve/api-keys', CREATE_KEY, call => {
      const { accountId } = call.caller
      const named = { ...namedCall(call, accountId, 'api-keys'), caller: call.caller }
      return once(
        named,
        ({ key_id: keyId }) => ({ accountId, keyId }),
        () => keys.create(call.caller, call.body, call),
      )
    }),
    route('POST /v2/self-serve/api-keys/:key_id/revoke', REVOKE_KEY, call => keys.revoke(call.caller, call.params, call)),
    route('GET /v2/self-serve/api-keys/:key_id/reveal', REVEAL_KEY, call => keys.reveal(call.caller, call.params, call)),
    route('GET /v2/self-serve/share-profile', SHARE_PROFILE, call =>
      answered(keys.shareProfile(call.caller, call.query.key_id, deps.origin(), call), {
        headers: { 'content-disposition': 'attachment; filename="twmd.share"' },
      }),
    ),
  ]
}

/** What a key's account may do, has used and will be billed; and a plan by address, for the website's backend. None costs a credit. */
export function accountRoutes(deps: Deps): readonly Route<'api_key' | 'service_token'>[] {
  const [account, usage] = [createAccountOperations(deps), createUsageOperations(deps)]
  return [
    route('GET /v2/account/entitlements', ENTITLEMENTS, call => account.entitlements(call.caller, call)),
    route('GET /v2/account/usage-summary', { ...OF_KEY, ...usageEndpoint(deps.catalog) }, ({ caller, query }) =>
      usage.summary(caller, query),
    ),
    route(`GET ${LEDGER.account}`, { ...OF_KEY, ...usageLedgerEndpoint(deps.catalog) }, usageLedgerHandler(deps, LEDGER.account)),
    route('GET /v2/account/billing-preview', previewEndpoint(deps.catalog), ({ caller, query }) => usage.preview(caller, query)),
    route('GET /v2/account/summary', SUMMARY, ({ headers }) => account.summaryByEmail(addressOf(headers))),
  ]
}
