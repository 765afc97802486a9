import { randomInt, timingSafeEqual } from 'node:crypto'
import { taipei } from '../core/clock.ts'
import { newId } from '../core/ids.ts'
import type { Database } from './db.ts'
import type { Email } from './email.ts'
import { codeMail, type Locale } from './mail/code-mail.ts'
import type { Outbox } from './mail/outbox.ts'
import type { Vault } from './vault.ts'

const LIFE_MS = 10 * 60_000
const COOL_DOWN_MS = 60_000
const MOST_TRIES = 5
/** Codes mailed to one address in an hour. */
const MOST_AN_HOUR = 5
/** An address that began and never signed in is forgotten after this long. */
const KEPT_MS = 24 * 3_600_000

/** A code on its way, said in the same words to known and unknown addresses. */
export interface Started {
  readonly flowId: string
  /** Seconds. */
  readonly expiresIn: number
  readonly resendAfter: number
}

interface Flow {
  readonly id: string
  readonly email: string
  readonly codeHash: Buffer
  readonly attempts: number
  readonly createdAt: string
  readonly expiresAt: string
}

const SELECT = `SELECT id, email, code_hash AS codeHash, attempts, created_at AS createdAt, expires_at AS expiresAt FROM onboarding_flow WHERE ended_at IS NULL`

/** Sign-in by a code sent to an address: eight digits, ten minutes, five tries, once. */
export function onboardingStore(db: Database, vault: Vault, outbox: Outbox) {
  const insert = db.prepare(
    'INSERT INTO onboarding_flow (id, email, email_key, code_hash, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const live = db.prepare<[string, string], Flow>(
    `${SELECT} AND email_key = ? AND expires_at > ? AND attempts < ${MOST_TRIES} ORDER BY created_at DESC LIMIT 1`,
  )
  const byId = db.prepare<[string], Flow>(`${SELECT} AND id = ?`)
  const since = db.prepare<[string, string], { count: number }>(
    'SELECT count(*) AS count FROM onboarding_flow WHERE email_key = ? AND created_at > ?',
  )
  const end = db.prepare('UPDATE onboarding_flow SET ended_at = ? WHERE email_key = ? AND ended_at IS NULL')
  const endOne = db.prepare('UPDATE onboarding_flow SET ended_at = ? WHERE id = ? AND ended_at IS NULL')
  const tried = db.prepare('UPDATE onboarding_flow SET attempts = attempts + 1 WHERE id = ?')
  const forget = db.prepare('DELETE FROM onboarding_flow WHERE created_at <= ?')
  const words = (flowId: string, code: string): string => `onboarding|${flowId}|${code}`

  const begin = db.transaction((email: Email, locale: Locale, now: Date): Started => {
    const code = String(randomInt(100_000_000)).padStart(8, '0')
    const flowId = newId('flow')
    forget.run(taipei(new Date(now.getTime() - KEPT_MS)))
    end.run(taipei(now), email.key)
    insert.run(flowId, email.address, email.key, vault.lookup(words(flowId, code)), taipei(now), taipei(new Date(now.getTime() + LIFE_MS)))
    outbox.put({ to: email.address, ...codeMail(code, locale) }, now)
    return { flowId, expiresIn: LIFE_MS / 1_000, resendAfter: COOL_DOWN_MS / 1_000 }
  })
  return {
    /** Mails a code, unless one was mailed a moment ago or too many within the hour: then the code on its way still holds. */
    start(email: Email, locale: Locale, now: Date): Started {
      const running = live.get(email.key, taipei(now))
      const age = running ? now.getTime() - Date.parse(running.createdAt) : Number.POSITIVE_INFINITY
      const many = since.get(email.key, taipei(new Date(now.getTime() - 3_600_000)))!.count >= MOST_AN_HOUR
      if (!running && many) return { flowId: newId('flow'), expiresIn: LIFE_MS / 1_000, resendAfter: COOL_DOWN_MS / 1_000 }
      if (!running || (age >= COOL_DOWN_MS && !many)) return begin.immediate(email, locale, now)
      const left = Math.ceil((Date.parse(running.expiresAt) - now.getTime()) / 1_000)
      return { flowId: running.id, expiresIn: left, resendAfter: Math.max(0, Math.ceil((COOL_DOWN_MS - age) / 1_000)) }
    },
    /** The address whose code it is, or undefined for any reason at all. The right code works once; the fifth wrong one ends the flow. */
    complete(flowId: string, code: string, now: Date): string | undefined {
      const flow = byId.get(flowId)
      if (!flow || flow.expiresAt <= taipei(now) || flow.attempts >= MOST_TRIES) return undefined
      tried.run(flow.id)
      if (!vault.lookups(words(flow.id, code)).some(digest => timingSafeEqual(flow.codeHash, digest))) return undefined
      return endOne.run(taipei(now), flow.id).changes === 1 ? flow.email : undefined
    },
  }
}

export type Onboarding = ReturnType<typeof onboardingStore>
