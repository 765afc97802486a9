import { newId, Refusal, taipei } from '../../core/index.ts'
import type { Email } from '../email.ts'
import type { Vault } from '../keys/vault.ts'
import type { Database } from '../state/db.ts'
import { before, KEPT_MS, LIFE_MS, seconds } from './life.ts'

/** Tries of one flow. */
const MOST_TRIES = 5
/** Flows of one address at a time; one more takes the place of another. */
const MOST_FLOWS = 20
/** Flows of one address begun from one place: what one stranger has of tries ends nobody's code. */
const MOST_FROM_ONE = 3

/** One start of a sign-in; only whoever made it knows its id. */
export interface Flow {
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

/** Starts of sign-ins, each with five tries within ten minutes. */
export function createFlows(db: Database, vault: Vault) {
  const put = db.prepare('INSERT INTO onboarding_flow (id, email_key, origin, created_at) VALUES (?, ?, ?, ?)')
  const drop = db.prepare('DELETE FROM onboarding_flow WHERE id = ?')
  const begunSince = db.prepare<[string, string], Begun>(
    `SELECT id, origin, attempts, created_at AS createdAt FROM onboarding_flow
     WHERE email_key = ? AND created_at > ? ORDER BY created_at, id`,
  )
  const flowAt = db.prepare<[string, string], Flow>(
    `SELECT id, email_key AS emailKey FROM onboarding_flow WHERE id = ? AND created_at > ? AND attempts < ${MOST_TRIES}`,
  )
  const tried = db.prepare('UPDATE onboarding_flow SET attempts = attempts + 1 WHERE id = ?')
  const forget = db.prepare('DELETE FROM onboarding_flow WHERE created_at <= ?')
  return {
    /**
     * @param from the caller's network address, as limiters count it
     * @returns the id of a new flow
     * @throws Refusal rate_limited when that place has tried in as many flows as it may
     */
    begin({ key }: Email, from: string, now: Date): string {
      const [id, origin] = [newId('flow'), vault.lookup(`onboarding from|${from}`)]
      const outgoing = givingWay(begunSince.all(key, before(now, LIFE_MS)), origin, now)
      if (outgoing) drop.run(outgoing.id)
      put.run(id, key, origin, taipei(now))
      return id
    },
    /** Counts a try. Undefined for a flow without tries left, one that is over, and one there never was. */
    take(id: string, now: Date): Flow | undefined {
      const flow = flowAt.get(id, before(now, LIFE_MS))
      if (flow) tried.run(flow.id)
      return flow
    },
    /** Erases flows of more than a day ago. */
    forget: (now: Date): void => void forget.run(before(now, KEPT_MS)),
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
