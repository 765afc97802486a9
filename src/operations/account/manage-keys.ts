import type { Gate } from '../../access/index.ts'
import type { Account, KeyRecord } from '../../accounts/index.ts'
import type { Control } from '../../control/index.ts'
import { DAY_MS, Refusal, taipei, type Words } from '../../core/index.ts'
import { keyView } from './account-views.ts'
import type { AccountDeps, AuditedCall, SignedInCaller } from './callers.ts'

export interface NewKey {
  readonly name: string
  /** Null or absent for a key without expiry. */
  readonly expires_in_days?: number | null | undefined
}

export const MAX_ACTIVE_KEYS = 10

/** Limits the number of rows, because rows of keys are never deleted. */
export const MAX_NEW_KEYS_PER_DAY = 100

/** A secret can be shown only within this time after a sign-in. */
const REVEAL_WINDOW_MS = 15 * 60_000

/** Keys of other accounts are refused as unknown. */
export function createManageKeys(deps: AccountDeps) {
  const { control, clock, log } = deps
  const getExisting = (accountId: string, keyId: string): KeyRecord => {
    const key = control.keys.get(accountId, keyId, clock())
    if (!key) throw new Refusal('unknown_id')
    return key
  }
  return {
    /** Lists all active keys and the newest inactive keys, newest first. */
    list({ account }: SignedInCaller) {
      const data = control.keys.list(account.id, clock()).map(key => keyView(key, account.plan))
      return { data, data_count: data.length }
    },
    /** @returns the key with the secret @throws Refusal key_limit, rate_limited */
    create({ account }: SignedInCaller, { name, expires_in_days: days }: NewKey, { requestId }: AuditedCall) {
      const now = clock()
      const active = control.keys.countActive(account.id, now)
      if (active >= MAX_ACTIVE_KEYS) throw new Refusal('key_limit', { allowed: MAX_ACTIVE_KEYS, active })
      limitNewKeys(control, account.id, now)
      const expiresAt = days ? taipei(new Date(now.getTime() + days * DAY_MS)) : null
      const key = issueKey(control, account, { name, expiresAt, actor: account.id, requestId }, now)
      log('key issued', { account: account.id, key: key.key_id })
      return key
    },
    /** Erases the secret. The next request with the key is refused. @throws Refusal unknown_id */
    revoke({ account }: SignedInCaller, { key_id: keyId }: { readonly key_id: string }, { requestId }: AuditedCall) {
      getExisting(account.id, keyId)
      const now = clock()
      const revoked = control.transaction(() => {
        const changed = control.keys.revoke(account.id, keyId, now)
        if (changed) control.audit.write({ actor: account.id, action: 'key revoked', accountId: account.id, target: keyId, requestId }, now)
        return changed
      })
      if (revoked) log('key revoked', { account: account.id, key: keyId })
      return keyView(getExisting(account.id, keyId), account.plan)
    },
    /**
     * Shows a secret again.
     * @throws Refusal unknown_id, key_not_revealable; errors of `revealKey`
     */
    reveal(caller: SignedInCaller, { key_id: keyId }: { readonly key_id: string }, { requestId }: AuditedCall) {
      const key = getExisting(caller.account.id, keyId)
      if (key.status === 'revoked') throw new Refusal('key_not_revealable')
      return revealKey(deps, caller, key, requestId)
    },
    /**
     * Returns a Delta Sharing profile, which contains a key's secret.
     * @param keyId null for the newest active key
     * @throws Refusal unknown_id, key_not_revealable; errors of `revealKey`
     */
    shareProfile(caller: SignedInCaller, keyId: string | null, origin: string, { requestId }: AuditedCall) {
      const now = clock()
      const key = keyId === null ? control.keys.list(caller.account.id, now).find(isActive) : getExisting(caller.account.id, keyId)
      if (!key) throw new Refusal('unknown_id', {}, NO_ACTIVE_KEY)
      if (!isActive(key)) throw new Refusal('key_not_revealable', {}, NOT_ACTIVE)
      const { api_key: bearerToken } = revealKey(deps, caller, key, requestId)
      return {
        shareCredentialsVersion: 1 as const,
        endpoint: `${origin}/delta-sharing`,
        bearerToken,
        ...(key.expiresAt !== null && { expirationTime: new Date(key.expiresAt).toISOString() }),
      }
    },
  }
}

const isActive = ({ status }: KeyRecord): boolean => status === 'active'

