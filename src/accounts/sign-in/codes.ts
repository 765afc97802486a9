import { randomInt, timingSafeEqual } from 'node:crypto'
import { DAY_MS, HOUR_MS, newId, taipei } from '../../core/index.ts'
import type { Database, Vault } from '../../state/index.ts'
import type { Email } from '../email.ts'

/** A mailed code and a started sign-in are valid for ten minutes. */
export const CODE_LIFETIME_MS = 10 * 60_000
export const RETENTION_MS = DAY_MS
const MAX_GUESSES = 50
const MAX_PER_HOUR = 5

export interface LiveCode {
  readonly id: string
  readonly email: string
  readonly hash: Buffer
  readonly createdAt: string
}

/** Stores mailed codes as digests. Only the newest code of an address is valid. */
export function createCodes(db: Database, vault: Vault) {
  const { findLive, issuedSince, insert, endAll, endOne, countGuess, deleteOlder } = statementsOn(db)
  return {
    live: (emailKey: string, now: Date): LiveCode | undefined => findLive.get(emailKey, taipei(now), taipei(now)),
    /** Returns 0 if the address can receive another code now. */
    hourlyLimitWaitMs(emailKey: string, now: Date): number {
      const first = issuedSince.all(emailKey, msAgo(now, HOUR_MS), taipei(now)).at(-MAX_PER_HOUR)
      return first === undefined ? 0 : Date.parse(first) + HOUR_MS - now.getTime()
    },
    /**
     * Creates a code, and invalidates earlier codes of the address.
     *
     * @returns the digits of the code
     */
    create(email: Email, now: Date): string {
      const id = newId('code')
      const code = String(randomInt(100_000_000)).padStart(8, '0')
      endAll.run(taipei(now), email.key)
      insert.run(
        id,
        email.address,
        email.key,
        vault.lookup(secretOf(id, code)),
        taipei(now),
        taipei(new Date(now.getTime() + CODE_LIFETIME_MS)),
      )
      return code
    },
    /**
     * Accepts a code only once.
     * @returns the mailed address, or undefined if the code is wrong
     */
    use(code: LiveCode, entered: string, now: Date): string | undefined {
      if (!vault.lookups(secretOf(code.id, entered)).some(digest => timingSafeEqual(code.hash, digest)))
        return void countGuess.run(taipei(now), code.id)
      return endOne.run(taipei(now), code.id).changes === 1 ? code.email : undefined
    },
    deleteOld: (now: Date): void => void deleteOlder.run(msAgo(now, RETENTION_MS)),
  }
}

export const msAgo = (now: Date, ms: number): string => taipei(new Date(now.getTime() - ms))

const secretOf = (codeId: string, code: string): string => `onboarding|${codeId}|${code}`

const statementsOn = (db: Database) => ({
  // Ignores rows with a future time, which exist if the clock was set back.
  findLive: db.prepare<[string, string, string], LiveCode>(
    `SELECT id, email, code_hash AS hash, created_at AS createdAt FROM onboarding_code
     WHERE ended_at IS NULL AND email_key = ? AND expires_at > ? AND created_at <= ? ORDER BY created_at DESC LIMIT 1`,
  ),
  issuedSince: db
    .prepare<[string, string, string], string>(
      'SELECT created_at FROM onboarding_code WHERE email_key = ? AND created_at > ? AND created_at <= ? ORDER BY created_at',
    )
    .pluck(),
  insert: db.prepare('INSERT INTO onboarding_code (id, email, email_key, code_hash, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)'),
  endAll: db.prepare('UPDATE onboarding_code SET ended_at = ? WHERE email_key = ? AND ended_at IS NULL'),
  endOne: db.prepare('UPDATE onboarding_code SET ended_at = ? WHERE id = ? AND ended_at IS NULL'),
  countGuess: db.prepare(
    `UPDATE onboarding_code SET guesses = guesses + 1, ended_at = iif(guesses + 1 >= ${MAX_GUESSES}, ?, NULL) WHERE id = ? AND ended_at IS NULL`,
  ),
  deleteOlder: db.prepare('DELETE FROM onboarding_code WHERE created_at <= ?'),
})
