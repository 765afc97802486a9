import { PLANS } from '../../catalog/index.ts'
import type { AccountStore } from '../accounts/index.ts'
import { commandRefusal } from '../core/index.ts'
import type { Outbox } from '../mail/index.ts'
import type { AuditAction, AuditLog, Database } from '../state/index.ts'
import type { DeliveryRecord, DeliveryState, DeliveryStore } from './deliveries.ts'
import { beyondAllowed, type DisabledReason, type Endpoint, type EndpointStore, withoutQuery } from './endpoints.ts'
import { disabledMail, hostOf } from './failing.ts'

/** What the operator's view of endpoints works on. */
export interface OversightDeps {
  readonly db: Database
  readonly accounts: AccountStore
  readonly audit: AuditLog
  readonly outbox: Outbox
  readonly endpoints: EndpointStore
  readonly deliveries: DeliveryStore
}

/** An endpoint as the operator sees it. Times are RFC 3339 in Taipei. */
export interface OverseenEndpoint {
  readonly id: string
  readonly accountId: string
  /** Null for an account that is closed. */
  readonly email: string | null
  /** Without query, which holds tokens of receivers, user name, password and fragment. Its path may be a secret of the receiver. */
  readonly url: string
  readonly state: Endpoint['state']
  readonly reason: DisabledReason | null
  readonly createdAt: string
  readonly failingSince: string | null
  /** Messages that wait to be sent. */
  readonly waiting: number
  /** When the next of them is tried; null where none waits. */
  readonly nextAt: string | null
}

/** Messages that one transaction sends again. */
const MOST_AT_ONCE = 500

const LIST = `SELECT w.id, w.account_id AS accountId, a.email, w.url, w.state, CASE WHEN w.by_operator = 1 THEN 'operator' ELSE w.reason END AS reason,
  w.created_at AS createdAt, w.failing_since AS failingSince, count(d.id) AS waiting, 
  max(min(d.next_at), coalesce(w.held_until, '')) AS nextAt
  FROM webhook_endpoint w JOIN account a ON a.id = w.account_id
  LEFT JOIN webhook_delivery d ON d.endpoint_id = w.id AND d.state = 'waiting'
  GROUP BY w.id ORDER BY w.failing_since IS NULL, w.failing_since, w.created_at DESC, w.id`

