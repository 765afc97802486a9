import { type Catalog, PLANS } from '../../../catalog/index.ts'
import { type Config, inputRefusal, Refusal, taipei, type Words } from '../../core/index.ts'
import { findDataset } from '../../coverage/index.ts'
import {
  type DeliveryRecord,
  type EndpointSettings,
  findBlockedByOperator,
  idsBeyondLimit,
  WEBHOOK_EVENTS,
  type WebhookEndpoint,
  type WebhookEvent,
} from '../../webhooks/index.ts'
import type { AccountDeps, AuditedCall, SignedInCaller } from './callers.ts'
import { guardSecret } from './manage-keys.ts'
import { settingsFaults } from './webhook-settings.ts'

export const MAX_FILTERS = { datasets: 50, symbols: 500 } as const

/** Maximum number of disabled endpoints in addition to the plan's limit. */
const MAX_DISABLED = 5
/** Test events are refused while the endpoint has this many undelivered messages. */
const MAX_WAITING_FOR_TEST = 20
export const MAX_RESENT = 500

/** Absent settings keep their value. For a new endpoint, absent settings get their default. */
export interface WebhookInput {
  readonly url?: string | undefined
  readonly description?: string | undefined
  readonly events?: readonly WebhookEvent[] | undefined
  readonly datasets?: readonly string[] | undefined
  readonly symbols?: readonly string[] | undefined
  readonly enabled?: boolean | undefined
}

interface EndpointReference {
  readonly webhook_id: string
}

export type WebhookDeps = AccountDeps & { readonly catalog: Catalog; readonly config: Pick<Config, 'webhookPrivateHosts'> }

const ALL_EVENTS = Object.keys(WEBHOOK_EVENTS) as readonly WebhookEvent[]

