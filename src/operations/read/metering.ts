import type { Priced } from '../../../catalog/index.ts'
import type { Metering, QuotaStatus, ReadSlot, Weight } from '../../access/index.ts'
import { type Grant, type Log, Refusal, type Stopwatch, type Words } from '../../core/index.ts'
import type { SlowReads } from './slow-reads.ts'

export interface Call {
  /** Identifies the call in the log and in the ledger. The ledger charges each id only once. */
  readonly requestId: string
  readonly isDisconnected: () => boolean
  /** Measures the duration of each stage. May already contain earlier stages, such as admission. */
  readonly time: Stopwatch
  /**
   * True to stop after the read plan is made. Nothing is read or charged. Used for clients that
   * request only headers.
   */
  readonly planOnly?: boolean
  /**
   * Registers a listener that is called when the answer is sent completely or aborted. Until then,
   * the answer occupies a concurrency slot and memory of its account. Absent if the answer is
   * complete when the operation resolves.
   */
  readonly onSent?: (listener: () => void) => void
}

export interface MeterDeps {
  readonly gate: Metering
  readonly log: Log
  readonly slowReads: Pick<SlowReads, 'record'>
}

/** Price of an answer, and the account's remaining quota. */
export interface Charge {
  readonly credits: number
  /** Not sent to visitors, because they have no account. */
  readonly quota: QuotaStatus
}

export interface Meta {
  /** Number of rows in the body. The same number is recorded as usage. */
  readonly rows: number
  readonly charge: Charge
  /** Duration of each stage in ms, in the order of the stages. */
  readonly timings: Stopwatch['laps']
}

export interface Work {
  readonly rows: number
  /** Id of the release, for the log. Absent if there are several releases. */
  readonly release?: string | null
  /** True if the answer is free, for example because the dataset has no data yet. */
  readonly free?: boolean
  /** Format of the body. Default: JSON. */
  readonly format?: string
  /** Size of the body in bytes. Default: 0. */
  readonly bytes?: number
  /** Number of rows that count against a visitor's hourly limit. Default: `rows`. */
  readonly visitorRows?: number
}

/** What is known about an operation before it runs. */
export interface ExpectedWork extends Weight {
  /**
   * True if the answer may turn out to be free. Then the operation also runs if credits are
   * missing, and is refused afterwards if the answer has a price.
   */
  readonly mayBeFree?: boolean
  /** Price in credits, if it depends on the content. Default: price of the product. */
  readonly credits?: number
}

/**
 * Charges one call. Call `begin` before the work and `settle` after it, or `release` after a
 * failure.
 */
export interface Meter {
  /**
   * Reserves the price and waits for a concurrency slot of the account. A second call first
   * releases what the previous call reserved.
   *
   * @throws Refusal credits_exhausted, overloaded; concurrency_limited, also if the client
   * disconnects while waiting
   */
  begin(expected?: ExpectedWork): Promise<void>
  /**
   * Charges the call, and resolves when the ledger has stored the charge. The slot is freed when
   * the answer is sent. If the client disconnected during the work, the call costs nothing and
   * counts as an error. The rows of a visitor count against the visitor's limit nevertheless.
   */
  settle(work: Work): Promise<Charge>
  /** Releases the reserved credits and the slot. Further calls have no effect. */
  release(): void
}

export const uncharged = (gate: Metering, caller: Grant): Charge => ({ credits: 0, quota: gate.quotaStatus(caller) })

const DISCONNECTED: Words = {
  en: 'The caller disconnected while the request was queued. Send it again.',
  zh: '請求排隊等候時，呼叫端已中斷連線。請重新傳送。',
}

/**
 * Runs a priced operation, if the caller's plan includes it. A failed operation costs nothing and
 * counts as one error in the account's daily usage.
 *
 * @throws Refusal plan_required; errors of the operation
 */
