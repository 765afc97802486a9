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
  whileSuspended: true,
  summary: 'Account, plan, limits and credits',
  summaryZh: '帳戶資料、方案、限制與點數',
  answer: Account,
  example: {},
} satisfies Endpoint

const CHOOSE = {
  ...SELF_SERVE,
  summary: 'Change account settings',
  summaryZh: '變更帳戶設定',
  description: 'Changes take effect immediately. GET /v2/self-serve/account returns the current settings. All mails are on by default.',
  body: SettingsInput,
  answer: Settings,
  example: { body: { credit_mails: false } },
} satisfies Endpoint

const CLOSE = {
  ...SELF_SERVE,
  summary: 'Close the account',
  summaryZh: '關閉帳戶',
  description:
    'Immediately revokes all keys, ends all sessions, deletes the profile and ends a granted plan. Keeps billing and usage records. Does not cancel a subscription at the payment provider. A live subscription continues until the customer cancels it in the portal. For a live subscription, `billing.action_required` is true, `billing.portal_url` opens the portal without sign-in, and `billing.next_step` describes the next step. A closed account cannot be reopened. A new account with the same address takes over its subscriptions, customer and invoices. Only the operator can close a suspended account.',
  body: z.looseObject({}).optional().meta({ description: 'Optional body, whose content is ignored.' }),
  answer: ClosedAccount,
} satisfies Endpoint

const KEY_PATH = z.object({
  key_id: z.string().meta({ description: 'Id of a key of the account.', example: 'key_0123456789abcdefghjkmnpqrs' }),
})

const LIST_KEYS = {
  ...SELF_SERVE,
  whileSuspended: true,
  summary: 'Keys of the account',
  summaryZh: '列出金鑰',
  description: `Lists all active keys and the ${MAX_ENDED_LISTED} newest revoked or expired keys, newest first. Older revoked or expired keys are not listed.`,
  answer: Keys,
  example: {},
} satisfies Endpoint

const CREATE_KEY = {
  ...SELF_SERVE,
  summary: 'Create a key',
  summaryZh: '建立金鑰',
  description: `Creates an API key. An account has at most ${MAX_ACTIVE_KEYS} active keys and creates at most ${MAX_NEW_KEYS_PER_DAY} keys in 24 hours. Beyond this limit, the response is 429 and states when the next key can be created. Limits and credits apply to the account, so more keys do not allow more requests.`,
  body: z.strictObject({
    name: z
      .string()
      .refine(name => LABEL_PATTERN.test(name), requires(LABEL_WORDS, 'pattern'))
      .trim()
      .min(1)
      .max(MAX_KEY_NAME_LENGTH)
      .default('key')
      .meta({
        description: 'Name that describes the purpose of the key. Invisible characters are refused; surrounding spaces are removed.',
        pattern: `(?=.*\\S)${LABEL_PATTERN.source}`,
        example: 'notebook',
      }),
    expires_in_days: z
      .number()
      .int()
      .min(1)
      .max(3_650)
      .nullish()
      .meta({ description: 'Days until the key expires. Default: null, which means never.', example: 90 }),
  }),
  headers: REPEATABLE,
  answer: IssuedKey,
  refusals: ['key_limit', 'conflict', 'key_not_revealable', 'reauth_required'],
  example: { body: { name: 'notebook', expires_in_days: 90 } },
} satisfies Endpoint

const REVOKE_KEY = {
  ...SELF_SERVE,
  whileSuspended: true,
  summary: 'Revoke a key',
  summaryZh: '撤銷金鑰',
  description: 'Revokes the key and deletes its secret. Takes effect with the next request. Revoking a revoked key has no effect.',
  path: KEY_PATH,
  answer: Key,
  refusals: ['unknown_id'],
} satisfies Endpoint

const REVEAL_KEY = {
  ...SELF_SERVE,
  summary: 'Show the secret of a key again',
  summaryZh: '再次顯示金鑰',
  description: 'Returns the secret of the key. Available within 15 minutes of signing in, up to ten times an hour. Each call is logged.',
  path: KEY_PATH,
  answer: RevealedKey,
  refusals: ['unknown_id', 'key_not_revealable', 'reauth_required', 'integrity'],
} satisfies Endpoint

