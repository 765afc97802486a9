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
import { choiceFaults } from './webhook-choice.ts'

/** Most datasets and symbols that an endpoint names. */
export const MOST_FILTERED = { datasets: 50, symbols: 500 } as const

/** Endpoints that an account keeps beyond as many as its plan allows to be enabled: those that are turned off. */
const MOST_MORE = 5
/** Messages that wait for an endpoint while a test event is still written for it. */
const MOST_WAITING = 20
/** Most messages that one call sends again. */
export const MOST_RESENT = 500

/** What the owner of an endpoint sends; what is absent stays, or is everything at first. */
export interface WebhookInput {
  readonly url?: string | undefined
  readonly description?: string | undefined
  readonly events?: readonly WebhookEvent[] | undefined
  readonly datasets?: readonly string[] | undefined
  readonly symbols?: readonly string[] | undefined
  readonly enabled?: boolean | undefined
}

interface Named {
  readonly webhook_id: string
}

export type WebhookDeps = AccountDeps & { readonly catalog: Catalog; readonly config: Pick<Config, 'webhookPrivateHosts'> }

const ALL_EVENTS = Object.keys(WEBHOOK_EVENTS) as readonly WebhookEvent[]

/** The webhook endpoints of a signed-in customer's account. An endpoint of another account is refused as if it did not exist. */
export function createManageWebhooks(deps: WebhookDeps) {
  const { control, clock, catalog, log } = deps
  const { endpoints, deliveries, test } = control.webhooks
  const existing = ({ account }: SignedInCaller, { webhook_id: id }: Named): WebhookEndpoint => {
    const endpoint = endpoints.get(account.id, id, clock())
    if (!endpoint) throw new Refusal('unknown_id')
    return endpoint
  }
  const enabled = (caller: SignedInCaller, named: Named): WebhookEndpoint => {
    const endpoint = existing(caller, named)
    if (endpoint.state === 'disabled') throw new Refusal('conflict', {}, DISABLED)
    const [allowed, all] = [limitOf(caller), list(caller)]
    if (idsBeyondLimit(all, allowed).has(endpoint.id)) throw new Refusal('webhook_limit', { allowed, active: activeOf(all) }, OVER_LIMIT)
    return endpoint
  }
  /** Does something and writes it into the audit log, both or neither. */
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
  const checked = (input: WebhookInput, before: EndpointSettings): EndpointSettings => {
    const datasets = (input.datasets ?? before.datasets).map(name => findDataset(catalog, name)?.slug ?? name)
    const choice = {
      url: input.url ?? before.url,
      description: input.description ?? before.description,
      events: [...new Set(input.events ?? before.events)],
      datasets: [...new Set(datasets)],
      symbols: [...new Set(input.symbols ?? before.symbols)],
    }
    const faults = choiceFaults(deps, choice)
    if (faults.length > 0) throw inputRefusal(faults)
    return choice
  }
  const limitOf = ({ account }: SignedInCaller): number => PLANS[account.plan].webhookEndpoints
  const refuseBeyond = (caller: SignedInCaller, others: readonly WebhookEndpoint[]): void => {
    const [allowed, active] = [limitOf(caller), activeOf(others)]
    if (active >= allowed) throw new Refusal('webhook_limit', { allowed, active })
  }
  const list = ({ account }: SignedInCaller): readonly WebhookEndpoint[] => endpoints.list(account.id, clock())
  const views = (caller: SignedInCaller) => {
    const all = list(caller)
    const over = idsBeyondLimit(all, limitOf(caller))
    return all.map(one => endpointView(one, over.has(one.id)))
  }
  const view = (caller: SignedInCaller, named: Named) => {
    const { id } = existing(caller, named)
    return views(caller).find(one => one.webhook_id === id)!
  }
  return {
    /** Every endpoint, newest first, and how many may be enabled. */
    list(caller: SignedInCaller) {
      const data = views(caller)
      return { data, data_count: data.length, allowed: limitOf(caller) }
    },
    get: view,
    /** Makes an endpoint. @returns it with its secret @throws Refusal webhook_limit, invalid_parameter, conflict for a URL that the operator turned off */
    create(caller: SignedInCaller, input: WebhookInput & { readonly url: string }, { requestId }: AuditedCall) {
      const choice = checked(input, { url: input.url, description: '', events: ALL_EVENTS, datasets: [], symbols: [] })
      const others = list(caller)
      if (findBlockedByOperator(others, choice.url)) throw new Refusal('conflict', {}, BY_OPERATOR)
      refuseBeyond(caller, others)
      const kept = limitOf(caller) + MOST_MORE
      if (others.length >= kept) throw new Refusal('webhook_limit', { allowed: kept, kept: others.length }, MANY_KEPT)
      const { id, secret } = audited('created', caller, requestId, () => {
        const made = endpoints.create(caller.account.id, choice, clock())
        return [made.id, made]
      })
      return { ...view(caller, { webhook_id: id }), secret }
    },
    /**
     * Changes what was sent of an endpoint.
     *
     * @throws Refusal unknown_id, webhook_limit, invalid_parameter, conflict for one that the operator turned off and that is to be enabled
     * or given another URL, and for a URL that the operator turned off
     */
    change(caller: SignedInCaller, named: Named, input: WebhookInput, { requestId }: AuditedCall) {
      const before = existing(caller, named)
      const choice = checked(input, before)
      const moves = choice.url !== before.url
      if (before.reason === 'operator' && (input.enabled || moves)) throw new Refusal('conflict', {}, BY_OPERATOR)
      if (moves && findBlockedByOperator(list(caller), choice.url)) throw new Refusal('conflict', {}, BY_OPERATOR)
      if (input.enabled && before.state === 'disabled') refuseBeyond(caller, list(caller))
      audited('changed', caller, requestId, () => {
        endpoints.update(before.id, choice)
        if (input.enabled === true) endpoints.enable(before.id)
        if (input.enabled === false) endpoints.disable(before.id, 'owner')
        return [before.id, undefined]
      })
      return view(caller, named)
    },
    /** Deletes an endpoint with all that was sent to it. @throws Refusal unknown_id, conflict for one that the operator turned off, which is what its refusal is known by */
    remove(caller: SignedInCaller, named: Named, { requestId }: AuditedCall) {
      const { id, reason } = existing(caller, named)
      if (reason === 'operator') throw new Refusal('conflict', {}, BY_OPERATOR)
      audited('deleted', caller, requestId, () => {
        endpoints.remove(caller.account.id, id)
        return [id, undefined]
      })
      return { webhook_id: id, deleted: true as const }
    },
    /** Shows the secret again. @throws Refusal unknown_id, integrity; what `guardSecret` throws */
    reveal(caller: SignedInCaller, named: Named, { requestId }: AuditedCall) {
      const { id } = existing(caller, named)
      guardSecret(deps.gate, caller, clock())
      const [secret] = secretsOf(id, requestId)
      const { id: accountId } = caller.account
      control.audit.write({ actor: accountId, action: 'webhook secret revealed', accountId, target: id, requestId }, clock())
      return { webhook_id: id, secret: secret!, revealed_at: taipei(clock()) }
    },
    /** Makes a new secret; messages are signed with both for a day. @throws Refusal unknown_id */
    rotate(caller: SignedInCaller, named: Named, { requestId }: AuditedCall) {
      const { id } = existing(caller, named)
      const secret = audited('secret rotated', caller, requestId, () => [id, endpoints.rotate(caller.account.id, id, clock())])
      return { ...view(caller, named), secret }
    },
    /** Writes a test event for it. @throws Refusal unknown_id, conflict for one that is disabled or has enough that waits, webhook_limit for one beyond the plan */
    test(caller: SignedInCaller, named: Named) {
      const { id, waiting } = enabled(caller, named)
      if (waiting >= MOST_WAITING) throw new Refusal('conflict', { waiting, allowed: MOST_WAITING }, MANY_WAIT)
      const messageId = control.transaction(() => test(id, clock()))
      return { webhook_id: id, message_id: messageId }
    },
    /** What was sent to it, newest first, with every attempt. @throws Refusal unknown_id */
    deliveries(
      caller: SignedInCaller,
      named: Named,
      { state, before, limit }: { readonly state: DeliveryRecord['state'] | null; readonly before: number | null; readonly limit: number },
    ) {
      const { id } = existing(caller, named)
      const found = deliveries.list(id, { state, before, most: limit + 1 })
      const page = found.slice(0, limit)
      const hasMore = found.length > limit
      return {
        webhook_id: id,
        data: page.map(deliveryView),
        data_count: page.length,
        has_more: hasMore,
        next_before: hasMore ? page.at(-1)!.id : null,
      }
    },
    /** Sends one message again, also one that was taken. @throws Refusal unknown_id, conflict for an endpoint that is disabled, webhook_limit for one beyond the plan */
    resend(caller: SignedInCaller, { message_id: messageId, ...named }: Named & { readonly message_id: string }) {
      const { id } = enabled(caller, named)
      if (!control.transaction(() => deliveries.resend(id, messageId, clock()))) throw new Refusal('unknown_id')
      return { webhook_id: id, resent: 1 }
    },
    /** Sends again what was written since and did not arrive, the oldest first, up to `MOST_RESENT`. @throws Refusal unknown_id, conflict for an endpoint that is disabled, webhook_limit for one beyond the plan */
    resendSince(caller: SignedInCaller, named: Named, { since }: { readonly since: string }) {
      const { id } = enabled(caller, named)
      const { resent, hasMore } = control.transaction(() => deliveries.resendSince(id, since, MOST_RESENT, clock()))
      return { webhook_id: id, resent, has_more: hasMore }
    },
  }

  function secretsOf(id: string, requestId: string): readonly string[] {
    try {
      return endpoints.secretsOf(id, clock())
    } catch {
      log('failed', { request_id: requestId, during: 'opening the stored copy of a webhook secret', endpoint: id })
      throw new Refusal('integrity')
    }
  }
}

