import type { Priced } from '../../../catalog/index.ts'
import type { Metering, QuotaStatus, ReadSlot, Weight } from '../../access/index.ts'
import { type Grant, type Log, Refusal, type Stopwatch, type Words } from '../../core/index.ts'
import type { SlowReads } from './slow-reads.ts'

/** Context of one call of an operation. */
export interface Call {
  /** Identifies the call in the log and in the ledger, which charges each id only once. */
  readonly requestId: string
  /** True once the client has disconnected. */
  readonly isDisconnected: () => boolean
  /** Times the stages. May already contain earlier ones, such as admission. */
  readonly time: Stopwatch
  /**
   * Stops after the read plan is made, for clients that need only headers. Reads and charges
   * nothing.
   */
  readonly planOnly?: boolean
  /**
   * Registers a listener for the end of the answer, when it is sent completely or aborted. Until
   * then, the answer uses a slot and memory of its account. Absent if the caller has the complete
   * answer as soon as the operation resolves.
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
  /** Not sent to visitors, who have no account. */
  readonly quota: QuotaStatus
}

/** Facts about the answer of a priced operation. */
export interface Meta {
  /** Number of rows in the body, as counted in usage. */
  readonly rows: number
  readonly charge: Charge
  /** Duration of each stage in milliseconds, in the order of the stages. */
  readonly timings: Stopwatch['laps']
}

/** Result of priced work. */
export interface Work {
  readonly rows: number
  /** Release of the rows, for the log. Absent if there are several. */
  readonly release?: string | null
  /** True if the answer is free, for example because the dataset has no data yet. */
  readonly free?: boolean
  /** Format of the body. Default: JSON. */
  readonly format?: string
  /** Size of the body in bytes. Default: 0. */
  readonly bytes?: number
  /** Rows to count against a visitor's hourly limit. Default: `rows`. */
  readonly visitorRows?: number
}

/** Facts about the work that are known before it runs. */
export interface ExpectedWork extends Weight {
  /**
   * True if the answer can be free. The work then also runs without credits, and is refused
   * afterwards if the answer has a price.
   */
  readonly mayBeFree?: boolean
  /** Price, if it depends on the content. Default: the price of the product. */
  readonly credits?: number
}

/** Meters one priced call: `begin`, run the work, `settle`. After a failure, call `release`. */
export interface Meter {
  /**
   * Reserves the price and waits for a concurrency slot of the account. A second call releases the
   * reservation and slot of the first call.
   *
   * @throws Refusal credits_exhausted, overloaded; concurrency_limited, also if the client
   * disconnected in the queue
   */
  begin(expected?: ExpectedWork): Promise<void>
  /**
   * Commits the usage to the ledger, then resolves. The slot is freed when the answer is sent. If
   * the client disconnected during the work, the call counts as an error and is free, except for
   * visitors.
   */
  settle(work: Work): Promise<Charge>
  /** Releases credits and slot. Idempotent. */
  release(): void
}

/** Charge for an answer that was not produced. */
export const uncharged = (gate: Metering, caller: Grant): Charge => ({ credits: 0, quota: gate.quotaStatus(caller) })

/** Message for a client that disconnected while its call was queued. */
const DISCONNECTED: Words = {
  en: 'The caller disconnected while the request was queued. Send it again.',
  zh: '請求排隊等候時，呼叫端已中斷連線。請重新傳送。',
}

/**
 * Runs a priced operation after checking the plan. A failure counts as one error in the account's
 * daily usage and costs nothing.
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
      // A visitor's rows count even if the client disconnected, because the work was done.
      // Otherwise visitors could disconnect each time and never use up their limit.
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
 * Log entries of the current turn of the event loop. They are written after the answers are sent.
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
    // Network addresses are not logged, and no other data about visitors exists.
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
 * Reserves credits. If credits are insufficient but the answer can be free, the refusal is delayed
 * until the answer turns out to have a price.
 */
function reserveCredits(gate: Metering, caller: Grant, priced: Priced, mayBeFree: boolean): Pick<Reservation, 'settle' | 'release'> {
  try {
    return gate.reserveCredits(caller, priced)
  } catch (error) {
    if (!mayBeFree) throw error
    return { settle: () => Promise.reject(error), release: () => {} }
  }
}
