import { DAY_MS, newId, taipei } from '../core/index.ts'
import type { Database, Vault } from '../state/index.ts'
import type { WebhookEvent } from './events.ts'
import { endpointOwnerOf, newEndpointSecret } from './signing.ts'

/** Why an endpoint is sent nothing: its owner turned it off, it answered 410, it failed for days, or the operator turned it off. */
export const DISABLED_REASONS = ['owner', 'gone', 'failing', 'operator'] as const
export type DisabledReason = (typeof DISABLED_REASONS)[number]

/** What the owner of an endpoint chooses. */
export interface EndpointChoice {
  readonly url: string
  readonly description: string
  readonly events: readonly WebhookEvent[]
  /** Slugs; every dataset where it is empty. */
  readonly datasets: readonly string[]
  /** Every symbol where it is empty. */
  readonly symbols: readonly string[]
}

/** An endpoint as its owner sees it, without its secret. Times are RFC 3339 in Taipei. */
export interface Endpoint extends EndpointChoice {
  readonly id: string
  readonly accountId: string
  readonly state: 'enabled' | 'disabled'
  /** Null while it is enabled. */
  readonly reason: DisabledReason | null
  readonly createdAt: string
  /** The first failure since the last message it took, or since two days without an attempt; null where it took the last one. */
  readonly failingSince: string | null
  /** Until when messages are signed with the former secret as well; null where there is none. */
  readonly formerUntil: string | null
  /** Until when its receiver asked to be sent nothing; null where it does not ask for that. */
  readonly heldUntil: string | null
  readonly waiting: number
}

type Stored = Omit<Endpoint, 'events' | 'datasets' | 'symbols'> & Readonly<Record<'events' | 'datasets' | 'symbols', string>>

/** How long messages are signed with the former secret, too. */
const ROTATION_MS = DAY_MS

const SELECT = `SELECT id, account_id AS accountId, url, description, events, datasets, symbols, state,
  CASE WHEN by_operator = 1 THEN 'operator' ELSE reason END AS reason, created_at AS createdAt,
  failing_since AS failingSince, CASE WHEN former_until > @now THEN former_until END AS formerUntil,
  CASE WHEN held_until > @now THEN held_until END AS heldUntil,
  (SELECT count(*) FROM webhook_delivery WHERE endpoint_id = webhook_endpoint.id AND state = 'waiting') AS waiting
  FROM webhook_endpoint WHERE account_id = @accountId`