const SHARE_PROFILE = {
  ...SELF_SERVE,
  summary: 'Profile file for Delta Sharing readers',
  summaryZh: '下載 Delta Sharing 設定檔',
  description:
    'Returns the profile file for pandas, Spark, Power BI and other Delta Sharing clients. The file contains the endpoint, and a key of the account as the bearer token. Store the file as securely as the key, and revoke the key if the file is lost. Available within 15 minutes of signing in, up to ten times an hour. Each call is logged.',
  query: z.object({ key_id: text(100, { doc: 'Id of a key of the account. Default: the newest active key.' }) }),
  answer: ShareProfile,
  refusals: ['unknown_id', 'key_not_revealable', 'reauth_required', 'integrity'],
  example: {},
} satisfies Endpoint

const ENTITLEMENTS = {
  ...OF_KEY,
  summary: 'Permissions, limits and credits of the key',
  summaryZh: '金鑰的權限、限制與點數',
  description:
    'Returns the limits and credits of the key. Lists each dataset with required plan and price, and states whether the plan of the key includes the dataset. Free of charge.',
  answer: Entitlements,
  example: {},
} satisfies Endpoint

const SUMMARY = {
  group: 'account',
  caller: 'service_token',
  summary: 'Plan of an e-mail address',
  summaryZh: '以電子郵件查詢方案',
  description:
    'Returns the plan of an account by its e-mail address, for the backend of the website. An address without an account has the free plan. The address of a closed account has the status `closed` and the credits of a new account.',
  headers: z.object({
    'x-account-email': z
      .string()
      .optional()
      .meta({ description: 'E-mail address, in upper or lower case.', example: 'analyst@example.com' }),
  }),
  answer: AccountSummary,
  example: { headers: { 'x-account-email': 'analyst@example.com' } },
} satisfies Endpoint

/**
 * The header is optional in the declaration, so that a missing token is reported before a missing
 * address.
 * @throws Refusal invalid_parameter
 */
function addressOf({ 'x-account-email': address }: { readonly 'x-account-email'?: string | undefined }): string {
  if (address !== undefined) return address
  const words = { en: 'send the address in the x-account-email header', zh: '請以 x-account-email 標頭傳送電子郵件地址' }
  throw inputRefusal([{ loc: ['header', 'x-account-email'], words, type: 'missing' }])
}

/** Shared by the routes for API keys and for signed-in customers. */
const usageEndpoint = (catalog: Catalog) => ({
  summary: 'Usage by day, dataset and key',
  summaryZh: '依日期、資料集與金鑰統計用量',
  description:
    'Returns the usage of all keys of the account within a window of Taipei days. `credits` describes the calendar month in which the window ends. A charged read appears as soon as its response is sent. Free of charge.',
  query: usageQuery(catalog),
  answer: UsageSummary,
  example: { query: { window: '30d' } },
})

const previewEndpoint = (catalog: Catalog) => ({
  ...OF_KEY,
  summary: 'Estimated cost of a window of days',
  summaryZh: '預估帳單',
  description: `Returns the cost of the account’s subscriptions within the window, pro rata at the billed price. Trials are free. Future periods are excluded. \`next_invoice_at\` is the date of the next invoice. One line per dataset shows the credits of the dataset. These lines add no cost, because credits are included in the plan. Amounts are before tax, in ${MINOR_UNITS}. Free of charge.`,
  query: usageQuery(catalog),
  answer: BillingPreview,
  example: { query: { window: 'month' } },
})

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
    route(
      'GET /v2/self-serve/usage-summary',
      { ...SELF_SERVE, whileSuspended: true, ...usageEndpoint(deps.catalog) },
      ({ caller, query }) => usage.summary(caller, query),
    ),
    route(
      `GET ${LEDGER.selfServe}`,
      { ...SELF_SERVE, whileSuspended: true, ...usageLedgerEndpoint(deps.catalog) },
      usageLedgerHandler(deps, LEDGER.selfServe),
    ),
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

/** All routes are free of charge. */
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
