import { randomInt, timingSafeEqual } from 'node:crypto'
import { taipei } from '../core/clock.ts'
import { Refusal } from '../core/errors.ts'
import { newId } from '../core/ids.ts'
import type { Database } from './db.ts'
import type { Email } from './email.ts'
import { codeMail, type Locale } from './mail/code-mail.ts'
import type { Outbox } from './mail/outbox.ts'
import type { Vault } from './vault.ts'

const LIFE_MS = 10 * 60_000
const COOL_DOWN_MS = 60_000
/** Tries of one flow. */
const MOST_TRIES = 5
/** Wrong tries at one code, in whatever flows: fifty guesses at one in a hundred million. */
const MOST_GUESSES = 50
/** Flows of one address at a time; one more takes the place of another. */
const MOST_FLOWS = 20
/** Flows of one address begun from one place: what one stranger has of tries ends nobody's code. */
const MOST_FROM_ONE = 3
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

/** A code that was mailed and is neither used nor over. */
interface Code {
  readonly id: string
  readonly email: string
  readonly hash: Buffer
  readonly createdAt: string
}

/** One start of a sign-in; only whoever made it knows its id. */
interface Flow {
  readonly id: string
  readonly emailKey: string
}

/** A flow that is not over, burnt or not. */
interface Begun {
  readonly id: string
  readonly origin: Buffer
  readonly attempts: number
  readonly createdAt: string
}

const before = (now: Date, ms: number): string => taipei(new Date(now.getTime() - ms))
const seconds = (ms: number): number => Math.max(0, Math.ceil(ms / 1_000))

/**
 * Sign-in by a code sent to an address: eight digits, ten minutes, once. Every start is a flow with five tries of its own, in which the
 * newest code of the address works: whoever starts one for somebody else's address and tries wrong codes ends only their own flow. A code
 * ends with its fiftieth wrong try, in whatever flows.
 */
export function onboardingStore(db: Database, vault: Vault, outbox: Outbox) {
  const { live, since, putCode, endAll, endOne, guessed } = codesIn(db)
  const { putFlow, dropFlow, begunSince, flowAt, tried } = flowsIn(db)
  const forget = ['onboarding_code', 'onboarding_flow'].map(table => db.prepare(`DELETE FROM ${table} WHERE created_at <= ?`))
  const words = (codeId: string, code: string): string => `onboarding|${codeId}|${code}`

  const mail = (email: Email, locale: Locale, now: Date): void => {
    const [id, code] = [newId('code'), String(randomInt(100_000_000)).padStart(8, '0')]
    for (const one of forget) one.run(before(now, KEPT_MS))
    endAll.run(taipei(now), email.key)
    putCode.run(id, email.address, email.key, vault.lookup(words(id, code)), taipei(now), taipei(new Date(now.getTime() + LIFE_MS)))
    outbox.put({ to: email.address, ...codeMail(code, locale) }, now)
  }
  const begin = ({ key }: Email, from: string, now: Date): string => {
    const [id, origin] = [newId('flow'), vault.lookup(`onboarding from|${from}`)]
    const outgoing = givingWay(begunSince.all(key, before(now, LIFE_MS)), origin, now)
    if (outgoing) dropFlow.run(outgoing.id)
    putFlow.run(id, key, origin, taipei(now))
    return id
  }
  const start = db.transaction((email: Email, locale: Locale, from: string, now: Date): Started => {
    const running = live.get(email.key, taipei(now))
    const age = running ? now.getTime() - Date.parse(running.createdAt) : Number.POSITIVE_INFINITY
    const many = since.get(email.key, before(now, 3_600_000))!.count >= MOST_AN_HOUR
    const fresh = { expiresIn: seconds(LIFE_MS), resendAfter: seconds(COOL_DOWN_MS) }
    if (!running && many) return { flowId: newId('flow'), ...fresh }
    if (running && (age < COOL_DOWN_MS || many)) {
      const left = { expiresIn: seconds(LIFE_MS - age), resendAfter: seconds(COOL_DOWN_MS - age) }
      return { flowId: begin(email, from, now), ...left }
    }
    mail(email, locale, now)
    return { flowId: begin(email, from, now), ...fresh }
  })
  return {
    /**
     * Mails a code, unless one was mailed a moment ago or too many within the hour: then the code on its way still holds.
     *
     * @param from the caller's network address, as limiters count it
     * @throws Refusal rate_limited when that place has tried in as many flows as it may
     */
    start: (email: Email, locale: Locale, from: string, now: Date): Started => start.immediate(email, locale, from, now),
    /**
     * The address whose code it is, or undefined for any reason at all. The right code works once; the fifth wrong one ends the flow, the
     * fiftieth the code.
     */
    complete(flowId: string, given: string, now: Date): string | undefined {
      const flow = flowAt.get(flowId, before(now, LIFE_MS))
      if (!flow) return undefined
      tried.run(flow.id)
      const code = live.get(flow.emailKey, taipei(now))
      if (!code) return undefined
      if (!vault.lookups(words(code.id, given)).some(digest => timingSafeEqual(code.hash, digest)))
        return void guessed.run(taipei(now), code.id)
      return endOne.run(taipei(now), code.id).changes === 1 ? code.email : undefined
    },
  }
}

