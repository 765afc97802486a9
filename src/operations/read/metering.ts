import type { Priced } from '../../../catalog/index.ts'
import type { Metering, QuotaStatus, ReadSlot, Weight } from '../../access/index.ts'
import { type Grant, type Log, Refusal, type Stopwatch, type Words } from '../../core/index.ts'
import type { SlowReads } from './slow-reads.ts'

export interface Call {
  /** The ledger charges each id only once. */
  readonly requestId: string
  readonly isDisconnected: () => boolean
  /** May already contain earlier stages, such as authentication. */
  readonly time: Stopwatch
  /** True for clients that request only headers. Nothing is read or charged. */
  readonly planOnly?: boolean
  /**
   * Registers a listener for the end of the response. Until then, the answer counts against the
   * account's concurrency. Absent if the result is already complete.
   */
  readonly onSent?: (listener: () => void) => void
}

export interface MeterDeps {
  readonly gate: Metering
  readonly log: Log
  readonly slowReads: Pick<SlowReads, 'record'>
}

export interface Charge {
  readonly credits: number
  /** Not sent to visitors, because they have no account. */
  readonly quota: QuotaStatus
}

export interface Meta {
  readonly rows: number
  readonly charge: Charge
  /** Duration of each stage in ms, in order. */
  readonly timings: Stopwatch['laps']
}

export interface Work {
  readonly rows: number
  /** Release id for the log. Absent if there are several releases. */
  readonly release?: string | null
  /** True for a free call, for example a read of a dataset without data. */
  readonly free?: boolean
  /** Default: JSON. */
  readonly format?: string
  /** Bytes of the body. Default: 0. */
  readonly bytes?: number
  /** Rows that count against a visitor's hourly limit. Default: `rows`. */
  readonly visitorRows?: number
}

export interface ExpectedWork extends Weight {
  /** True if the answer may be free. The operation then runs even if credits are missing. */
  readonly mayBeFree?: boolean
  /** Price in credits. Default: price of the product. */
  readonly credits?: number
}

/** Charges one call. Call `begin` before the work, then `settle`, or `release` after a failure. */
export interface Meter {
  /**
   * Reserves the price and waits for a concurrency slot. A second call replaces the former
   * reservation.
   * @throws Refusal credits_exhausted, overloaded; concurrency_limited, also if the client
   * disconnects while waiting
   */
  begin(expected?: ExpectedWork): Promise<void>
  /**
   * Charges the call and resolves when the charge is stored. If the client disconnected, the call
   * is free and counts as an error. Rows of a visitor count against the visitor's limit
   * nevertheless.
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
 * Runs a priced operation. A failed operation is free and counts as an error in the account's
 * usage.
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
      // Charges a disconnected visitor too. Otherwise, visitors could disconnect each time and
      // never reach their limit.
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

/** Log entries to write after the answers are sent. */
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
    // The log must not contain network addresses.
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

/** If the answer may be free, missing credits are refused only after the work. */
function reserveCredits(gate: Metering, caller: Grant, priced: Priced, mayBeFree: boolean): Pick<Reservation, 'settle' | 'release'> {
  try {
    return gate.reserveCredits(caller, priced)
  } catch (error) {
    if (!mayBeFree) throw error
    return { settle: () => Promise.reject(error), release: () => {} }
  }
}