export async function metered<T>(
  deps: MeterDeps,
  caller: Grant,
  product: Priced,
  call: Call,
  operation: (meter: Meter) => Promise<T>,
): Promise<T> {
  const meter = openMeter(deps, caller, product, call)
  try {
    deps.gate.checkPlan(caller, product)
    return await operation(meter)
  } catch (error) {
    meter.release()
    deps.gate.recordFailure(caller, product)
    throw error
  }
}

function openMeter(deps: MeterDeps, caller: Grant, product: Priced, call: Call): Meter {
  const { gate } = deps
  const { requestId, isDisconnected, time, onSent = listener => listener() } = call
  let priced = product
  let reservation: Pick<Reservation, 'settle' | 'release'> | undefined
  let slot: ReadSlot | undefined
  const release = (): void => {
    reservation?.release()
    slot?.end()
    reservation = slot = undefined
  }
  return {
    release,
    async begin({ mayBeFree = false, credits, ...weight } = {}) {
      release()
      if (credits !== undefined) priced = { ...product, access: { ...product.access!, credits } }
      reservation = reserveCredits(gate, caller, priced, mayBeFree)
      const acquired = gate.acquireSlot(caller, weight)
      slot = acquired instanceof Promise ? await acquired : acquired
      if (isDisconnected()) throw new Refusal('concurrency_limited', { retry_after: 1 }, DISCONNECTED)
      time.lap('hold')
    },
    async settle(work) {
      slot!.resize(work.bytes ?? 0)
      const disconnected = isDisconnected()
      if (disconnected) gate.recordFailure(caller, priced)
      // The rows of a visitor count even after a disconnection, because the work was done.
      // Otherwise
      // visitors could disconnect each time and never reach their limit.
      const price = work.free || (disconnected && !caller.isVisitor) ? 0 : priced.access!.credits
      if (price > 0) await reservation!.settle({ requestId, rows: (caller.isVisitor && work.visitorRows) || work.rows })
      reservation!.release()
      const credits = caller.isVisitor ? 0 : price
      const quota = gate.quotaStatus(caller)
      time.lap('settle')
      scheduleLog(deps, caller, priced, call, work, credits)
      onSent(slot!.end)
      return { credits, quota }
    },
  }
}

/**
 * Log entries of the current iteration of the event loop. They are written after the answers are
 * sent.
 */
let pendingLogs: (() => void)[] = []

function flushLogs(): void {
  const logs = pendingLogs
  pendingLogs = []
  for (const write of logs) write()
}

function scheduleLog(
  { log, slowReads }: Pick<MeterDeps, 'log' | 'slowReads'>,
  { accountId, keyId, isVisitor, plan }: Grant,
  priced: Priced,
  { requestId, time }: Call,
  work: Work,
  credits: number,
): void {
  const facts = {
    request_id: requestId,
    dataset: priced.slug,
    release: work.release,
    // The log contains no network addresses. No other data about visitors exists.
    ...(isVisitor ? { visitor: plan } : { account: accountId, key: keyId }),
    rows: work.rows,
    credits,
    ms: time.laps,
  }
  const write = (): void => {
    log('read', facts)
    const { ms: stages, rows, dataset, request_id, release = null } = facts
    const owner = isVisitor ? { account: null, key: null } : { account: accountId, key: keyId }
    slowReads.record({ request_id, product: dataset, release, ...owner, rows, stages, credits, format: work.format ?? 'json' })
  }
  if (pendingLogs.push(write) === 1) setImmediate(flushLogs)
}

type Reservation = ReturnType<Metering['reserveCredits']>

/**
 * Reserves credits. If credits are missing but the answer may be free, the refusal is delayed until
 * the answer turns out to have a price.
 */
function reserveCredits(gate: Metering, caller: Grant, priced: Priced, mayBeFree: boolean): Pick<Reservation, 'settle' | 'release'> {
  try {
    return gate.reserveCredits(caller, priced)
  } catch (error) {
    if (!mayBeFree) throw error
    return { settle: () => Promise.reject(error), release: () => {} }
  }
}
