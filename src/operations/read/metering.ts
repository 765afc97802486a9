import type { Priced } from '../../../catalog/index.ts'
import type { Metering, QuotaStatus, ReadSlot, Weight } from '../../access/index.ts'
import { type Grant, type Log, Refusal, type Stopwatch, type Words } from '../../core/index.ts'
import type { SlowReads } from './slow-reads.ts'

/** Context of one call of an operation. */
export interface Call {
  /** Identifies the call in the log and in the ledger, which charges an id once. */
  readonly requestId: string
  /** True once the caller no longer waits for the answer. */
  readonly hasLeft: () => boolean
  /** Times the stages; may already hold earlier ones, for example admission. */
  readonly time: Stopwatch
  /** The caller wants the facts about an answer, not the answer: the call ends after the plan, and nothing is read or charged. False when absent. */
  readonly planOnly?: boolean
  /**
   * Calls back once the answer has left to its last byte, or cannot any more: until then it takes up a turn and memory of its account.
   * Absent where the caller takes the answer as soon as the operation resolves.
   */
  readonly whenLeft?: (then: () => void) => void
}

/** What every priced operation depends on. */
export interface MeterDeps {
  readonly gate: Metering
  readonly log: Log
  readonly slowReads: Pick<SlowReads, 'note'>
}

/** What an answer cost, and what the account has left after it. */
export interface Charge {
  readonly credits: number
  /** Of a visitor it says nothing, and is told to nobody. */
  readonly quota: QuotaStatus
}

/** Facts about the answer of any priced operation. */
export interface Meta {
  /** Rows in the body, as usage counts them. */
  readonly rows: number
  readonly charge: Charge
  /** Milliseconds per stage, in order. */
  readonly timings: Stopwatch['laps']
}

/** The result of charged work. */
export interface Work {
  readonly rows: number
  /** The release the rows came from, for the log; absent where the work reads several. */
  readonly release?: string | null
  /** The answer costs nothing, for example because what it asks for is not built. */
  readonly free?: boolean
  /** The format of the body; JSON when absent. */
  readonly format?: string
  /** Bytes of the body; absent where they are few. */
  readonly bytes?: number
  /** Rows of a visitor's hour that it takes; `rows` when absent. */
  readonly visitorRows?: number
}

/** What is known of work before it runs. */
export interface Foreseen extends Weight {
  /** Its answer may turn out to cost nothing, so it runs without credits as well, and is refused once it turns out to cost something. */
  readonly mayBeFree?: boolean
  /** What its answer costs where that depends on what it holds; the price of what is sold when absent. */
  readonly credits?: number
}

/** Meters one priced call: `begin`, run the work, `settle`. A failure gives back what was taken. */
export interface Meter {
  /**
   * Sets the price aside and waits for a slot of the account. Called again, it first gives back what it took before.
   *
   * @throws Refusal credits_exhausted, overloaded, concurrency_limited, also when the caller disconnected in the queue
   */
  begin(foreseen?: Foreseen): Promise<void>
  /**
   * Records the usage in the ledger before it resolves. The slot is free once the answer has left. When the caller disconnected while the
   * work ran, it is not charged, unless it is a visitor, and the call counts as an error.
   */
  settle(done: Work): Promise<Charge>
  /** Gives back credits and slot. Does nothing if nothing is held. */
  release(): void
}

/** What an answer costs that was not made. */
export const uncharged = (gate: Metering, caller: Grant): Charge => ({ credits: 0, quota: gate.quotaStatus(caller) })

/** The client disconnected while queued. */
const DISCONNECTED: Words = { en: 'The caller hung up while the request waited in line.', zh: '請求排隊等候時，呼叫端已中斷連線。' }

/**
 * Runs a priced operation after checking the plan. A failure of any kind counts as one error of the account's day and costs nothing.
 *
 * @throws Refusal plan_required; what the operation throws
 */
