import { DAY_MS, newId, taipei } from '../core/index.ts'
import type { Database, Vault } from '../state/index.ts'
import type { WebhookEvent } from './events.ts'
import { endpointOwnerOf, newEndpointSecret } from './signing.ts'

/** `gone` means status 410, `failing` means several days of failures. */
export const DISABLED_REASONS = ['owner', 'gone', 'failing', 'operator'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

export interface EndpointSettings {
  readonly url: string
  readonly description: string
  readonly events: readonly WebhookEvent[]
  /** Slugs of datasets. Empty for all datasets. */
  readonly datasets: readonly string[]
  /** Empty for all symbols. */
  readonly symbols: readonly string[]
}

/** Times are RFC 3339 in Taipei. */
export interface Endpoint extends EndpointSettings {
  readonly id: string
  readonly accountId: string
  readonly state: 'enabled' | 'disabled'
  /** Null if the endpoint is enabled. */
  readonly reason: DisabledReason | null
  readonly createdAt: string
  /** Time of the first failure since the last success. Null if the endpoint is not failing. */
  readonly failingSince: string | null
  /** Time until which messages have two signatures. Null if there is only one secret. */
  readonly formerUntil: string | null
  /** End of a pause that the receiver requested. Null if there is none. */
  readonly heldUntil: string | null
  readonly waiting: number
}

type StoredEndpoint = Omit<Endpoint, 'events' | 'datasets' | 'symbols'> & Readonly<Record<'events' | 'datasets' | 'symbols', string>>

const ROTATION_MS = DAY_MS

const SELECT = `SELECT id, account_id AS accountId, url, description, events, datasets, symbols, state,
  CASE WHEN by_operator = 1 THEN 'operator' ELSE reason END AS reason, created_at AS createdAt,
  failing_since AS failingSince, CASE WHEN former_until > @now THEN former_until END AS formerUntil,
  CASE WHEN held_until > @now THEN held_until END AS heldUntil,
  (SELECT count(*) FROM webhook_delivery WHERE endpoint_id = webhook_endpoint.id AND state = 'waiting') AS waiting
  FROM webhook_endpoint WHERE account_id = @accountId`

export function createEndpointStore(db: Database, vault: Vault) {
  const list = db.prepare<object, StoredEndpoint>(`${SELECT} ORDER BY created_at DESC, id`)
  const byId = db.prepare<object, StoredEndpoint>(`${SELECT} AND id = @id`)
  const insert = db.prepare(
    `INSERT INTO webhook_endpoint (id, account_id, url, description, events, datasets, symbols, state, sealed, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'enabled', ?, ?)`,
  )
  const update = db.prepare('UPDATE webhook_endpoint SET url = ?, description = ?, events = ?, datasets = ?, symbols = ? WHERE id = ?')
  const resetFailures = db.prepare(
    'UPDATE webhook_endpoint SET failing_since = NULL, failed_at = NULL, failures = 0, told_at = NULL, held_until = NULL WHERE id = ?',
  )
  const urlOf = db.prepare<[string], string>('SELECT url FROM webhook_endpoint WHERE id = ?').pluck()
  const enable = db.prepare(
    "UPDATE webhook_endpoint SET state = 'enabled', reason = NULL, by_operator = 0 WHERE id = ? AND state = 'disabled'",
  )
  const pauseUntil = db.prepare('UPDATE webhook_endpoint SET held_until = ? WHERE id = ? AND url = ?')
  const disable = db.prepare(
    "UPDATE webhook_endpoint SET state = 'disabled', reason = ?, by_operator = ? WHERE id = ? AND (state = 'enabled' OR by_operator < ?)",
  )
  const failWaiting = db.prepare("UPDATE webhook_delivery SET state = 'failed' WHERE endpoint_id = ? AND state = 'waiting'")
  const remove = db.prepare('DELETE FROM webhook_endpoint WHERE account_id = ? AND id = ?')
  const removeAll = db.prepare('DELETE FROM webhook_endpoint WHERE account_id = ?')
  const sealed = db.prepare<[string], { accountId: string; sealed: Buffer; former: Buffer | null; formerUntil: string | null }>(
    'SELECT account_id AS accountId, sealed, former, former_until AS formerUntil FROM webhook_endpoint WHERE id = ?',
  )
  const rotate = db.prepare('UPDATE webhook_endpoint SET former = sealed, former_until = ?, sealed = ? WHERE id = ?')
  const get = (accountId: string, id: string, now: Date): Endpoint | undefined => {
    const row = byId.get({ accountId, id, now: taipei(now) })
    return row && parseRow(row)
  }
  return {
    list: (accountId: string, now: Date): readonly Endpoint[] => list.all({ accountId, now: taipei(now) }).map(parseRow),
    get,
    create(accountId: string, settings: EndpointSettings, now: Date) {
      const id = newId('we')
      const secret = newEndpointSecret()
      const { url, description, events, datasets, symbols } = settings
      const lists = [events, datasets, symbols].map(values => JSON.stringify(values))
      insert.run(id, accountId, url, description, ...lists, vault.seal(secret, endpointOwnerOf(id, accountId)), taipei(now))
      return { id, secret }
    },
    /** If the URL changes, deletes the history of failures. */
    update(id: string, { url, description, events, datasets, symbols }: EndpointSettings): void {
      if (urlOf.get(id) !== url) resetFailures.run(id)
      update.run(url, description, ...[events, datasets, symbols].map(values => JSON.stringify(values)), id)
    },
    /** Enables an endpoint for future events. Failed messages are not repeated. */
    enable(id: string): void {
      if (enable.run(id).changes === 1) resetFailures.run(id)
    },
    /** Has no effect if the URL of the endpoint has changed. */
    pauseUntil: (id: string, url: string, until: Date): void => void pauseUntil.run(taipei(until), id, url),
    /**
     * Disables an endpoint, and marks its waiting messages as failed.
     *
     * @returns true if this call changed the endpoint
     */
    disable(id: string, reason: DisabledReason): boolean {
      const stored = reason === 'operator' ? (['owner', 1] as const) : ([reason, 0] as const)
      const changed = disable.run(...stored, id, stored[1]).changes === 1
      if (changed) failWaiting.run(id)
      return changed
    },
    remove(accountId: string, id: string): void {
      remove.run(accountId, id)
    },
    removeAll(accountId: string): void {
      removeAll.run(accountId)
    },
    /** Creates a new secret. The previous secret stays valid for a day. */
    rotate(accountId: string, id: string, now: Date): string {
      const secret = newEndpointSecret()
      rotate.run(taipei(new Date(now.getTime() + ROTATION_MS)), vault.seal(secret, endpointOwnerOf(id, accountId)), id)
      return secret
    },
    /**
     * Returns the current secret first. Empty if the endpoint was deleted.
     *
     * @throws Error if a stored secret cannot be decrypted
     */
    secretsOf(id: string, now: Date): readonly string[] {
      const row = sealed.get(id)
      if (!row) return []
      const copies = row.former && row.formerUntil! > taipei(now) ? [row.sealed, row.former] : [row.sealed]
      return copies.map(copy => vault.open(copy, endpointOwnerOf(id, row.accountId)))
    },
  }
}

const parseRow = ({ events, datasets, symbols, ...row }: StoredEndpoint): Endpoint => ({
  ...row,
  events: JSON.parse(events) as readonly WebhookEvent[],
  datasets: JSON.parse(datasets) as readonly string[],
  symbols: JSON.parse(symbols) as readonly string[],
})

/**
 * Returns the newest endpoints, which exceed the plan's limit and receive no events.
 *
 * @param endpoints all endpoints of an account
 */
export function idsBeyondLimit(endpoints: readonly Endpoint[], limit: number): ReadonlySet<string> {
  const ages = endpoints.filter(({ state }) => state === 'enabled').map(({ id, createdAt }) => [`${createdAt} ${id}`, id] as const)
  const oldestFirst = ages.toSorted(([left], [right]) => (left < right ? -1 : 1))
  return new Set(oldestFirst.slice(limit).map(([, id]) => id))
}

/**
 * Finds a URL that the operator disabled. Ignores the query.
 *
 * @param endpoints all endpoints of an account
 */
export function findBlockedByOperator(endpoints: readonly Endpoint[], url: string): Endpoint | undefined {
  return endpoints.find(one => one.reason === 'operator' && withoutQuery(one.url) === withoutQuery(url))
}

/** Also removes user name, password and fragment. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

export type EndpointStore = ReturnType<typeof createEndpointStore>