/** The endpoints of accounts. The state file holds a sealed copy of each secret. */
export function createEndpointStore(db: Database, vault: Vault) {
  const list = db.prepare<object, Stored>(`${SELECT} ORDER BY created_at DESC, id`)
  const one = db.prepare<object, Stored>(`${SELECT} AND id = @id`)
  const insert = db.prepare(
    `INSERT INTO webhook_endpoint (id, account_id, url, description, events, datasets, symbols, state, sealed, created_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, 'enabled', ?, ?)`,
  )
  const choose = db.prepare('UPDATE webhook_endpoint SET url = ?, description = ?, events = ?, datasets = ?, symbols = ? WHERE id = ?')
  const beginAnew = db.prepare(
    'UPDATE webhook_endpoint SET failing_since = NULL, failed_at = NULL, failures = 0, told_at = NULL, held_until = NULL WHERE id = ?',
  )
  const urlOf = db.prepare<[string], string>('SELECT url FROM webhook_endpoint WHERE id = ?').pluck()
  const enable = db.prepare(
    "UPDATE webhook_endpoint SET state = 'enabled', reason = NULL, by_operator = 0 WHERE id = ? AND state = 'disabled'",
  )
  const hold = db.prepare('UPDATE webhook_endpoint SET held_until = ? WHERE id = ? AND url = ?')
  const disable = db.prepare(
    "UPDATE webhook_endpoint SET state = 'disabled', reason = ?, by_operator = ? WHERE id = ? AND (state = 'enabled' OR by_operator < ?)",
  )
  const giveUp = db.prepare("UPDATE webhook_delivery SET state = 'failed' WHERE endpoint_id = ? AND state = 'waiting'")
  const remove = db.prepare('DELETE FROM webhook_endpoint WHERE account_id = ? AND id = ?')
  const removeAll = db.prepare('DELETE FROM webhook_endpoint WHERE account_id = ?')
  const sealed = db.prepare<[string], { accountId: string; sealed: Buffer; former: Buffer | null; formerUntil: string | null }>(
    'SELECT account_id AS accountId, sealed, former, former_until AS formerUntil FROM webhook_endpoint WHERE id = ?',
  )
  const rotate = db.prepare('UPDATE webhook_endpoint SET former = sealed, former_until = ?, sealed = ? WHERE id = ?')
  const get = (accountId: string, id: string, now: Date): Endpoint | undefined => {
    const row = one.get({ accountId, id, now: taipei(now) })
    return row && read(row)
  }
  return {
    list: (accountId: string, now: Date): readonly Endpoint[] => list.all({ accountId, now: taipei(now) }).map(read),
    get,
    /** @returns the id of the new endpoint and its secret */
    create(accountId: string, choice: EndpointChoice, now: Date) {
      const [id, secret] = [newId('we'), newEndpointSecret()]
      const { url, description, events, datasets, symbols } = choice
      const lists = [events, datasets, symbols].map(values => JSON.stringify(values))
      insert.run(id, accountId, url, description, ...lists, vault.seal(secret, endpointOwnerOf(id, accountId)), taipei(now))
      return { id, secret }
    },
    /** Changes it. With another URL nothing is known of how it takes messages. */
    choose(id: string, { url, description, events, datasets, symbols }: EndpointChoice): void {
      if (urlOf.get(id) !== url) beginAnew.run(id)
      choose.run(url, description, ...[events, datasets, symbols].map(values => JSON.stringify(values)), id)
    },
    /** Events from now on are sent to it again; what was given up is sent where its owner asks for it. */
    enable(id: string): void {
      if (enable.run(id).changes === 1) beginAnew.run(id)
    },
    /** Sends it nothing until then, where it still has the URL that asked for it. */
    hold: (id: string, url: string, until: Date): void => void hold.run(taipei(until), id, url),
    /** Gives up what waits for it. True when this call disabled it, or took it from its owner, who had done so before. */
    disable(id: string, reason: DisabledReason): boolean {
      const stored = reason === 'operator' ? (['owner', 1] as const) : ([reason, 0] as const)
      const done = disable.run(...stored, id, stored[1]).changes === 1
      if (done) giveUp.run(id)
      return done
    },
    /** Deletes an endpoint with its secret and its deliveries. */
    remove(accountId: string, id: string): void {
      remove.run(accountId, id)
    },
    removeAll(accountId: string): void {
      removeAll.run(accountId)
    },
    /** Makes a new secret; the former one signs as well for a day. */
    rotate(accountId: string, id: string, now: Date): string {
      const secret = newEndpointSecret()
      rotate.run(taipei(new Date(now.getTime() + ROTATION_MS)), vault.seal(secret, endpointOwnerOf(id, accountId)), id)
      return secret
    },
    /** Secrets that messages are signed with, the one in use first; none for an endpoint that is gone. @throws Error when a stored copy does not open */
    secretsOf(id: string, now: Date): readonly string[] {
      const row = sealed.get(id)
      if (!row) return []
      const copies = row.former && row.formerUntil! > taipei(now) ? [row.sealed, row.former] : [row.sealed]
      return copies.map(copy => vault.open(copy, endpointOwnerOf(id, row.accountId)))
    },
  }
}

const read = ({ events, datasets, symbols, ...row }: Stored): Endpoint => ({
  ...row,
  events: JSON.parse(events) as readonly WebhookEvent[],
  datasets: JSON.parse(datasets) as readonly string[],
  symbols: JSON.parse(symbols) as readonly string[],
})

/** Ids of those that are enabled beyond as many as are allowed, the newest: no event is written for them. @param endpoints all of an account */
export function beyondAllowed(endpoints: readonly Endpoint[], allowed: number): ReadonlySet<string> {
  const ages = endpoints.filter(({ state }) => state === 'enabled').map(({ id, createdAt }) => [`${createdAt} ${id}`, id] as const)
  const oldestFirst = ages.toSorted(([one], [other]) => (one < other ? -1 : 1))
  return new Set(oldestFirst.slice(allowed).map(([, id]) => id))
}

/**
 * The one whose refusal by the operator holds for a URL, too; undefined where none does. Query and fragment are not compared: they would be
 * ways around it.
 *
 * @param endpoints all of an account
 */
export function refusedByOperator(endpoints: readonly Endpoint[], url: string): Endpoint | undefined {
  return endpoints.find(one => one.reason === 'operator' && withoutQuery(one.url) === withoutQuery(url))
}

/** A URL without user name, password, query and fragment. */
export function withoutQuery(url: string): string {
  const { origin, pathname } = new URL(url)
  return `${origin}${pathname}`
}

export type EndpointStore = ReturnType<typeof createEndpointStore>
