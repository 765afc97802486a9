import { newId, Refusal, taipei } from '../../core/index.ts'
import type { Database, Vault } from '../../state/index.ts'
import type { Email } from '../email.ts'
import { CODE_LIFETIME_MS, msAgo, RETENTION_MS } from './codes.ts'

const MAX_ATTEMPTS = 5
const MAX_FLOWS = 20
/** With this limit, an attacker at one network address cannot use up the 50 attempts of a code. */
const MAX_FLOWS_PER_ORIGIN = 3

/** A started sign-in. Only the caller that started the sign-in knows the id. */
export interface Flow {
  readonly id: string
  readonly emailKey: string
}

interface OpenFlow {
  readonly id: string
  readonly origin: Buffer
  readonly attempts: number
  readonly createdAt: string
}

/** Stores started sign-ins, with five attempts within ten minutes. */
export function createFlows(db: Database, vault: Vault) {
  const insert = db.prepare('INSERT INTO onboarding_flow (id, email_key, origin, created_at) VALUES (?, ?, ?, ?)')
  const remove = db.prepare('DELETE FROM onboarding_flow WHERE id = ?')
  const openFlows = db.prepare<[string, string, string], OpenFlow>(
    `SELECT id, origin, attempts, created_at AS createdAt FROM onboarding_flow
     WHERE email_key = ? AND created_at > ? AND created_at <= ? ORDER BY created_at, id`,
  )
  const flowAt = db.prepare<[string, string, string], Flow>(
    `SELECT id, email_key AS emailKey FROM onboarding_flow WHERE id = ? AND created_at > ? AND created_at <= ? AND attempts < ${MAX_ATTEMPTS}`,
  )
  const countAttempt = db.prepare('UPDATE onboarding_flow SET attempts = attempts + 1 WHERE id = ?')
  const deleteOlder = db.prepare('DELETE FROM onboarding_flow WHERE created_at <= ?')
  return {
    /**
     * @param address network address of the caller
     * @returns the id of the new sign-in
     * @throws Refusal rate_limited if the network address has too many started sign-ins
     */
    begin({ key }: Email, address: string, now: Date): string {
      const id = newId('flow')
      const origin = vault.lookup(`onboarding from|${address}`)
      const displaced = flowToDisplace(openFlows.all(key, msAgo(now, CODE_LIFETIME_MS), taipei(now)), origin, now)
      if (displaced) remove.run(displaced.id)
      insert.run(id, key, origin, taipei(now))
      return id
    },
    /** @returns undefined if the sign-in is unknown, expired or has no attempts left */
    countAttempt(id: string, now: Date): Flow | undefined {
      const flow = flowAt.get(id, msAgo(now, CODE_LIFETIME_MS), taipei(now))
      if (flow) countAttempt.run(flow.id)
      return flow
    },
    deleteOld: (now: Date): void => void deleteOlder.run(msAgo(now, RETENTION_MS)),
  }
}

/**
 * Returns the started sign-in that a new sign-in replaces. Prefers the oldest sign-in from the same
 * network address in which no code was tried.
 *
 * @param flows oldest first
 * @returns undefined if no sign-in needs to be replaced
 * @throws Refusal rate_limited if no sign-in can be replaced
 */
function flowToDisplace(flows: readonly OpenFlow[], origin: Buffer, now: Date): OpenFlow | undefined {
  const byOrigin = Map.groupBy(flows, ({ origin }) => origin.toString('hex'))
  const own = byOrigin.get(origin.toString('hex')) ?? []
  if (own.length >= MAX_FLOWS_PER_ORIGIN) {
    const untouched = own.find(({ attempts }) => attempts === 0)
    if (untouched) return untouched
    const age = now.getTime() - Date.parse(own[0]!.createdAt)
    throw new Refusal('rate_limited', { retry_after: Math.max(1, secondsLeft(CODE_LIFETIME_MS - age)), limit: MAX_FLOWS_PER_ORIGIN })
  }
  if (flows.length < MAX_FLOWS) return undefined
  const fullest = [...byOrigin.values()].reduce((most, candidate) => (candidate.length > most.length ? candidate : most))
  return fullest.find(({ attempts }) => attempts === 0 || attempts >= MAX_ATTEMPTS) ?? fullest[0]
}

export const secondsLeft = (ms: number): number => Math.max(0, Math.ceil(ms / 1_000))
