import { hash } from 'node:crypto'
import type { PlanId } from '../../../catalog/index.ts'
import { taipei } from '../../core/index.ts'
import { effectivePlan, type PlanSources, planColumns } from '../plan.ts'
import type { Database } from '../state/db.ts'
import { type KeyStatus, type StoredKeyStatus, statusAt } from './key-status.ts'
import type { Vault } from './vault.ts'

/** A key as the gate needs it. */
export interface KeyHolder {
  readonly keyId: string
  readonly accountId: string
  readonly plan: PlanId
  readonly status: KeyStatus
  readonly accountStatus: 'active' | 'closed'
}

interface Stored extends PlanSources {
  readonly keyId: string
  readonly accountId: string
  readonly status: StoredKeyStatus
  readonly accountStatus: 'active' | 'closed'
  readonly expiresAt: string | null
}

const HOLDER = `SELECT k.id AS keyId, k.account_id AS accountId, k.status, k.expires_at AS expiresAt,
  (SELECT status FROM account WHERE id = k.account_id) AS accountStatus, ${planColumns('k.account_id')} FROM api_key k WHERE k.lookup = ?`

/**
 * Looks secrets up, by their digest. During a rotation a secret has two, of which one is stored.
 *
 * @returns a function that answers the holder, of revoked and expired keys too; undefined for a secret that was never issued
 */
export function createKeyFinder(db: Database, vault: Vault): (secret: string, now: Date) => KeyHolder | undefined {
  const byLookup = db.prepare<[Buffer], Stored>(HOLDER)
  // One view of the file for both looks: a rotation that commits between them would hide the key from each.
  const searchBoth = db.transaction((digests: readonly Buffer[]) => digests.map(digest => byLookup.get(digest)).find(Boolean))
  const digestsOf = digestsKept(vault)
  return (secret, now) => {
    const digests = digestsOf(secret)
    const stored = digests.length === 1 ? byLookup.get(digests[0]!) : searchBoth(digests)
    return stored && holderAt(stored, taipei(now))
  }
}

/** Keys whose digests are kept at once. */
const MOST_KEPT = 10_000

/**
 * A caller sends the same key with every request, so its digests are kept. The key itself is not: they go by its sha256, which tells
 * nothing of 190 random bits, as it would of anything shorter or guessable.
 */
function digestsKept(vault: Vault): (key: string) => readonly Buffer[] {
  const kept = new Map<string, readonly Buffer[]>()
  return key => {
    const name = hash('sha256', key, 'base64url')
    const known = kept.get(name)
    if (known) return known
    const made = vault.lookups(key)
    if (kept.size >= MOST_KEPT) kept.clear()
    kept.set(name, made)
    return made
  }
}

const holderAt = (stored: Stored, at: string): KeyHolder => ({
  keyId: stored.keyId,
  accountId: stored.accountId,
  accountStatus: stored.accountStatus,
  plan: effectivePlan(stored, at).plan,
  status: statusAt(stored.status, stored.expiresAt, at),
})
