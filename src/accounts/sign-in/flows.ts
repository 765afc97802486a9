import { newId, Refusal, taipei } from '../../core/index.ts'
import type { Database, Vault } from '../../state/index.ts'
import type { Email } from '../email.ts'
import { before, CODE_LIFE_MS, KEPT_MS } from './codes.ts'

/** Attempts of one flow. */
const MAX_ATTEMPTS = 5
/** Flows of one mail address at a time; a further one replaces another. */
const MAX_FLOWS = 20
/** Flows of one mail address begun from one network address: one stranger's attempts never end somebody's code. */
const MAX_FROM_ONE = 3

/** One start of a sign-in; only its caller knows the id. */
export interface Flow {
  readonly id: string
  readonly emailKey: string
}

/** A flow that has not expired, with or without attempts left. */
interface Begun {
  readonly id: string
  readonly origin: Buffer
  readonly attempts: number
  readonly createdAt: string
}

/** Starts of sign-ins, each with five attempts within ten minutes. */
export function createFlows(db: Database, vault: Vault) {
  const put = db.prepare('INSERT INTO onboarding_flow (id, email_key, origin, created_at) VALUES (?, ?, ?, ?)')
  const drop = db.prepare('DELETE FROM onboarding_flow WHERE id = ?')
  const begunSince = db.prepare<[string, string, string], Begun>(
    `SELECT id, origin, attempts, created_at AS createdAt FROM onboarding_flow
     WHERE email_key = ? AND created_at > ? AND created_at <= ? ORDER BY created_at, id`,
  )
  const flowAt = db.prepare<[string, string, string], Flow>(
    `SELECT id, email_key AS emailKey FROM onboarding_flow WHERE id = ? AND created_at > ? AND created_at <= ? AND attempts < ${MAX_ATTEMPTS}`,
  )
  const tried = db.prepare('UPDATE onboarding_flow SET attempts = attempts + 1 WHERE id = ?')
  const forget = db.prepare('DELETE FROM onboarding_flow WHERE created_at <= ?')
  return {
    /**
     * @param from the caller's network address, as limiters count it
     * @returns the id of a new flow
     * @throws Refusal rate_limited when that address has made attempts in as many flows as it may begin
     */
    begin({ key }: Email, from: string, now: Date): string {
      const [id, origin] = [newId('flow'), vault.lookup(`onboarding from|${from}`)]
      const outgoing = displaced(begunSince.all(key, before(now, CODE_LIFE_MS), taipei(now)), origin, now)
      if (outgoing) drop.run(outgoing.id)
      put.run(id, key, origin, taipei(now))
      return id
    },
    /** Counts an attempt. Undefined for a flow without attempts left, an expired one, and an unknown one. */
    take(id: string, now: Date): Flow | undefined {
      const flow = flowAt.get(id, before(now, CODE_LIFE_MS), taipei(now))
      if (flow) tried.run(flow.id)
      return flow
    },
    /** Erases flows older than a day. */
    forget: (now: Date): void => void forget.run(before(now, KEPT_MS)),
  }
}

/**
 * The flow to drop so that one more fits: the oldest without attempts from the same network address; when there are too many in all, one
 * from the network address that began most, so that whoever begins many flows displaces their own.
 *
 * @param begun oldest first
 * @throws Refusal rate_limited when every flow of this network address has been attempted
 */
function displaced(begun: readonly Begun[], origin: Buffer, now: Date): Begun | undefined {
  const byOrigin = Map.groupBy(begun, ({ origin }) => origin.toString('hex'))
  const own = byOrigin.get(origin.toString('hex')) ?? []
  if (own.length >= MAX_FROM_ONE) {
    const untouched = own.find(({ attempts }) => attempts === 0)
    if (untouched) return untouched
    const age = now.getTime() - Date.parse(own[0]!.createdAt)
    throw new Refusal('rate_limited', { retry_after: Math.max(1, secondsLeft(CODE_LIFE_MS - age)), limit: MAX_FROM_ONE })
  }
  if (begun.length < MAX_FLOWS) return undefined
  const fullest = [...byOrigin.values()].reduce((most, flows) => (flows.length > most.length ? flows : most))
  return fullest.find(({ attempts }) => attempts === 0 || attempts >= MAX_ATTEMPTS) ?? fullest[0]
}

/** Whole seconds to tell a caller, rounded up. */
export const secondsLeft = (ms: number): number => Math.max(0, Math.ceil(ms / 1_000))
