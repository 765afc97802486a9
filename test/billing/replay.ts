import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ended, type Ran, startTwmd } from '../fixtures/cli/twmd.ts'
import { SECRETS } from '../support.ts'
import { type Member, paidEnvironment, type Shop } from './shop.ts'

export const SINCE = ['--since', '2026-06-30']

/**
 * Writes the shop's secrets to its data folder, because commands need the secrets with which the
 * state file was written.
 */
export const writeSecrets = (s: Shop): void => writeFileSync(join(s.dir, 'secrets.json'), JSON.stringify(SECRETS), { mode: 0o600 })

/** Runs `twmd billing replay` while the shop runs. */
export const replay = (s: Shop, args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ran> => {
  const { DATA_DIR, ...rest } = paidEnvironment(s.dir, s.provider.url)
  return ended(startTwmd(DATA_DIR!, ['billing', 'replay', ...args], { ...rest, ...env }))
}

/**
 * Buys a plan while every webhook is dropped.
 *
 * @returns the subscription's id
 */
export async function buyUndelivered(s: Shop, member: Member): Promise<string> {
  await s.provider.delivery({ drop: 'all' })
  const { result } = await s.provider.complete((await s.checkout(member)).json.session_id)
  await s.provider.delivery({})
  return result['subscription'] as string
}