const NO_ACTIVE_KEY: Words = {
  en: 'The account has no active key for a profile. Create one with POST /v2/self-serve/api-keys.',
  zh: '此帳戶沒有可寫入設定檔的有效金鑰。請先以 POST /v2/self-serve/api-keys 建立金鑰。',
}
const NOT_ACTIVE: Words = {
  en: 'The key is revoked or has expired, so a profile with it would not work. Specify another key, or create one.',
  zh: '此金鑰已撤銷或過期，寫入設定檔也無法使用。請指定另一把或重新建立。',
}

export type ManageKeys = ReturnType<typeof createManageKeys>

/**
 * Limits new keys, including keys for subscriptions and keys from the operator. Reads the state
 * file, so a restart does not reset the limit.
 *
 * @throws Refusal rate_limited if there are too many new keys within 24 hours
 */
export function limitNewKeys({ keys }: Control, accountId: string, now: Date): void {
  const first = keys.nthNewestIssuedAt(accountId, MAX_NEW_KEYS_PER_DAY - 1, now)
  const waitSeconds = first === undefined ? 0 : Math.ceil((Date.parse(first) + DAY_MS - now.getTime()) / 1_000)
  if (waitSeconds > 0)
    throw new Refusal('rate_limited', { retry_after: waitSeconds, limit: MAX_NEW_KEYS_PER_DAY }, tooManyNewKeys(waitSeconds))
}

const tooManyNewKeys = (seconds: number): Words => ({
  en: `Daily limit of ${MAX_NEW_KEYS_PER_DAY} new keys reached. Use an existing key, or wait ${seconds} seconds.`,
  zh: `每日可建立的 ${MAX_NEW_KEYS_PER_DAY} 把金鑰已達上限。請使用現有的金鑰，或等待 ${seconds} 秒。`,
})

export interface NewKeyOptions {
  readonly name: string
  /** RFC 3339. Null or absent for a key without expiry. */
  readonly expiresAt?: string | null
  /** Account id or `admin`. */
  readonly actor: string
  readonly requestId: string
  readonly facts?: Readonly<Record<string, unknown>>
}

/**
 * Writes key and audit entry in one transaction.
 * @returns the key with the secret
 */
export function issueKey(
  control: Control,
  { id: accountId, plan }: Pick<Account, 'id' | 'plan'>,
  { name, expiresAt = null, ...audited }: NewKeyOptions,
  now: Date,
) {
  return control.transaction(() => {
    const { keyId, secret } = control.keys.issue(accountId, name, now, expiresAt)
    control.audit.write({ ...audited, action: 'key issued', accountId, target: keyId }, now)
    const key = keyView(control.keys.get(accountId, keyId, now)!, plan)
    control.webhooks.notifyAccount(accountId, 'key.created', key, now)
    return { ...key, api_key: secret }
  })
}

/**
 * Returns the secret of a key and writes an audit entry.
 * @throws Refusal reauth_required, rate_limited; integrity if the stored secret is damaged
 */
export function revealKey(
  { control, gate, clock, log }: AccountDeps,
  caller: SignedInCaller,
  { keyId, last4 }: Pick<KeyRecord, 'keyId' | 'last4'>,
  requestId: string,
) {
  const { id: accountId } = caller.account
  const now = clock()
  guardSecret(gate, caller, now)
  const secret = secretOf(control, accountId, keyId)
  if (secret === undefined) {
    log('failed', { request_id: requestId, during: 'decrypting a stored key', key: keyId })
    throw new Refusal('integrity')
  }
  control.audit.write({ actor: accountId, action: 'key revealed', accountId, target: keyId, requestId }, now)
  return { key_id: keyId, api_key: secret, last4, revealed_at: taipei(now) }
}

/** Requires a recent sign-in. @throws Refusal reauth_required, rate_limited */
export function guardSecret(gate: Pick<Gate, 'limitReveal'>, { account, session }: SignedInCaller, now: Date): void {
  const ageMs = now.getTime() - Date.parse(session.createdAt)
  // If the session starts in the future, the clock was set back.
  if (ageMs > REVEAL_WINDOW_MS || ageMs < -REVEAL_WINDOW_MS) throw new Refusal('reauth_required')
  gate.limitReveal(account.id)
}

function secretOf(control: Control, accountId: string, keyId: string): string | undefined {
  try {
    return control.keys.reveal(accountId, keyId)
  } catch {
    return undefined
  }
}
