import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { PlanId } from '../../../catalog/index.ts'
import { taipei } from '../../core/index.ts'
import type { Vault } from '../../state/index.ts'
import { corruptionError, type Database, effectivePlan, type PlanSources, planColumns } from '../../state/index.ts'

/** The status a key is in at a moment. A key that expires is stored as active: this status follows from the clock. */
export type KeyStatus = 'active' | 'revoked' | 'expired'

/** The status in the state file. */
export type StoredKeyStatus = Exclude<KeyStatus, 'expired'>

/** @param expiresAt RFC 3339 in Taipei, as is `now`; null for a key that does not expire */
export const statusAt = (status: StoredKeyStatus, expiresAt: string | null, now: string): KeyStatus =>
  status === 'active' && expiresAt !== null && expiresAt <= now ? 'expired' : status

/** What authentication needs to know about a key. */
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

const COLUMNS = `k.id AS keyId, k.account_id AS accountId, k.status, k.expires_at AS expiresAt,
  (SELECT status FROM account WHERE id = k.account_id) AS accountStatus, ${planColumns('k.account_id')}`
const HOLDER = `SELECT ${COLUMNS} FROM api_key k WHERE k.lookup = ?`
const HOLDER_BY_ID = `SELECT ${COLUMNS} FROM api_key k WHERE k.id = ?`

/** Keys that are kept in memory. */
const MOST_KEYS = 10_000

/** A key as it was presented before. */
interface Known {
  /** A rotation gives it two, one of which is stored. */
  readonly digests: readonly Buffer[]
  /** Undefined where it was not found, which is looked up anew each time. */
  readonly stored: Stored | undefined
  /** `key_change.count` from before it was looked up. */
  readonly count: number
}

/**
 * Looks secrets up by their digest. A key that was found before is looked up again only once anything that decides on keys was changed in
 * the file, by whatever process: a count that triggers keep tells so, at a fifth of the cost.
 *
 * Keys in memory are named by their sha256 and never held themselves: the hash reveals nothing about 190 random bits, as it would about
 * anything shorter or guessable.
 *
 * @param db connection that looks keys up
 * @param most keys that are kept in memory
 * @param writer connection through which this process changes accounts and keys
 * @returns a function that returns the holder, of revoked and expired keys too; undefined for a secret that was never issued
 */
export function createKeyFinder(
  db: Database,
  vault: Vault,
  most = MOST_KEYS,
  writer = db,
): (secret: string, now: Date) => KeyHolder | undefined {
  const byLookup = db.prepare<[Buffer], Stored>(HOLDER)
  // Both look-ups see one snapshot: a rotation that commits between them would hide the key from each.
  const searchBoth = db.transaction((digests: readonly Buffer[]) => digests.map(digest => byLookup.get(digest)).find(Boolean))
  const countOf = createChangeCount(db, writer)
  const keys = new LRUCache<string, Known>({ max: most })
  return (secret, now) => {
    const name = hash('sha256', secret, 'base64url')
    const known = keys.get(name)
    const count = countOf()
    if (known?.stored && known.count === count) return holderAt(known.stored, taipei(now))
    const digests = known?.digests ?? vault.lookups(secret)
    const stored = digests.length === 1 ? byLookup.get(digests[0]!) : searchBoth(digests)
    keys.set(name, { digests, stored, count })
    return stored && holderAt(stored, taipei(now))
  }
}

/**
 * Looks holders up by the id of their key, for what was made in a key's name and does not carry it. What was found before is looked up again
 * under the same rule as secrets are.
 *
 * @param db connection that looks keys up
 * @param writer connection through which this process changes accounts and keys
 * @returns a function that returns the holder, of revoked and expired keys too; undefined for an id that was never given
 */
export function createHolderFinder(db: Database, writer = db): (keyId: string, now: Date) => KeyHolder | undefined {
  const byId = db.prepare<[string], Stored>(HOLDER_BY_ID)
  const countOf = createChangeCount(db, writer)
  const holders = new LRUCache<string, { readonly stored: Stored; readonly count: number }>({ max: MOST_KEYS })
  return (keyId, now) => {
    const [known, count] = [holders.get(keyId), countOf()]
    const stored = known?.count === count ? known.stored : byId.get(keyId)
    if (stored && stored !== known?.stored) holders.set(keyId, { stored, count })
    return stored && holderAt(stored, taipei(now))
  }
}

/**
 * How often what decides on keys was changed. Looking into the file takes a lock, so it is done once for all requests of one turn of the
 * event loop; what this process changes meanwhile, its connection counts itself.
 */
function createChangeCount(db: Database, writer: Database): () => number {
  const inFile = db.prepare<[], number>('SELECT count FROM key_change WHERE id = 1').pluck()
  const own = writer.prepare<[], number>('SELECT total_changes()').pluck()
  let [count, seen, fresh] = [-1, -1, false]
  const age = (): void => {
    fresh = false
  }
  return () => {
    const changed = own.get()!
    if (fresh && changed === seen) return count
    if (!fresh) setImmediate(age)
    ;[count, seen, fresh] = [inFile.get()!, changed, true]
    return count
  }
}

/** Keys that one check reads. */
const CHECKED = 50
/** Milliseconds for which a check that passed stands. */
const STANDS_MS = 1_000

const FURTHER = `SELECT k.rowid AS place, (SELECT f.rowid FROM api_key f WHERE f.lookup = k.lookup) AS found, ${COLUMNS}
  FROM api_key k WHERE k.rowid > ? ORDER BY k.rowid LIMIT ${CHECKED}`

/**
 * Reads a few keys from the file, as authentication does: by digest, with account and plan. Each check goes on after the keys of the one
 * before and in the end begins anew, so one check stays cheap however many keys there are, and in time every page of them is read.
 *
 * @returns a function that throws when the file cannot be read or a key is not found by its digest; it reads nothing within a second of a check that passed
 */
export function createKeyCheck(db: Database): () => void {
  const further = db.prepare<[number], Stored & { readonly place: number; readonly found: number | null }>(FURTHER)
  let [place, standsUntil] = [0, Number.NEGATIVE_INFINITY]
  return () => {
    if (performance.now() < standsUntil) return
    // Pages the connection remembers say nothing about the file.
    db.pragma('shrink_memory')
    const keys = further.all(place)
    if (keys.some(key => key.found !== key.place || key.accountStatus === null)) throw corruptionError('a key is not found by its digest')
    place = keys.length < CHECKED ? 0 : keys.at(-1)!.place
    standsUntil = performance.now() + STANDS_MS
  }
}

const holderAt = (stored: Stored, at: string): KeyHolder => ({
  keyId: stored.keyId,
  accountId: stored.accountId,
  accountStatus: stored.accountStatus,
  plan: effectivePlan(stored, at).plan,
  status: statusAt(stored.status, stored.expiresAt, at),
})
