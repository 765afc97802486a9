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
   * Checks a credential of another kind than an API key, under a limit on wrong ones of its kind. A valid one is never limited, so the
   * check must be cheap.
   *
   * @throws what the check throws; Refusal rate_limited instead of another wrong one, after too many of the same kind
   */
  tryCredential<T>(address: string, check: () => T): T
}

/** Wrong credentials of one kind from one address, whatever values are made up. Valid credentials are not counted. */
const WRONG = perMinute(20)
/** Refusals that count as a guess, one for each kind. A missing credential does not count, nor does one that used to be valid. */
const GUESSES: ReadonlySet<RefusalCode> = new Set(['invalid_api_key', 'invalid_self_serve_token', 'invalid_file_url'])

/** Turns a secret into a Grant, and limits the wrong credentials that come from one address. */
export function createAuthentication(keys: KeyStore, limiter: Limiter, clock: Clock): Authentication {
  const tryCredential = <T>(address: string, check: () => T): T => {
    try {
      return check()
    } catch (error) {
      // A fault of ours is not a wrong guess of theirs.
      if (error instanceof Refusal && GUESSES.has(error.code)) throwWhenOver(limiter.take(`${error.code} ${addressBucket(address)}`, WRONG))
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
