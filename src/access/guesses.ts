import { addressBucket, Refusal, type RefusalCode } from '../core/index.ts'
import { type Limiter, perMinute, throwWhenOver } from './gcra.ts'

/** Wrong credentials one address may send. Guesses share a bucket however many keys are made up. */
const WRONG = perMinute(20)
/** What a guesser is told. A missing credential is no guess, nor is one that was good once. */
const GUESSES: ReadonlySet<RefusalCode> = new Set([
  'invalid_api_key',
  'invalid_service_token',
  'invalid_admin_token',
  'invalid_self_serve_token',
  'unknown_path',
])

/**
 * Limits the wrong credentials that come from one address.
 *
 * @returns a function that tries one. @throws what the attempt throws; Refusal rate_limited, without trying, after too many wrong ones
 */
export const createGuessLimiter =
  (limiter: Limiter) =>
  <T>(address: string, check: () => T): T => {
    const wrong = `wrong ${addressBucket(address)}`
    throwWhenOver(limiter.look(wrong, WRONG))
    try {
      return check()
    } catch (error) {
      // A fault of ours is not a wrong guess of theirs.
      if (error instanceof Refusal && GUESSES.has(error.code)) limiter.take(wrong, WRONG)
      throw error
    }
  }
