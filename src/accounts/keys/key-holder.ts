import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { PlanId } from '../../../catalog/index.ts'
import { type Limits, taipei } from '../../core/index.ts'
import type { Vault } from '../../state/index.ts'
import { corruptionError, type Database, effectivePlan, limitsOn, type PlanSources, planColumns } from '../../state/index.ts'

/** An expired key is still `active` in the state file. */
export type KeyStatus = 'active' | 'revoked' | 'expired'

export type StoredKeyStatus = Exclude<KeyStatus, 'expired'>

/** @param expiresAt RFC 3339 in Taipei. Null if the key does not expire */
export const statusAt = (status: StoredKeyStatus, expiresAt: string | null, now: string): KeyStatus =>
  status === 'active' && expiresAt !== null && expiresAt <= now ? 'expired' : status

export interface KeyHolder {
  readonly keyId: string
  readonly accountId: string
  readonly plan: PlanId
  readonly status: KeyStatus
  readonly accountStatus: 'active' | 'closed'
  readonly suspendedFor: string | null
  readonly limits: Limits
}

interface StoredHolder extends PlanSources {
  readonly keyId: string
  readonly accountId: string
  readonly status: StoredKeyStatus
  readonly accountStatus: 'active' | 'closed'
  readonly suspendedFor: string | null
  readonly expiresAt: string | null
}

const COLUMNS = `k.id AS keyId, k.account_id AS accountId, k.status, k.expires_at AS expiresAt,
  (SELECT status FROM account WHERE id = k.account_id) AS accountStatus,
  (SELECT reason FROM account_suspension WHERE account_id = k.account_id) AS suspendedFor, ${planColumns('k.account_id')}`
const HOLDER = `SELECT ${COLUMNS} FROM api_key k WHERE k.lookup = ?`
const HOLDER_BY_ID = `SELECT ${COLUMNS} FROM api_key k WHERE k.id = ?`

const MAX_KEYS = 10_000

interface CachedKey {
  /** Has two digests while the digest key (the pepper) is replaced. */
  readonly digests: readonly Buffer[]
  /** Undefined for unknown keys. Unknown keys are looked up again on each request. */
  readonly stored: StoredHolder | undefined
  readonly count: number
}

/**
 * Looks up keys by their secret. Caches results until keys, plans or accounts change.
 *
 * @param maxKeys maximum number of cached keys
 * @param writer connection that writes changes of this process
 * @returns a function that also finds revoked and expired keys
 */
export function createKeyFinder(
  db: Database,
  vault: Vault,
  maxKeys = MAX_KEYS,
  writer = db,
): (secret: string, now: Date) => KeyHolder | undefined {
  const byLookup = db.prepare<[Buffer], StoredHolder>(HOLDER)
  // Reads in one transaction, because keys may change between two reads.
  const findInOneSnapshot = db.transaction((digests: readonly Buffer[]) => digests.map(digest => byLookup.get(digest)).find(Boolean))
  const countOf = createChangeCounter(db, writer)
  const keys = new LRUCache<string, CachedKey>({ max: maxKeys })
  return (secret, now) => {
    const name = hash('sha256', secret, 'base64url')
    const cached = keys.get(name)
    const count = countOf()
    if (cached?.stored && cached.count === count) return holderAt(cached.stored, taipei(now))
    const digests = cached?.digests ?? vault.lookups(secret)
    const stored = digests.length === 1 ? byLookup.get(digests[0]!) : findInOneSnapshot(digests)
    keys.set(name, { digests, stored, count })
    return stored && holderAt(stored, taipei(now))
  }
}

/**
 * Looks up keys by id. Caches results until keys, plans or accounts change.
 *
 * @param writer connection that writes changes of this process
 * @returns a function that also finds revoked and expired keys
 */
export function createHolderFinder(db: Database, writer = db): (keyId: string, now: Date) => KeyHolder | undefined {
  const byId = db.prepare<[string], StoredHolder>(HOLDER_BY_ID)
  const countOf = createChangeCounter(db, writer)
  const holders = new LRUCache<string, { readonly stored: StoredHolder; readonly count: number }>({ max: MAX_KEYS })
  return (keyId, now) => {
    const cached = holders.get(keyId)
    const count = countOf()
    const stored = cached?.count === count ? cached.stored : byId.get(keyId)
    if (stored && stored !== cached?.stored) holders.set(keyId, { stored, count })
    return stored && holderAt(stored, taipei(now))
  }
}

/** Reads the counter only once per turn of the event loop, because reading locks the file. */
function createChangeCounter(db: Database, writer: Database): () => number {
  const inFile = db.prepare<[], number>('SELECT count FROM key_change WHERE id = 1').pluck()
  const own = writer.prepare<[], number>('SELECT total_changes()').pluck()
  let count = -1
  let countedChanges = -1
  let fresh = false
  const expire = (): void => {
    fresh = false
  }
  return () => {
    const ownChanges = own.get()!
    if (fresh && ownChanges === countedChanges) return count
    if (!fresh) setImmediate(expire)
    count = inFile.get()!
    countedChanges = ownChanges
    fresh = true
    return count
  }
}

const KEYS_PER_CHECK = 50
const VALID_MS = 1_000

const NEXT_KEYS = `SELECT k.rowid AS place, (SELECT f.rowid FROM api_key f WHERE f.lookup = k.lookup) AS found, ${COLUMNS}
  FROM api_key k WHERE k.rowid > ? ORDER BY k.rowid LIMIT ${KEYS_PER_CHECK}`

/**
 * Checks the key table for damage, a few keys per call.
 *
 * @returns a function that throws if the file is damaged
 */
export function createKeyCheck(db: Database): () => void {
  const nextKeys = db.prepare<[number], StoredHolder & { readonly place: number; readonly found: number | null }>(NEXT_KEYS)
  let place = 0
  let validUntil = Number.NEGATIVE_INFINITY
  return () => {
    if (performance.now() < validUntil) return
    // Empties the page cache, which would hide damage in the file.
    db.pragma('shrink_memory')
    const keys = nextKeys.all(place)
    if (keys.some(key => key.found !== key.place || key.accountStatus === null)) throw corruptionError('an index of the keys is damaged')
    place = keys.length < KEYS_PER_CHECK ? 0 : keys.at(-1)!.place
    validUntil = performance.now() + VALID_MS
  }
}

function holderAt(stored: StoredHolder, now: string): KeyHolder {
  const { plan } = effectivePlan(stored, now)
  return {
    keyId: stored.keyId,
    accountId: stored.accountId,
    accountStatus: stored.accountStatus,
    suspendedFor: stored.suspendedFor,
    plan,
    limits: limitsOn(plan, stored),
    status: statusAt(stored.status, stored.expiresAt, now),
  }
}
