import { type Clock, type Config, HOUR_MS, type Log, taipei } from '../core/index.ts'
import type { DeliveryStore, DueDelivery } from './deliveries.ts'
import type { EndpointStore } from './endpoints.ts'
import { createSender, type Sender, type Sent } from './sender.ts'
import type { Settling } from './settling.ts'
import { signed } from './signing.ts'
import { targetMistake } from './target.ts'
import { createTurns } from './turns.ts'

export interface DispatcherDeps {
  readonly deliveries: DeliveryStore
  readonly endpoints: EndpointStore
  readonly settle: Settling
  readonly config: Pick<Config, 'webhookPrivateHosts'>
  /** One over the network, as the configuration lets it, when absent. */
  readonly sender?: Sender
  readonly clock: Clock
  readonly log: Log
}

/** Sends messages to endpoints while it is open. */
export interface Dispatcher {
  /** Sends everything that is due, and resolves once each attempt is written down. */
  sendDue(): Promise<void>
  /** Breaks off what is being sent: it is sent again at the next start, under the same id. */
  close(): Promise<void>
}

/** Endpoints that are sent to at a time, one message each. */
const MOST_AT_ONCE = 64
/** How long an endpoint is left alone whose attempt could not be written down, so that it is not sent one message over and over. */
const UNWRITTEN_MS = 60_000

/**
 * Sends what is due, a message at a time to each endpoint, an account within its share of the places. A message that fails waits for its next attempt and lets those after it go
 * first. What was taken just before a crash may be sent twice, under the same id; none is lost.
 *
 * @param everyMs how often is looked for what is due
 */
export function openDispatcher(deps: DispatcherDeps, everyMs = 1_000): Dispatcher {
  const { deliveries, clock, log } = deps
  const stopping = new AbortController()
  /** Accounts by endpoint. */
  const running = new Map<string, string>()
  const runs = new Set<Promise<void>>()
  const leftAlone = new Set<string>()
  const [attempt, turns] = [createAttempt(deps, stopping.signal), createTurns(deliveries)]
  const unwritten = (endpointId: string, error: unknown): void => {
    if (stopping.signal.aborted) return
    log('failed', { during: 'sending a webhook', endpoint: endpointId, error: String(error) })
    leftAlone.add(endpointId)
    setTimeout(() => leftAlone.delete(endpointId), UNWRITTEN_MS).unref()
  }
  const startDue = (): void => {
    while (!stopping.signal.aborted && running.size < MOST_AT_ONCE) {
      const next = turns.next(clock(), { running, leftAlone })
      if (!next) return
      const { endpointId, accountId } = next
      running.set(endpointId, accountId)
      const run = attempt(next)
        .catch(error => unwritten(endpointId, error))
        .finally(() => {
          running.delete(endpointId)
          runs.delete(run)
          tryStart()
        })
      runs.add(run)
    }
  }
  // A state file that does not answer delays messages; it must not end the process.
  const tryStart = (): void => {
    try {
      startDue()
    } catch (error) {
      log('failed', { during: 'looking for webhooks to send', error: String(error) })
    }
  }
  const forget = (): void => {
    if (stopping.signal.aborted) return
    try {
      if (deliveries.forget(clock())) setTimeout(forget, everyMs).unref()
    } catch (error) {
      log('failed', { during: 'forgetting old webhooks', error: String(error) })
    }
  }
  const timers = [setInterval(tryStart, everyMs), setInterval(forget, HOUR_MS)]
  for (const timer of timers) timer.unref()
  const idle = async (): Promise<void> => {
    while (runs.size > 0) await Promise.all(runs)
  }
  return {
    sendDue() {
      tryStart()
      return idle()
    },
    close() {
      stopping.abort()
      for (const timer of timers) clearInterval(timer)
      return idle()
    },
  }
}

const NOT_SENT: Sent = { status: null, error: 'url_not_allowed', retryAfter: undefined }

/** Sends one message. @throws when the attempt cannot be written down, or the secret not be opened */
const createAttempt =
  (
    { endpoints, settle, config, sender = createSender({ privateHosts: config.webhookPrivateHosts }), clock, log }: DispatcherDeps,
    stopping: AbortSignal,
  ) =>
  async (delivery: DueDelivery): Promise<void> => {
    const { endpointId, messageId, url, body } = delivery
    const [at, began] = [clock(), performance.now()]
    const headers = signed(messageId, body, endpoints.secretsOf(endpointId, at), at)
    // The rules may have changed since the endpoint was made.
    const isRefused = targetMistake(url, config.webhookPrivateHosts) !== null
    const { status, error, retryAfter } = isRefused ? NOT_SENT : await sender.post(url, { ...headers }, body, stopping)
    // What was broken off did not fail, and the state file may be closed by now.
    if (stopping.aborted) return
    const ms = Math.round(performance.now() - began)
    settle(delivery, { at: taipei(at), status, error, retryAfter, ms }, clock())
    log('webhook sent', { endpoint: endpointId, message: messageId, status, error, ms })
  }
