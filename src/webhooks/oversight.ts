import { PLANS } from '../../catalog/index.ts'
import type { AccountStore } from '../accounts/index.ts'
import { commandRefusal } from '../core/index.ts'
import type { Outbox } from '../mail/index.ts'
import type { AuditAction, AuditLog, Database } from '../state/index.ts'
import type { DeliveryRecord, DeliveryState, DeliveryStore } from './deliveries.ts'
import { type DisabledReason, type Endpoint, type EndpointStore, idsBeyondLimit, withoutQuery } from './endpoints.ts'
import { disabledMail, hostOf } from './failure-tracker.ts'

export interface OversightDeps {
  readonly db: Database
  readonly accounts: AccountStore
  readonly audit: AuditLog
  readonly outbox: Outbox
  readonly endpoints: EndpointStore
  readonly deliveries: DeliveryStore
}

/** Times are RFC 3339 in Taipei. */
export interface EndpointOverview {
  readonly id: string
  readonly accountId: string
  readonly email: string | null
  /** URL without credentials, query and fragment, which can contain tokens. */
  readonly url: string
  readonly state: Endpoint['state']
  readonly reason: DisabledReason | null
  readonly createdAt: string
  readonly failingSince: string | null
  readonly waiting: number
  /** Time of the next attempt. Null if no message is waiting. */
  readonly nextAt: string | null
}

const RESEND_BATCH = 500

const LIST = `SELECT w.id, w.account_id AS accountId, a.email, w.url, w.state, CASE WHEN w.by_operator = 1 THEN 'operator' ELSE w.reason END AS reason,
  w.created_at AS createdAt, w.failing_since AS failingSince, count(d.id) AS waiting, 
  max(min(d.next_at), coalesce(w.held_until, '')) AS nextAt
  FROM webhook_endpoint w JOIN account a ON a.id = w.account_id
  LEFT JOIN webhook_delivery d ON d.endpoint_id = w.id AND d.state = 'waiting'
  GROUP BY w.id ORDER BY w.failing_since IS NULL, w.failing_since, w.created_at DESC, w.id`

/**
 * Lets the operator manage endpoints of all accounts. Changes are audited in the same transaction.
 */