/** Endpoints of other accounts are refused as unknown. */
export function createManageWebhooks(deps: WebhookDeps) {
  const { control, clock, catalog, log } = deps
  const { endpoints, deliveries, test } = control.webhooks
  const getExisting = ({ account }: SignedInCaller, { webhook_id: id }: EndpointReference): WebhookEndpoint => {
    const endpoint = endpoints.get(account.id, id, clock())
    if (!endpoint) throw new Refusal('unknown_id')
    return endpoint
  }
  const getEnabled = (caller: SignedInCaller, reference: EndpointReference): WebhookEndpoint => {
    const endpoint = getExisting(caller, reference)
    if (endpoint.state === 'disabled') throw new Refusal('conflict', {}, DISABLED)
    const limit = limitOf(caller)
    const all = list(caller)
    if (idsBeyondLimit(all, limit).has(endpoint.id))
      throw new Refusal('webhook_limit', { allowed: limit, active: countEnabled(all) }, OVER_LIMIT)
    return endpoint
  }
  const audited = <T>(
    action: 'created' | 'changed' | 'deleted' | 'secret rotated',
    { account }: SignedInCaller,
    requestId: string,
    work: () => readonly [id: string, T],
  ): T =>
    control.transaction(() => {
      const [target, result] = work()
      control.audit.write({ actor: account.id, action: `webhook ${action}`, accountId: account.id, target, requestId }, clock())
      return result
    })
  const validate = (input: WebhookInput, current: EndpointSettings): EndpointSettings => {
    const datasets = (input.datasets ?? current.datasets).map(name => findDataset(catalog, name)?.slug ?? name)
    const settings = {
      url: input.url ?? current.url,
      description: input.description ?? current.description,
      events: [...new Set(input.events ?? current.events)],
      datasets: [...new Set(datasets)],
      symbols: [...new Set(input.symbols ?? current.symbols)],
    }
    const faults = settingsFaults(deps, settings)
    if (faults.length > 0) throw inputRefusal(faults)
    return settings
  }
  const limitOf = ({ account }: SignedInCaller): number => PLANS[account.plan].webhookEndpoints
  const requireBelowLimit = (caller: SignedInCaller, others: readonly WebhookEndpoint[]): void => {
    const limit = limitOf(caller)
    const active = countEnabled(others)
    if (active >= limit) throw new Refusal('webhook_limit', { allowed: limit, active })
  }
  const list = ({ account }: SignedInCaller): readonly WebhookEndpoint[] => endpoints.list(account.id, clock())
  const views = (caller: SignedInCaller) => {
    const all = list(caller)
    const beyondLimit = idsBeyondLimit(all, limitOf(caller))
    return all.map(one => endpointView(one, beyondLimit.has(one.id)))
  }
  const view = (caller: SignedInCaller, reference: EndpointReference) => {
    const { id } = getExisting(caller, reference)
    return views(caller).find(one => one.webhook_id === id)!
  }
  return {
    /** Newest first. */
    list(caller: SignedInCaller) {
      const data = views(caller)
      return { data, data_count: data.length, allowed: limitOf(caller) }
    },
    get: view,
    /**
     * @returns the endpoint with the secret
     * @throws Refusal webhook_limit, invalid_parameter; conflict if the operator blocked the URL
     */
    create(caller: SignedInCaller, input: WebhookInput & { readonly url: string }, { requestId }: AuditedCall) {
      const settings = validate(input, { url: input.url, description: '', events: ALL_EVENTS, datasets: [], symbols: [] })
      const others = list(caller)
      if (findBlockedByOperator(others, settings.url)) throw new Refusal('conflict', {}, BY_OPERATOR)
      requireBelowLimit(caller, others)
      const maxEndpoints = limitOf(caller) + MAX_DISABLED
      if (others.length >= maxEndpoints)
        throw new Refusal('webhook_limit', { allowed: maxEndpoints, kept: others.length }, TOO_MANY_ENDPOINTS)
      const { id, secret } = audited('created', caller, requestId, () => {
        const created = endpoints.create(caller.account.id, settings, clock())
        return [created.id, created]
      })
      return { ...view(caller, { webhook_id: id }), secret }
    },
    /**
     * @throws Refusal unknown_id, webhook_limit, invalid_parameter; conflict if the operator
     * blocked the new URL or disabled the endpoint
     */
    change(caller: SignedInCaller, reference: EndpointReference, input: WebhookInput, { requestId }: AuditedCall) {
      const current = getExisting(caller, reference)
      const settings = validate(input, current)
      const isNewUrl = settings.url !== current.url
      if (current.reason === 'operator' && (input.enabled || isNewUrl)) throw new Refusal('conflict', {}, BY_OPERATOR)
      if (isNewUrl && findBlockedByOperator(list(caller), settings.url)) throw new Refusal('conflict', {}, BY_OPERATOR)
      if (input.enabled && current.state === 'disabled') requireBelowLimit(caller, list(caller))
      audited('changed', caller, requestId, () => {
        endpoints.update(current.id, settings)
        if (input.enabled === true) endpoints.enable(current.id)
        if (input.enabled === false) endpoints.disable(current.id, 'owner')
        return [current.id, undefined]
      })
      return view(caller, reference)
    },
    /**
     * Deletes an endpoint and all messages.
     * @throws Refusal unknown_id; conflict if the operator disabled the endpoint, because the
     * stored endpoint blocks the URL
     */
    remove(caller: SignedInCaller, reference: EndpointReference, { requestId }: AuditedCall) {
      const { id, reason } = getExisting(caller, reference)
      if (reason === 'operator') throw new Refusal('conflict', {}, BY_OPERATOR)
      audited('deleted', caller, requestId, () => {
        endpoints.remove(caller.account.id, id)
        return [id, undefined]
      })
      return { webhook_id: id, deleted: true as const }
    },
    /** Shows the secret again. @throws Refusal unknown_id, integrity; errors of `guardSecret` */
    reveal(caller: SignedInCaller, reference: EndpointReference, { requestId }: AuditedCall) {
      const { id } = getExisting(caller, reference)
      guardSecret(deps.gate, caller, clock())
      const [secret] = secretsOf(id, requestId)
      const { id: accountId } = caller.account
      control.audit.write({ actor: accountId, action: 'webhook secret revealed', accountId, target: id, requestId }, clock())
      return { webhook_id: id, secret: secret!, revealed_at: taipei(clock()) }
    },
    /**
     * Creates a new secret. For one day, messages have signatures with both secrets.
     * @throws Refusal unknown_id
     */
    rotate(caller: SignedInCaller, reference: EndpointReference, { requestId }: AuditedCall) {
      const { id } = getExisting(caller, reference)
      const secret = audited('secret rotated', caller, requestId, () => [id, endpoints.rotate(caller.account.id, id, clock())])
      return { ...view(caller, reference), secret }
    },
    /**
     * Queues a test event.
     * @throws Refusal unknown_id; conflict if the endpoint is disabled or too many messages wait;
     * webhook_limit if the plan does not include this endpoint
     */
    test(caller: SignedInCaller, reference: EndpointReference) {
      const { id, waiting } = getEnabled(caller, reference)
      if (waiting >= MAX_WAITING_FOR_TEST) throw new Refusal('conflict', { waiting, allowed: MAX_WAITING_FOR_TEST }, TOO_MANY_WAITING)
      const messageId = control.transaction(() => test(id, clock()))
      return { webhook_id: id, message_id: messageId }
    },
    /** Newest first. @throws Refusal unknown_id */
    deliveries(
      caller: SignedInCaller,
      reference: EndpointReference,
      { state, before, limit }: { readonly state: DeliveryRecord['state'] | null; readonly before: number | null; readonly limit: number },
    ) {
      const { id } = getExisting(caller, reference)
      const rows = deliveries.list(id, { state, before, most: limit + 1 })
      const page = rows.slice(0, limit)
      const hasMore = rows.length > limit
      return {
        webhook_id: id,
        data: page.map(deliveryView),
        data_count: page.length,
        has_more: hasMore,
        next_before: hasMore ? page.at(-1)!.id : null,
      }
    },
    /**
     * Sends a message again, even after a successful delivery.
     * @throws Refusal unknown_id; conflict if the endpoint is disabled; webhook_limit as in `test`
     */
    resend(caller: SignedInCaller, { message_id: messageId, ...reference }: EndpointReference & { readonly message_id: string }) {
      const { id } = getEnabled(caller, reference)
      if (!control.transaction(() => deliveries.resend(id, messageId, clock()))) throw new Refusal('unknown_id')
      return { webhook_id: id, resent: 1 }
    },
    /**
     * Sends up to `MAX_RESENT` undelivered messages again, oldest first.
     * @throws Refusal unknown_id; conflict if the endpoint is disabled; webhook_limit as in `test`
     */
    resendSince(caller: SignedInCaller, reference: EndpointReference, { since }: { readonly since: string }) {
      const { id } = getEnabled(caller, reference)
      const { resent, hasMore } = control.transaction(() => deliveries.resendSince(id, since, MAX_RESENT, clock()))
      return { webhook_id: id, resent, has_more: hasMore }
    },
  }

  function secretsOf(id: string, requestId: string): readonly string[] {
    try {
      return endpoints.secretsOf(id, clock())
    } catch {
      log('failed', { request_id: requestId, during: 'decrypting a stored webhook secret', endpoint: id })
      throw new Refusal('integrity')
    }
  }
}