/** Endpoints of every account, for whoever runs the service. What is changed goes into the audit log, in one transaction with the change. */
export function createWebhookOversight({ db, accounts, audit, outbox, endpoints, deliveries }: OversightDeps) {
  const list = db.prepare<[], OverseenEndpoint>(LIST)
  const ownerOf = db.prepare<[string], string>('SELECT account_id FROM webhook_endpoint WHERE id = ?').pluck()
  const existing = (id: string, now: Date): Endpoint => {
    const accountId = ownerOf.get(id)
    const endpoint = accountId === undefined ? undefined : endpoints.get(accountId, id, now)
    if (!endpoint) throw noEndpoint(id)
    return endpoint
  }
  const allowedOf = ({ accountId }: Endpoint, now: Date): number => PLANS[accounts.byId(accountId, now)!.plan].webhookEndpoints
  const enabled = (id: string, now: Date): Endpoint => {
    const endpoint = existing(id, now)
    if (endpoint.state === 'disabled') throw isDisabled(id)
    const [allowed, all] = [allowedOf(endpoint, now), endpoints.list(endpoint.accountId, now)]
    if (beyondAllowed(all, allowed).has(id)) throw isBeyond(activeOf(all), allowed)
    return endpoint
  }
  const note = (action: AuditAction, { id, accountId }: Endpoint, facts: Readonly<Record<string, unknown>>, now: Date): void =>
    audit.write({ actor: 'operator', action, accountId, target: id, facts }, now)
  const inTransaction = <T>(work: () => T): T => db.transaction(work).immediate()
  return {
    /** Those that fail first, the longest first; then the newest. */
    list: (): readonly OverseenEndpoint[] => list.all().map(one => ({ ...one, url: withoutQuery(one.url) })),
    /** What was sent to one, newest first, with every attempt. @throws Refusal unknown_id */
    deliveries(id: string, { state, most }: { readonly state: DeliveryState | null; readonly most: number }): readonly DeliveryRecord[] {
      if (ownerOf.get(id) === undefined) throw noEndpoint(id)
      return deliveries.list(id, { state, before: null, most })
    },
    /** Sends one message again, whatever became of it. @throws Refusal unknown_id of either, conflict for an endpoint that is disabled, webhook_limit for one beyond the plan */
    resend: (id: string, messageId: string, now: Date): number =>
      inTransaction(() => {
        const endpoint = enabled(id, now)
        if (!deliveries.resend(id, messageId, now)) throw noMessage(id, messageId)
        note('webhook resent', endpoint, { message_id: messageId }, now)
        return 1
      }),
    /**
     * Sends again what was written since and did not arrive, as many at a time as one transaction may take.
     *
     * @param since RFC 3339 in Taipei
     * @returns how many messages
     * @throws Refusal unknown_id, conflict for an endpoint that is disabled, webhook_limit for one beyond the plan
     */
    resendSince(id: string, since: string, now: Date): number {
      let [count, isLeft] = [0, true]
      while (isLeft)
        inTransaction(() => {
          const endpoint = enabled(id, now)
          const { resent, hasMore } = deliveries.resendSince(id, since, MOST_AT_ONCE, now)
          note('webhook resent', endpoint, { since, messages: resent }, now)
          count += resent
          isLeft = hasMore
        })
      return count
    },
    /**
     * Gives up what waits for it, and tells its owner by mail; until `enable`, its owner cannot turn it on, delete it, or send to its URL. False where the operator had
     * disabled it before.
     *
     * @throws Refusal unknown_id
     */
    disable: (id: string, now: Date): boolean =>
      inTransaction(() => {
        const endpoint = existing(id, now)
        if (!endpoints.disable(id, 'operator')) return false
        note('webhook disabled', endpoint, { reason: 'operator' }, now)
        const email = accounts.byId(endpoint.accountId, now)?.email
        if (email) outbox.put({ to: email, ...disabledMail(hostOf(endpoint.url), id, 'operator') }, now, 'notice')
        return true
      }),
    /**
     * Events from now on are sent to it again. False where it was enabled before.
     *
     * @throws Refusal unknown_id, webhook_limit where its account has as many enabled as its plan allows
     */
    enable: (id: string, now: Date): boolean =>
      inTransaction(() => {
        const endpoint = existing(id, now)
        if (endpoint.state === 'enabled') return false
        const [active, allowed] = [activeOf(endpoints.list(endpoint.accountId, now)), allowedOf(endpoint, now)]
        if (active >= allowed) throw overLimit(active, allowed)
        endpoints.enable(id)
        note('webhook enabled', endpoint, {}, now)
        return true
      }),
  }
}

const activeOf = (all: readonly Endpoint[]): number => all.filter(({ state }) => state === 'enabled').length

const noEndpoint = (id: string) =>
  commandRefusal('unknown_id', {}, `There is no webhook endpoint ${id}; twmd webhooks list prints all of them.`)
const noMessage = (id: string, messageId: string) =>
  commandRefusal(
    'unknown_id',
    {},
    `${id} has no message ${messageId} on record; twmd webhooks deliveries ${id} lists those of thirty days.`,
  )
const isDisabled = (id: string) =>
  commandRefusal('conflict', {}, `${id} is disabled, so nothing is sent to it; enable it first with twmd webhooks enable ${id}.`)
const isBeyond = (active: number, allowed: number) =>
  commandRefusal(
    'webhook_limit',
    { allowed, active },
    `The account has ${active} enabled endpoints and its plan allows ${allowed}; this is one of the newest, which are sent nothing new. Disable an older one first, or grant a higher plan.`,
  )
const overLimit = (active: number, allowed: number) =>
  commandRefusal(
    'webhook_limit',
    { allowed, active },
    `The account has ${active} enabled endpoints and its plan allows ${allowed}; disable another one first, or grant a higher plan.`,
  )