export function createWebhookOversight({ db, accounts, audit, outbox, endpoints, deliveries }: OversightDeps) {
  const list = db.prepare<[], EndpointOverview>(LIST)
  const ownerOf = db.prepare<[string], string>('SELECT account_id FROM webhook_endpoint WHERE id = ?').pluck()
  const getExisting = (id: string, now: Date): Endpoint => {
    const accountId = ownerOf.get(id)
    const endpoint = accountId === undefined ? undefined : endpoints.get(accountId, id, now)
    if (!endpoint) throw unknownEndpoint(id)
    return endpoint
  }
  const limitOf = ({ accountId }: Endpoint, now: Date): number => PLANS[accounts.byId(accountId, now)!.plan].webhookEndpoints
  const getEnabled = (id: string, now: Date): Endpoint => {
    const endpoint = getExisting(id, now)
    if (endpoint.state === 'disabled') throw disabledEndpoint(id)
    const limit = limitOf(endpoint, now)
    const all = endpoints.list(endpoint.accountId, now)
    if (idsBeyondLimit(all, limit).has(id)) throw beyondLimit(countEnabled(all), limit)
    return endpoint
  }
  const writeAudit = (action: AuditAction, { id, accountId }: Endpoint, facts: Readonly<Record<string, unknown>>, now: Date): void =>
    audit.write({ actor: 'operator', action, accountId, target: id, facts }, now)
  const inTransaction = <T>(work: () => T): T => db.transaction(work).immediate()
  return {
    /** The longest failing endpoint is first. Other endpoints follow, newest first. */
    list: (): readonly EndpointOverview[] => list.all().map(one => ({ ...one, url: withoutQuery(one.url) })),
    /**
     * Newest first.
     * @throws Refusal unknown_id
     */
    deliveries(id: string, { state, most }: { readonly state: DeliveryState | null; readonly most: number }): readonly DeliveryRecord[] {
      if (ownerOf.get(id) === undefined) throw unknownEndpoint(id)
      return deliveries.list(id, { state, before: null, most })
    },
    /**
     * Sends a message again, in any state.
     *
     * @throws Refusal unknown_id; conflict if the endpoint is disabled; webhook_limit if the
     * endpoint is above the plan's limit
     */
    resend: (id: string, messageId: string, now: Date): number =>
      inTransaction(() => {
        const endpoint = getEnabled(id, now)
        if (!deliveries.resend(id, messageId, now)) throw unknownMessage(id, messageId)
        writeAudit('webhook resent', endpoint, { message_id: messageId }, now)
        return 1
      }),
    /**
     * Sends undelivered messages again, in several transactions.
     *
     * @param since start time, RFC 3339 in Taipei
     * @returns number of messages
     * @throws Refusal unknown_id; conflict if the endpoint is disabled; webhook_limit if the
     * endpoint is above the plan's limit
     */
    resendSince(id: string, since: string, now: Date): number {
      let count = 0
      let isLeft = true
      while (isLeft)
        inTransaction(() => {
          const endpoint = getEnabled(id, now)
          const { resent, hasMore } = deliveries.resendSince(id, since, RESEND_BATCH, now)
          writeAudit('webhook resent', endpoint, { since, messages: resent }, now)
          count += resent
          isLeft = hasMore
        })
      return count
    },
    /**
     * Disables an endpoint and notifies the owner, who cannot enable the endpoint again.
     *
     * @returns false if the operator had already disabled the endpoint
     * @throws Refusal unknown_id
     */
    disable: (id: string, now: Date): boolean =>
      inTransaction(() => {
        const endpoint = getExisting(id, now)
        if (!endpoints.disable(id, 'operator')) return false
        writeAudit('webhook disabled', endpoint, { reason: 'operator' }, now)
        const email = accounts.byId(endpoint.accountId, now)?.email
        if (email) outbox.put({ to: email, ...disabledMail(hostOf(endpoint.url), id, 'operator') }, now, 'notice')
        return true
      }),
    /**
     * Enables an endpoint for future events.
     *
     * @returns false if the endpoint was already enabled
     * @throws Refusal unknown_id; webhook_limit if the account has too many enabled endpoints
     */
    enable: (id: string, now: Date): boolean =>
      inTransaction(() => {
        const endpoint = getExisting(id, now)
        if (endpoint.state === 'enabled') return false
        const active = countEnabled(endpoints.list(endpoint.accountId, now))
        const limit = limitOf(endpoint, now)
        if (active >= limit) throw limitReached(active, limit)
        endpoints.enable(id)
        writeAudit('webhook enabled', endpoint, {}, now)
        return true
      }),
  }
}

const countEnabled = (all: readonly Endpoint[]): number => all.filter(({ state }) => state === 'enabled').length

const unknownEndpoint = (id: string) =>
  commandRefusal('unknown_id', {}, `Webhook endpoint ${id} does not exist. List all endpoints with twmd webhooks list.`)
const unknownMessage = (id: string, messageId: string) =>
  commandRefusal(
    'unknown_id',
    {},
    `${id} has no message ${messageId}. List the messages of the last 30 days with twmd webhooks deliveries ${id}.`,
  )
const disabledEndpoint = (id: string) =>
  commandRefusal('conflict', {}, `${id} is disabled and receives no messages. Enable it first with twmd webhooks enable ${id}.`)
const beyondLimit = (active: number, allowed: number) =>
  commandRefusal(
    'webhook_limit',
    { allowed, active },
    `The account has ${active} enabled endpoints, its plan allows ${allowed}, and the newest ones receive no new messages. Disable an older endpoint first, or grant a higher plan.`,
  )
const limitReached = (active: number, allowed: number) =>
  commandRefusal(
    'webhook_limit',
    { allowed, active },
    `The account has ${active} enabled endpoints, and its plan allows ${allowed}. Disable another endpoint first, or grant a higher plan.`,
  )
