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
  readonly sender?: Sender
  readonly clock: Clock
  readonly log: Log
}

export interface Dispatcher {
  /** Resolves when no attempt is running. */
  sendDue(): Promise<void>
  /** Aborts running attempts. The next start sends the same messages again. */
  close(): Promise<void>
}

/** Maximum number of endpoints that receive messages at the same time. */
const MAX_CONCURRENT = 64
/**
 * Pause of an endpoint after an attempt that could not be stored. The message would otherwise be
 * repeated.
 */
const SUSPENSION_MS = 60_000

/**
 * Sends due messages, one at a time per endpoint. A crash may repeat a message with the same id.
 *
 * @param everyMs time between two checks for due messages
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
  // A locked state file only delays messages.
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

/** @throws Error if the attempt cannot be stored, or if the secret cannot be decrypted */
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
    const isRefused = targetMistake(url, config.webhookPrivateHosts) !== null
    const { status, error, retryAfter } = isRefused ? URL_REFUSED : await sender.post(url, { ...headers }, body, stopping)
    // Does not store an aborted attempt.
    if (stopping.aborted) return
    const ms = Math.round(performance.now() - startedAt)
    settle(delivery, { at: taipei(startTime), status, error, retryAfter, ms }, clock())
    log('webhook sent', { endpoint: endpointId, message: messageId, status, error, ms })
  }
