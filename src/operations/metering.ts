import type { Priced } from '../../catalog/index.ts'
import type { Metering, QuotaStatus, Weight } from '../access/index.ts'
import { type Grant, type Log, Refusal, type Stopwatch, type Words } from '../core/index.ts'
import type { SlowReads } from './slow-reads.ts'

/** Context of one call of an operation. */
export interface Call {
  /** Identifies the call in the log and in the ledger, which charges an id once. */
  readonly requestId: string
  /** True once the caller no longer waits for the answer. */
  readonly hasLeft: () => boolean
  /** Times the stages; may already hold earlier ones, for example admission. */
  readonly time: Stopwatch
  /** The caller wants to know what an answer is like, not the answer: nothing is read and nothing charged. False when absent. */
  readonly headersOnly?: boolean
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

/** Runs work and charges for it. @returns the result of the work and what it cost */
export type Charged = <W extends Work>(work: () => Promise<W>, foreseen?: Foreseen) => Promise<W & { readonly charge: Charge }>

/** What an answer costs that was not made. */
export const uncharged = (gate: Metering, caller: Grant): Charge => ({ credits: 0, quota: gate.quotaStatus(caller) })

/** The client disconnected while queued. */
const DISCONNECTED: Words = { en: 'The caller hung up while the request waited in line.', zh: '請求排隊等候時，呼叫端已中斷連線。' }

/**
 * Runs a priced operation: checks the plan, then passes the operation the function that charges for its work. A failure of any kind counts
 * as one error of the account's day and costs nothing.
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
    return await operation((work, foreseen) => charge(deps, caller, priced, call, work, foreseen))
  } catch (error) {
    deps.gate.recordFailure(caller, priced)
    throw error
  }
}

/**
 * Holds the credits, waits for the account's turn, runs the work and records the usage before it resolves. The turn ends once the answer has
 * left; when the work fails, at once, and the credits are released. When the caller disconnects while queued, the work is not run; when it disconnects while the work runs,
 * it is not charged, unless it is a visitor, and the call counts as an error. The log line is written in a later turn of the event loop, after the answer has left.
 *
 * @throws Refusal credits_exhausted, overloaded, concurrency_limited, also when the caller disconnected while queued; what the work throws
 */
async function charge<W extends Work>(
  deps: MeterDeps,
  caller: Grant,
  sold: Priced,
  call: Call,
  work: () => Promise<W>,
  { mayBeFree = false, credits: price, ...weight }: Foreseen = {},
): Promise<W & { readonly charge: Charge }> {
  const { gate } = deps
  const { requestId, hasLeft, time, whenLeft = then => then() } = call
  const priced = price === undefined ? sold : { ...sold, access: { ...sold.access!, credits: price } }
  const hold = holdFor(gate, caller, priced, mayBeFree)
  let endTurn = (): void => {}
  try {
    const turn = await gate.takeTurn(caller, weight)
    endTurn = turn.end
    if (hasLeft()) throw new Refusal('concurrency_limited', { retry_after: 1 }, DISCONNECTED)
    time.lap('hold')
    const done = await work()
    turn.resize(done.bytes ?? 0)
    const disconnected = hasLeft()
    if (disconnected) gate.recordFailure(caller, priced)
    // Whoever pays in rows pays for the work: they would otherwise hang up each time.
    const worth = done.free || (disconnected && !caller.isVisitor) ? 0 : priced.access!.credits
    if (worth > 0) await hold.settle({ requestId, rows: (caller.isVisitor && done.visitorRows) || done.rows })
    const credits = caller.isVisitor ? 0 : worth
    hold.release()
    const quota = gate.quotaStatus(caller)
    time.lap('settle')
    logSoon(deps, caller, priced, call, done, credits)
    whenLeft(turn.end)
    return { ...done, charge: { credits, quota } }
  } catch (error) {
    hold.release()
    endTurn()
    throw error
  }
}

/** What happens once work that was done at once is in the ledger. */
export interface AtOnce<W extends Work> {
  /** Counts the request against the account's requests a minute. @throws Refusal rate_limited */
  readonly pass: () => void
  readonly work: () => W
  readonly done: (result: W & { readonly charge: Charge }) => void
  /** The use could not be recorded, and nothing is charged. */
  readonly failed: (error: unknown) => void
  /** The use is in the ledger and `done` threw, so that no other answer may follow: the caller is to see that none came. */
  readonly broken: () => void
}

/**
 * The same for small work that waits for nothing, and is worth its price: turn, credits and request are taken, the work done and its use
 * handed to the ledger before this returns. `done` or `failed` is called once the use is committed.
 *
 * @returns false where something would have to be waited for or refused; then nothing was taken, and nothing happens
 * @throws what the work throws; turn and credits are given back, the request stays counted
 */
export function chargeAtOnce<W extends Work>(
  deps: MeterDeps,
  caller: Grant,
  priced: Priced,
  call: Call,
  { pass, work, done, failed, broken }: AtOnce<W>,
): boolean {
  const { gate, log } = deps
  const endTurn = call.hasLeft() ? undefined : gate.tryTurn(caller)
  if (!endTurn) return false
  let hold: Hold | undefined
  let result: W
  try {
    hold = gate.holdCredits(caller, priced)
    pass()
    result = work()
  } catch (error) {
    hold?.release()
    endTurn()
    if (error instanceof Refusal) return false
    throw error
  }
  const { credits } = priced.access!
  const settled = (): void => {
    try {
      const quota = gate.quotaStatus(caller)
      call.time.lap('settle')
      logSoon(deps, caller, priced, call, result, credits)
      call.whenLeft!(endTurn)
      done({ ...result, charge: { credits, quota } })
    } catch (error) {
      // Other uses of the same commit wait behind this one.
      log('failed', { request_id: call.requestId, error: error instanceof Error ? error.stack : String(error) })
      broken()
    }
  }
  const unrecorded = (error: unknown): void => {
    endTurn()
    failed(error)
  }
  if (credits > 0) hold.settleThen({ requestId: call.requestId, rows: result.rows }, settled, unrecorded)
  else {
    hold.release()
    settled()
  }
  return true
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

type Hold = ReturnType<Metering['holdCredits']>

/** Credits for an answer. Where it may be free and there are none, the refusal waits until the answer turns out to cost something. */
function holdFor(gate: Metering, caller: Grant, priced: Priced, mayBeFree: boolean): Pick<Hold, 'settle' | 'release'> {
  try {
    return gate.holdCredits(caller, priced)
  } catch (error) {
    if (!mayBeFree) throw error
    return { settle: () => Promise.reject(error), release: () => {} }
  }
}