export async function metered<T>(
  deps: MeterDeps,
  caller: Grant,
  sold: Priced,
  call: Call,
  operation: (meter: Meter) => Promise<T>,
): Promise<T> {
  const meter = openMeter(deps, caller, sold, call)
  try {
    deps.gate.checkPlan(caller, sold)
    return await operation(meter)
  } catch (error) {
    meter.release()
    deps.gate.recordFailure(caller, sold)
    throw error
  }
}

function openMeter(deps: MeterDeps, caller: Grant, sold: Priced, call: Call): Meter {
  const { gate } = deps
  const { requestId, hasLeft, time, whenLeft = then => then() } = call
  let priced = sold
  let hold: Pick<Hold, 'settle' | 'release'> | undefined
  let turn: ReadSlot | undefined
  const release = (): void => {
    hold?.release()
    turn?.end()
    hold = turn = undefined
  }
  return {
    release,
    async begin({ mayBeFree = false, credits, ...weight } = {}) {
      release()
      if (credits !== undefined) priced = { ...sold, access: { ...sold.access!, credits } }
      hold = holdFor(gate, caller, priced, mayBeFree)
      const taken = gate.acquireSlot(caller, weight)
      turn = taken instanceof Promise ? await taken : taken
      if (hasLeft()) throw new Refusal('concurrency_limited', { retry_after: 1 }, DISCONNECTED)
      time.lap('hold')
    },
    async settle(done) {
      turn!.resize(done.bytes ?? 0)
      const disconnected = hasLeft()
      if (disconnected) gate.recordFailure(caller, priced)
      // A visitor pays in rows for the work done; otherwise it could hang up each time and never pay.
      const worth = done.free || (disconnected && !caller.isVisitor) ? 0 : priced.access!.credits
      if (worth > 0) await hold!.settle({ requestId, rows: (caller.isVisitor && done.visitorRows) || done.rows })
      hold!.release()
      const credits = caller.isVisitor ? 0 : worth
      const quota = gate.quotaStatus(caller)
      time.lap('settle')
      logSoon(deps, caller, priced, call, done, credits)
      whenLeft(turn!.end)
      return { credits, quota }
    },
  }
}

/** Lines that wait for the next turn of the event loop, by then answers have left. */
let lines: (() => void)[] = []

function writeLines(): void {
  const waiting = lines
  lines = []
  for (const write of waiting) write()
}

function logSoon(
  { log, slowReads }: Pick<MeterDeps, 'log' | 'slowReads'>,
  { accountId, keyId, isVisitor, plan }: Grant,
  priced: Priced,
  { requestId, time }: Call,
  done: Work,
  credits: number,
): void {
  const facts = {
    request_id: requestId,
    dataset: priced.slug,
    release: done.release,
    // Of visitors nothing is known but an address, which the log does without.
    ...(isVisitor ? { visitor: plan } : { account: accountId, key: keyId }),
    rows: done.rows,
    credits,
    ms: time.laps,
  }
  const write = (): void => {
    log('read', facts)
    const { ms: stages, rows, dataset, request_id, release = null } = facts
    const whose = isVisitor ? { account: null, key: null } : { account: accountId, key: keyId }
    slowReads.note({ request_id, product: dataset, release, ...whose, rows, stages, credits, format: done.format ?? 'json' })
  }
  if (lines.push(write) === 1) setImmediate(writeLines)
}

type Hold = ReturnType<Metering['reserveCredits']>

/** Credits for an answer. Where it may be free and there are none, the refusal waits until the answer turns out to cost something. */
function holdFor(gate: Metering, caller: Grant, priced: Priced, mayBeFree: boolean): Pick<Hold, 'settle' | 'release'> {
  try {
    return gate.reserveCredits(caller, priced)
  } catch (error) {
    if (!mayBeFree) throw error
    return { settle: () => Promise.reject(error), release: () => {} }
  }
}
