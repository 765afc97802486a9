import { isApiKeyShaped, type KeyHolder, type KeyStore } from '../accounts/index.ts'
import { addressBucket, type Clock, type Grant, Refusal, type RefusalCode, type Words } from '../core/index.ts'
import { type Limiter, perMinute, throwIfLimited } from './gcra.ts'

/** Checks credentials and returns their permissions and limits. */
export interface Authentication {
  /**
   * @throws Refusal missing_api_key, revoked_api_key, expired_api_key, account_closed,
   * account_suspended; invalid_api_key, or rate_limited after too many invalid keys
   */
  authenticate(secret: string | undefined, address: string): Grant
  /** @throws Refusal account_closed, account_suspended */
  grantOfBrowser(accountId: string): Grant
  /**
   * Limits how often `check` can fail for an address. Valid credentials are never limited.
   *
   * @throws Refusal rate_limited after too many wrong credentials
   * @throws other errors of `check`
   */
  tryCredential<T>(address: string, check: () => T): T
}

const WRONG_CREDENTIALS = perMinute(20)
/** Codes that count as guesses. A missing, revoked or expired credential is not a guess. */
const GUESSES: ReadonlySet<RefusalCode> = new Set(['invalid_api_key', 'invalid_self_serve_token', 'invalid_file_url'])

/** The key may belong to the primary, whose keys a replica does not know. */
const UNKNOWN_TO_REPLICA: Words = {
  en: 'This service is a replica and does not know this API key, because a key works only at the service that created it. Use a key of this replica, or send the request to the primary.',
  zh: '本服務為複本，沒有此 API 金鑰；金鑰僅適用於建立它的服務。請使用本複本的金鑰，或將請求送至主服務。',
}

/** @param isReplica returns true if this service copies its releases from another service */
export function createAuthentication(keys: KeyStore, limiter: Limiter, clock: Clock, isReplica: () => boolean): Authentication {
  const tryCredential = <T>(address: string, check: () => T): T => {
    try {
      return check()
    } catch (error) {
      if (error instanceof Refusal && GUESSES.has(error.code))
        throwIfLimited(limiter.take(`${error.code} ${addressBucket(address)}`, WRONG_CREDENTIALS))
      throw error
    }
  }
  return {
    tryCredential,
    grantOfBrowser: accountId => grantOf(keys.ofBrowser(accountId, clock())),
    authenticate: (secret, address) => tryCredential(address, () => grantOf(holderOf(keys, secret, clock, isReplica))),
  }
}

/** Rejects malformed keys without a database lookup. */
function holderOf(keys: KeyStore, secret: string | undefined, clock: Clock, isReplica: () => boolean): KeyHolder {
  if (secret === undefined || secret === '') throw new Refusal('missing_api_key')
  const holder = isApiKeyShaped(secret) ? keys.find(secret, clock()) : undefined
  if (!holder) throw isReplica() ? new Refusal('invalid_api_key', {}, UNKNOWN_TO_REPLICA) : new Refusal('invalid_api_key')
  return holder
}

function grantOf({ accountId, keyId, plan, limits, status, accountStatus, suspendedFor }: KeyHolder): Grant {
  if (accountStatus === 'closed') throw new Refusal('account_closed')
  if (status === 'revoked') throw new Refusal('revoked_api_key')
  if (status === 'expired') throw new Refusal('expired_api_key')
  if (suspendedFor !== null) throw new Refusal('account_suspended', { reason: suspendedFor })
  return { accountId, keyId, plan, limits }
}