const countEnabled = (all: readonly WebhookEndpoint[]): number => all.filter(({ state }) => state === 'enabled').length

const endpointView = (endpoint: WebhookEndpoint, isOverLimit: boolean) => ({
  webhook_id: endpoint.id,
  url: endpoint.url,
  description: endpoint.description,
  events: endpoint.events,
  datasets: endpoint.datasets,
  symbols: endpoint.symbols,
  status: endpoint.state,
  disabled_reason: endpoint.reason,
  over_limit: isOverLimit,
  created_at: endpoint.createdAt,
  failing_since: endpoint.failingSince,
  former_secret_until: endpoint.formerUntil,
  held_until: endpoint.heldUntil,
  waiting: endpoint.waiting,
})

const deliveryView = ({ messageId, type, slug, state, createdAt, nextAt, attempts }: DeliveryRecord) => ({
  message_id: messageId,
  type,
  slug,
  status: state,
  created_at: createdAt,
  next_at: nextAt,
  attempts,
})

const DISABLED: Words = {
  en: 'The webhook endpoint is disabled and receives no messages. Enable it first.',
  zh: '此 Webhook 端點已停用，不會接收訊息。請先啟用。',
}

const BY_OPERATOR: Words = {
  en: 'The operator disabled the webhook endpoint of this URL, so it cannot be enabled, recreated, moved or deleted. Contact the operator.',
  zh: '使用該網址的 Webhook 端點由服務營運者停用，因此無法啟用、重新建立、更改網址或刪除。請與營運者聯絡。',
}

const TOO_MANY_WAITING: Words = {
  en: 'The webhook endpoint has too many queued messages to add a test event. Check its deliveries for errors, and send one of them again instead.',
  zh: '此 Webhook 端點待送的訊息過多，無法再加入測試。請查看傳送紀錄的錯誤，並改為重新傳送其中一則。',
}

const OVER_LIMIT: Words = {
  en: 'The account has more enabled webhook endpoints than its plan allows, so the newest ones, including this one, receive no new messages. Disable an older endpoint, or move to a higher plan.',
  zh: '此帳戶啟用的 Webhook 端點超過方案上限，最新的端點（包含此端點）不會接收新訊息。請停用較早的端點，或升級方案。',
}
const TOO_MANY_ENDPOINTS: Words = {
  en: 'Webhook endpoint limit reached, including disabled endpoints. Delete an endpoint first.',
  zh: 'Webhook 端點數量（含已停用者）已達上限。請先刪除一個。',
}