const activeOf = (all: readonly WebhookEndpoint[]): number => all.filter(({ state }) => state === 'enabled').length

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

const deliveryView = ({ messageId, type, state, createdAt, nextAt, attempts }: DeliveryRecord) => ({
  message_id: messageId,
  type,
  status: state,
  created_at: createdAt,
  next_at: nextAt,
  attempts,
})

const DISABLED: Words = {
  en: 'That webhook endpoint is disabled, so nothing is sent to it; enable it first.',
  zh: '此 Webhook 端點已停用，不會傳送任何訊息；請先啟用。',
}

const BY_OPERATOR: Words = {
  en: 'The operator of the service turned the webhook endpoint with that URL off, and alone turns it on again: until then it can be neither enabled, made anew, moved nor deleted; ask them.',
  zh: '使用該網址的 Webhook 端點由服務營運者停用，僅能由其重新啟用；在此之前無法啟用、重新建立、更改網址或刪除。請與營運者聯絡。',
}

const MANY_WAIT: Words = {
  en: 'Too many messages wait for that webhook endpoint to add a test: look at its deliveries to see why they fail, and send one of them again instead.',
  zh: '此 Webhook 端點待送的訊息過多，無法再加入測試；請查看傳送紀錄以了解失敗原因，並改為重新傳送其中一則。',
}

const OVER_LIMIT: Words = {
  en: 'The account has more enabled webhook endpoints than its plan allows, and this is one of the newest, which are sent nothing new; turn an older one off, or move to a higher plan.',
  zh: '此帳戶啟用的 Webhook 端點超過方案上限，而此端點屬於最新的端點，不會傳送新訊息；請停用較早的端點，或升級方案。',
}
const MANY_KEPT: Words = {
  en: 'The account keeps as many webhook endpoints as it may, those that are turned off included; delete one first.',
  zh: '此帳戶的 Webhook 端點數量（含已停用者）已達上限；請先刪除一個。',
}
