import { randomInt, timingSafeEqual } from 'node:crypto'
import { DAY_MS, HOUR_MS, newId, taipei } from '../../core/index.ts'
import type { Database, Vault } from '../../state/index.ts'
import type { Email } from '../email.ts'

/** How long a code works, and a flow in which it is entered. */
export const CODE_LIFE_MS = 10 * 60_000
/** How long the address of a sign-in that was never completed is kept. */
export const KEPT_MS = DAY_MS
/** Wrong attempts at one code over all flows: fifty guesses at one in a hundred million. */
const MAX_GUESSES = 50
/** Codes mailed to one address in an hour. */
const MAX_PER_HOUR = 5

/** A code that was mailed and is neither used nor expired. */
export interface Code {
  readonly id: string
  readonly email: string
  readonly hash: Buffer
  readonly createdAt: string
}

/** Codes mailed to addresses. Only the newest code of an address works; the state file holds its digest. */
export function createCodes(db: Database, vault: Vault) {
  const { live, since, put, endAll, endOne, guessed, forget } = statementsOn(db)
  return {
    /** The code of an address that works now, if there is one. */
    live: (emailKey: string, now: Date): Code | undefined => live.get(emailKey, taipei(now), taipei(now)),
    /** Milliseconds until an address may be sent another code within the hour; 0 when it may now. */
    fullFor(emailKey: string, now: Date): number {
      const first = since.all(emailKey, before(now, HOUR_MS), taipei(now)).at(-MAX_PER_HOUR)
      return first === undefined ? 0 : Date.parse(first) + HOUR_MS - now.getTime()
    },
    /** Makes a new code, which replaces any other. @returns its digits, to be mailed */
    make(email: Email, now: Date): string {
      const [id, code] = [newId('code'), String(randomInt(100_000_000)).padStart(8, '0')]
      endAll.run(taipei(now), email.key)
      put.run(id, email.address, email.key, vault.lookup(secretOf(id, code)), taipei(now), taipei(new Date(now.getTime() + CODE_LIFE_MS)))
      return code
    },
    /** Uses a code up, or counts a wrong guess. @returns the address it was mailed to when the digits are right */
    use(code: Code, given: string, now: Date): string | undefined {
      if (!vault.lookups(secretOf(code.id, given)).some(digest => timingSafeEqual(code.hash, digest)))
        return void guessed.run(taipei(now), code.id)
      return endOne.run(taipei(now), code.id).changes === 1 ? code.email : undefined
    },
    /** Erases codes older than a day. */
    forget: (now: Date): void => void forget.run(before(now, KEPT_MS)),
  }
}

/** The moment that many milliseconds ago, RFC 3339 in Taipei. */
export const before = (now: Date, ms: number): string => taipei(new Date(now.getTime() - ms))

const secretOf = (codeId: string, code: string): string => `onboarding|${codeId}|${code}`

const statementsOn = (db: Database) => ({
  // What lies ahead was made by a clock that has been put back since: it would work, and count, for as long as that went ahead.
  live: db.prepare<[string, string, string], Code>(
    `SELECT id, email, code_hash AS hash, created_at AS createdAt FROM onboarding_code
     WHERE ended_at IS NULL AND email_key = ? AND expires_at > ? AND created_at <= ? ORDER BY created_at DESC LIMIT 1`,
  ),
  since: db
    .prepare<[string, string, string], string>(
      'SELECT created_at FROM onboarding_code WHERE email_key = ? AND created_at > ? AND created_at <= ? ORDER BY created_at',
    )
    .pluck(),
  put: db.prepare('INSERT INTO onboarding_code (id, email, email_key, code_hash, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)'),
  endAll: db.prepare('UPDATE onboarding_code SET ended_at = ? WHERE email_key = ? AND ended_at IS NULL'),
  endOne: db.prepare('UPDATE onboarding_code SET ended_at = ? WHERE id = ? AND ended_at IS NULL'),
  guessed: db.prepare(
    `UPDATE onboarding_code SET guesses = guesses + 1, ended_at = iif(guesses + 1 >= ${MAX_GUESSES}, ?, NULL) WHERE id = ? AND ended_at IS NULL`,
  ),
  forget: db.prepare('DELETE FROM onboarding_code WHERE created_at <= ?'),
})
