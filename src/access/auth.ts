import { PLANS } from '../../catalog/index.ts'
import { isApiKeyShaped, type KeyHolder, type KeyStore } from '../accounts/index.ts'
import { addressBucket, type Clock, type Grant, Refusal, type RefusalCode } from '../core/index.ts'
import { type Limiter, perMinute, throwWhenOver } from './gcra.ts'

/** Who a secret belongs to. */
export interface Authentication {
  /** @throws Refusal missing_api_key, revoked_api_key, expired_api_key, account_closed; invalid_api_key, or rate_limited after too many of them */
  authenticate(secret: string | undefined, address: string): Grant
  /** What somebody reads who is signed in to an account with a browser. @throws Refusal account_closed */
  grantOfBrowser(accountId: string): Grant
  /**
   * Checks a credential of another kind than an API key, under the same limit on wrong ones. A valid one is never limited, so the check
   * must be cheap.
   *
   * @throws what the check throws; Refusal rate_limited in place of another wrong one, after too many of them
   */
  tryCredential<T>(address: string, check: () => T): T
}

/** Wrong credentials from one address. All guesses share a bucket, however many keys are made up; valid credentials pass it by. */
const WRONG = perMinute(20)
/** Refusals that count as a guess. A missing credential does not, nor does one that used to be valid. */
const GUESSES: ReadonlySet<RefusalCode> = new Set([
  'invalid_api_key',
  'invalid_service_token',
  'invalid_admin_token',
  'invalid_self_serve_token',
  'invalid_file_url',
  'unknown_path',
])

/** Turns a secret into a Grant, and limits the wrong credentials that come from one address. */
export function createAuthentication(keys: KeyStore, limiter: Limiter, clock: Clock): Authentication {
  const tryCredential = <T>(address: string, check: () => T): T => {
    try {
      return check()
    } catch (error) {
      // A fault of ours is not a wrong guess of theirs.
      if (error instanceof Refusal && GUESSES.has(error.code)) throwWhenOver(limiter.take(`wrong ${addressBucket(address)}`, WRONG))
      throw error
    }
  }
  return {
    tryCredential,
    grantOfBrowser: accountId => grantOf(keys.ofBrowser(accountId, clock())),
    authenticate: (secret, address) => tryCredential(address, () => grantOf(holderOf(keys, secret, clock))),
  }
}

/** A secret that does not have the form of a key costs no look-up. */
function holderOf(keys: KeyStore, secret: string | undefined, clock: Clock): KeyHolder {
  if (secret === undefined || secret === '') throw new Refusal('missing_api_key')
  const holder = isApiKeyShaped(secret) ? keys.find(secret, clock()) : undefined
  if (!holder) throw new Refusal('invalid_api_key')
  return holder
}

function grantOf({ accountId, keyId, plan, status, accountStatus }: KeyHolder): Grant {
  if (accountStatus === 'closed') throw new Refusal('account_closed')
  if (status === 'revoked') throw new Refusal('revoked_api_key')
  if (status === 'expired') throw new Refusal('expired_api_key')
  return { accountId, keyId, plan, rowLimit: PLANS[plan].rowLimit }
}