/**
 * The flow that makes room for one more: of the same place's its oldest untouched, else, where there are too many in all, one of the place
 * that began most, so that whoever begins many crowds out their own.
 *
 * @param begun oldest first
 */
function givingWay(begun: readonly Begun[], origin: Buffer, now: Date): Begun | undefined {
  const places = Map.groupBy(begun, ({ origin }) => origin.toString('hex'))
  const own = places.get(origin.toString('hex')) ?? []
  if (own.length >= MOST_FROM_ONE) {
    const untouched = own.find(({ attempts }) => attempts === 0)
    if (untouched) return untouched
    const age = now.getTime() - Date.parse(own[0]!.createdAt)
    throw new Refusal('rate_limited', { retry_after: Math.max(1, seconds(LIFE_MS - age)), limit: MOST_FROM_ONE })
  }
  if (begun.length < MOST_FLOWS) return undefined
  const fullest = [...places.values()].reduce((most, place) => (place.length > most.length ? place : most))
  return fullest.find(({ attempts }) => attempts === 0 || attempts >= MOST_TRIES) ?? fullest[0]
}

export type Onboarding = ReturnType<typeof onboardingStore>

const codesIn = (db: Database) => ({
  live: db.prepare<[string, string], Code>(
    `SELECT id, email, code_hash AS hash, created_at AS createdAt FROM onboarding_code
     WHERE ended_at IS NULL AND email_key = ? AND expires_at > ? ORDER BY created_at DESC LIMIT 1`,
  ),
  since: db.prepare<[string, string], { count: number }>(
    'SELECT count(*) AS count FROM onboarding_code WHERE email_key = ? AND created_at > ?',
  ),
  putCode: db.prepare('INSERT INTO onboarding_code (id, email, email_key, code_hash, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?)'),
  endAll: db.prepare('UPDATE onboarding_code SET ended_at = ? WHERE email_key = ? AND ended_at IS NULL'),
  endOne: db.prepare('UPDATE onboarding_code SET ended_at = ? WHERE id = ? AND ended_at IS NULL'),
  guessed: db.prepare(
    `UPDATE onboarding_code SET guesses = guesses + 1, ended_at = iif(guesses + 1 >= ${MOST_GUESSES}, ?, NULL) WHERE id = ? AND ended_at IS NULL`,
  ),
})

const flowsIn = (db: Database) => ({
  putFlow: db.prepare('INSERT INTO onboarding_flow (id, email_key, origin, created_at) VALUES (?, ?, ?, ?)'),
  dropFlow: db.prepare('DELETE FROM onboarding_flow WHERE id = ?'),
  begunSince: db.prepare<[string, string], Begun>(
    `SELECT id, origin, attempts, created_at AS createdAt FROM onboarding_flow
     WHERE email_key = ? AND created_at > ? ORDER BY created_at, id`,
  ),
  flowAt: db.prepare<[string, string], Flow>(
    `SELECT id, email_key AS emailKey FROM onboarding_flow WHERE id = ? AND created_at > ? AND attempts < ${MOST_TRIES}`,
  ),
  tried: db.prepare('UPDATE onboarding_flow SET attempts = attempts + 1 WHERE id = ?'),
})
