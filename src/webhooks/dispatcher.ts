import { type Clock, type Config, HOUR_MS, type Log, taipei } from '../core/index.ts'
import type { DeliveryStore, DueDelivery } from './deliveries.ts'
import type { EndpointStore } from './endpoints.ts'
import { createFairQueue } from './fair-queue.ts'
import { createSender, type Sender, type SendResult } from './sender.ts'
import type { Settling } from './settling.ts'
import { signatureHeaders } from './signing.ts'
import { targetMistake } from './target.ts'

export interface DispatcherDeps {
  readonly deliveries: DeliveryStore
  readonly endpoints: EndpointStore
  readonly settle: Settling
  readonly config: Pick<Config, 'webhookPrivateHosts'>
  /** Sends messages. By default, over the network as configured. */
  readonly sender?: Sender
  readonly clock: Clock
  readonly log: Log
}

/** Sends messages to endpoints until it is closed. */
export interface Dispatcher {
  /** Starts sending all due messages. Resolves when no attempt is running. */
  sendDue(): Promise<void>
  /**
   * Aborts the running attempts. After the next start of the service, their messages are sent again
   * with the same ids.
   */
  close(): Promise<void>
}

/**
 * Maximum number of endpoints to which messages are sent at the same time. Each endpoint receives
 * one message at a time.
 */
const MAX_CONCURRENT = 64
/**
 * Time for which an endpoint is suspended if an attempt could not be stored, in ms. Otherwise the
 * endpoint could receive the same message repeatedly.
 */
const SUSPENSION_MS = 60_000

/**
 * Sends due messages. An endpoint receives one message at a time, and at most `MAX_PER_ACCOUNT`
 * endpoints of an account receive messages at the same time. A failed message does not delay later
 * messages. No message is lost. If the process crashes just after sending a message, the message is
 * sent again with the same id.
 *
 * @param everyMs time between two checks for due messages, in ms
 */
export function openDispatcher(deps: DispatcherDeps, everyMs = 1_000): Dispatcher {
  const { deliveries, clock, log } = deps
  const stopping = new AbortController()
  const running = new Map<string, string>()
  const runs = new Set<Promise<void>>()
  const suspended = new Set<string>()
  const attempt = createAttempt(deps, stopping.signal)
  const queue = createFairQueue(deliveries)
  const suspend = (endpointId: string, error: unknown): void => {
    if (stopping.signal.aborted) return
    log('failed', { during: 'sending a webhook', endpoint: endpointId, error: String(error) })
    suspended.add(endpointId)
    setTimeout(() => suspended.delete(endpointId), SUSPENSION_MS).unref()
  }
  const startDue = (): void => {
    while (!stopping.signal.aborted && running.size < MAX_CONCURRENT) {
      const next = queue.next(clock(), { running, suspended })
      if (!next) return
      const { endpointId, accountId } = next
      running.set(endpointId, accountId)
      const run = attempt(next)
        .catch(error => suspend(endpointId, error))
        .finally(() => {
          running.delete(endpointId)
          runs.delete(run)
          tryStart()
        })
      runs.add(run)
    }
  }
  // If the state file is locked, messages are sent later. The error must not end the process.
  const tryStart = (): void => {
    try {
      startDue()
    } catch (error) {
      log('failed', { during: 'finding due webhooks', error: String(error) })
    }
  }
  const deleteOld = (): void => {
    if (stopping.signal.aborted) return
    try {
      if (deliveries.deleteOld(clock())) setTimeout(deleteOld, everyMs).unref()
    } catch (error) {
      log('failed', { during: 'deleting old webhook messages', error: String(error) })
    }
  }
  const timers = [setInterval(tryStart, everyMs), setInterval(deleteOld, HOUR_MS)]
  for (const timer of timers) timer.unref()
  const whenIdle = async (): Promise<void> => {
    while (runs.size > 0) await Promise.all(runs)
  }
  return {
    sendDue() {
      tryStart()
      return whenIdle()
    },
    close() {
      stopping.abort()
      for (const timer of timers) clearInterval(timer)
      return whenIdle()
    },
  }
}

const URL_REFUSED: SendResult = { status: null, error: 'url_not_allowed', retryAfter: undefined }

/**
 * Sends one message. @throws Error if the attempt cannot be stored, or if the secret cannot be
 * opened
 */
const createAttempt =
  (
    { endpoints, settle, config, sender = createSender({ privateHosts: config.webhookPrivateHosts }), clock, log }: DispatcherDeps,
    stopping: AbortSignal,
  ) =>
  async (delivery: DueDelivery): Promise<void> => {
    const { endpointId, messageId, url, body } = delivery
    const startTime = clock()
    const startedAt = performance.now()
    const headers = signatureHeaders(messageId, body, endpoints.secretsOf(endpointId, startTime), startTime)
    // The URL is checked again, because the configuration may have changed since the endpoint was
    // created.
    const isRefused = targetMistake(url, config.webhookPrivateHosts) !== null
    const { status, error, retryAfter } = isRefused ? URL_REFUSED : await sender.post(url, { ...headers }, body, stopping)
    // An aborted attempt is not a failure. It is not stored, because the database may already be
    // closed.
    if (stopping.aborted) return
    const ms = Math.round(performance.now() - startedAt)
    settle(delivery, { at: taipei(startTime), status, error, retryAfter, ms }, clock())
    log('webhook sent', { endpoint: endpointId, message: messageId, status, error, ms })
  }
