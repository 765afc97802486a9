import { randomInt, timingSafeEqual } from 'node:crypto'
import { newId, taipei } from '../../core/index.ts'
import type { Email } from '../email.ts'
import type { Vault } from '../keys/vault.ts'
import type { Database } from '../state/db.ts'
import { before, KEPT_MS, LIFE_MS } from './life.ts'

/** Wrong tries at one code, in whatever flows: fifty guesses at one in a hundred million. */
const MOST_GUESSES = 50
/** Codes mailed to one address in an hour. */
const MOST_AN_HOUR = 5

/** A code that was mailed and is neither used nor over. */
export interface Code {
  readonly id: string
  readonly email: string
  readonly hash: Buffer
  readonly createdAt: string
}

/** Codes sent to addresses: eight digits, ten minutes, once. Of one address the newest works. The state file holds their digests. */
export function createCodes(db: Database, vault: Vault) {
  const { live, since, put, endAll, endOne, guessed, forget } = statementsOn(db)
  return {
    /** The code of an address that works now. */
    live: (emailKey: string, now: Date): Code | undefined => live.get(emailKey, taipei(now)),
    /** True when an address has had as many codes within the hour as it may. */
    tooMany: (emailKey: string, now: Date): boolean => since.get(emailKey, before(now, 3_600_000))!.count >= MOST_AN_HOUR,
    /** Makes a new code in the place of any other. @returns its digits, which are to be mailed */
    make(email: Email, now: Date): string {
      const [id, code] = [newId('code'), String(randomInt(100_000_000)).padStart(8, '0')]
      endAll.run(taipei(now), email.key)
      put.run(id, email.address, email.key, vault.lookup(words(id, code)), taipei(now), taipei(new Date(now.getTime() + LIFE_MS)))
      return code
    },
    /** Uses a code up, or counts a wrong guess at it. @returns the address it was mailed to when the digits given are its own */
    use(code: Code, given: string, now: Date): string | undefined {
      if (!vault.lookups(words(code.id, given)).some(digest => timingSafeEqual(code.hash, digest)))
        return void guessed.run(taipei(now), code.id)
      return endOne.run(taipei(now), code.id).changes === 1 ? code.email : undefined
    },
    /** Erases codes of more than a day ago. */
    forget: (now: Date): void => void forget.run(before(now, KEPT_MS)),
  }
}

const words = (codeId: string, code: string): string => `onboarding|${codeId}|${code}`

const statementsOn = (db: Database) => ({
  live: db.prepare<[string, string], Code>(
    `SELECT id, email, code_hash AS hash, created_at AS createdAt FROM onboarding_code
     WHERE ended_at IS NULL AND email_key = ? AND expires_at > ? ORDER BY created_at DESC LIMIT 1`,
  ),
  since: db.prepare<[string, string], { count: number }>(
    'SELECT count(*) AS count FROM onboarding_code WHERE email_key = ? AND created_at > ?',
  ),
  put: db.prepare('INSERT INTO onboarding_code (id, email, email_key, code_hash, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)'),
  endAll: db.prepare('UPDATE onboarding_code SET ended_at = ? WHERE email_key = ? AND ended_at IS NULL'),
  endOne: db.prepare('UPDATE onboarding_code SET ended_at = ? WHERE id = ? AND ended_at IS NULL'),
  guessed: db.prepare(
    `UPDATE onboarding_code SET guesses = guesses + 1, ended_at = iif(guesses + 1 >= ${MOST_GUESSES}, ?, NULL) WHERE id = ? AND ended_at IS NULL`,
  ),
  forget: db.prepare('DELETE FROM onboarding_code WHERE created_at <= ?'),
})
