import type { Priced } from '../../catalog/index.ts'
import type { Gate, QuotaStatus } from '../access/index.ts'
import { type Grant, type Log, Refusal, type Stopwatch } from '../core/index.ts'

/** One call of an operation, beside who calls and what for. */
export interface Call {
  /** Names the call in the log and in the ledger, where one id is charged once. */
  readonly requestId: string
  /** Aborted once nobody waits for the answer any more. */
  readonly signal: AbortSignal
  /** Times the stages from here on; a stage that came before, for example admission, stands in it already. */
  readonly time: Stopwatch
}

export interface MeterDeps {
  readonly gate: Gate
  readonly log: Log
}

/** What an answer cost, and what the account has left after it. */
export interface Charge {
  readonly credits: number
  readonly quota: QuotaStatus
}

/** What every operation that is sold says of its answer. */
export interface Meta {
  /** Rows in the body, as usage counts them. */
  readonly rows: number
  readonly charge: Charge
  /** Milliseconds per stage, in order. */
  readonly timings: Stopwatch['laps']
}

/** What admitted work came to. */
export interface Work {
  readonly rows: number
  /** The release the rows came from, for the log; absent where the work reads several. */
  readonly release?: string | null
  /** The answer costs nothing, for example because what it asks for is not built. */
  readonly free?: boolean
}

/** Runs admitted work and charges for it. @returns what the work came to, and what it cost */
export type Charged = <W extends Work>(work: () => Promise<W>) => Promise<W & { readonly charge: Charge }>

const LEFT = 'The caller hung up while the request waited in line.'

/**
 * Runs an operation that is sold to the caller: checks the plan, then hands the operation the function that charges for its work. Whatever
 * fails on the way is counted once among the errors of the day and costs nothing.
 *
 * @throws Refusal plan_required; what the operation throws
 */
export async function metered<T>(
  deps: MeterDeps,
  caller: Grant,
  priced: Priced,
  call: Call,
  operation: (charged: Charged) => Promise<T>,
): Promise<T> {
  try {
    deps.gate.checkPlan(caller, priced)
    return await operation(work => charge(deps, caller, priced, call, work))
  } catch (error) {
    deps.gate.recordFailure(caller, priced)
    throw error
  }
}

/**
 * Runs work in the account's turn against credits set aside for it, and records the use before the answer is given. Work that fails gives
 * the credits back. A caller who disconnected before the work began has nothing run for them; one who disconnected while it ran got
 * nothing and pays nothing. The log line is written in a later turn of the event loop, when the answer has left.
 *
 * @throws Refusal credits_exhausted, concurrency_limited, also for a caller who disconnected while queued; what the work throws
 */
async function charge<W extends Work>(
  { gate, log }: MeterDeps,
  caller: Grant,
  priced: Priced,
  { requestId, signal, time }: Call,
  work: () => Promise<W>,
): Promise<W & { readonly charge: Charge }> {
  const hold = gate.holdCredits(caller, priced)
  let leave = (): void => {}
  try {
    leave = await gate.acquireSlot(caller)
    if (signal.aborted) throw new Refusal('concurrency_limited', { retry_after: 1 }, LEFT)
    const done = await work()
    const gone = signal.aborted
    if (gone) gate.recordFailure(caller, priced)
    const credits = done.free || gone ? 0 : priced.access!.credits
    if (credits > 0) await hold.settle({ requestId, rows: done.rows })
    hold.release()
    const quota = gate.quotaStatus(caller)
    time.lap('settle')
    const facts = {
      request_id: requestId,
      dataset: priced.slug,
      release: done.release,
      account: caller.accountId,
      key: caller.keyId,
      rows: done.rows,
      credits,
      ms: time.laps,
    }
    setImmediate(() => log('read', facts))
    return { ...done, charge: { credits, quota } }
  } finally {
    hold.release()
    leave()
  }
}
