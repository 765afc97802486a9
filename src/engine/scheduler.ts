import { createWaitQueue, Refusal, type WaitQueue } from '../core/index.ts'
import type { Session } from './engine.ts'

export interface SchedulerOptions {
  /**
   * Maximum expected waiting time, in ms. A read that is expected to wait longer is refused
   * immediately. An accepted read waits at most twice this time. Time during which the process is
   * suspended does not count.
   */
  readonly waitMs: number
  /** Assumed duration of a read in ms, until the first read is measured. Default: 5. */
  readonly guessMs?: number
  /** Returns the time in ms. Default: the monotonic clock. */
  readonly now?: () => number
}

/** All reads with the same queue key. */
interface Lane {
  running: number
  /** Time in ms for which the lane used connections. Halved every second. */
  used: number
  /**
   * The later of two times: when the lane last got a connection from the queue, and when the lane
   * last started to wait.
   */
  since: number
  /**
   * Time at which the lane last got a connection. Measured in process time, which stops while the
   * process is suspended.
   */
  grantedAt: number
  /**
   * Moving average of the duration of the lane's reads, in ms. Undefined until the first read ends.
   */
  mean: number | undefined
  /** Created when a read of the lane has to wait for the first time. */
  queue: WaitQueue<Session> | undefined
}

const DECAY_INTERVAL_MS = 1_000
/** Assumed use of a connection that is not released yet, in ms. */
const ASSUMED_USE_MS = 250
/**
 * Recent use delays a lane by at most this time. So a lane with heavy use does not wait forever.
 */
const MOST_PENALTY_MS = 1_000
/**
 * Minimum recent use of a heavy lane. The lane must also have at least half of the recent use of
 * the busiest lane.
 */
const HEAVY_MS = 250
/** Unused lanes whose recent use is below this value are deleted. */
const NEGLIGIBLE_MS = 1
/** Weight of a new measurement in moving averages. */
const NEW_SHARE = 0.2
/**
 * Longest time between two clock readings that counts as process time. If more time passes, the
 * process was suspended.
 */
const MOST_STEP_MS = 250
/**
 * If the queue is full, a new read can replace a waiting read of another lane. The other lane must
 * have this many times as much waiting work.
 */
const UNEQUAL = 2
/** An accepted read waits at most this multiple of `waitMs`. */
const PATIENCE = 2

/**
 * Distributes connections among lanes. The waiting lane that was served longest ago is next. Recent
 * use of the engine delays a lane by up to a second, so short reads overtake long reads of other
 * lanes. The reads of one lane stay in order.
 *
 * One connection is reserved for short reads: neither a single lane nor all heavy lanes together
 * can use the last one. If the queue is full, a new read can replace the last waiting read of the
 * lane with the most work. This requires that the other lane still has twice as much work as the
 * lane of the new read. Otherwise the new read is refused, so that reads are rarely refused after
 * they were accepted.
 */
export function createScheduler(sessions: readonly Session[], { waitMs, guessMs = 5, now = () => performance.now() }: SchedulerOptions) {
  const free = [...sessions]
  /** Maximum number of connections for one lane, and for all heavy lanes together. */
  const most = Math.max(1, sessions.length - 1)
  const lanes = new Map<string, Lane>()
  /** Lanes that use connections or wait. May include lanes whose wait has just ended. */
  const active = new Set<Lane>()
  let decayedAt = now()
  let closed = false
  let typicalMs = guessMs
  let processMs = 0
  let lastReading = now()

  const laneOf = (name: string): Lane => {
    const lane = lanes.get(name) ?? { running: 0, used: 0, since: 0, grantedAt: 0, mean: undefined, queue: undefined }
    lanes.set(name, lane)
    return lane
  }
  const waiting = (): number => {
    let sum = 0
    for (const lane of active) sum += lengthOf(lane)
    return sum
  }
  /** Returns the time in ms for which the process has run. */
  const processTime = (): number => {
    const reading = now()
    processMs += Math.min(reading - lastReading, MOST_STEP_MS)
    lastReading = reading
    return processMs
  }
  /**
   * Returns the expected duration of a read in ms: the lane's average. If the lane's running read
   * already takes longer, its duration so far is returned.
   */
  const costOf = (lane: Lane): number => Math.max(lane.mean ?? typicalMs, lane.running > 0 ? processTime() - lane.grantedAt : 0)
  const workOf = (lane: Lane): number => lengthOf(lane) * costOf(lane)
  /** Returns the expected time in ms until each waiting read has a connection. */
  const expected = (): number => {
    let work = 0
    for (const lane of active) {
      const length = lengthOf(lane)
      if (length > 0) work += length * costOf(lane)
      else if (lane.running === 0) active.delete(lane)
    }
    return work / (active.size > 1 ? sessions.length : most)
  }
  const overloaded = (): Refusal => new Refusal('overloaded', { retry_after: Math.max(1, Math.ceil((expected() - waitMs) / 1_000)) })
  const rejectLongest = (lane: Lane): void => {
    let longest = lane
    for (const other of active) if (workOf(other) > workOf(longest)) longest = other
    if (workOf(longest) - costOf(longest) < UNEQUAL * (workOf(lane) + costOf(lane))) throw overloaded()
    longest.queue!.rejectLast()
  }
  const mostUsed = (): number => {
    let maxUsed = 0
    for (const { used } of lanes.values()) maxUsed = Math.max(maxUsed, used)
    return maxUsed
  }
  const mayAcquire = (lane: Lane): boolean => {
    if (lane.running >= most) return false
    if (lane.used < HEAVY_MS) return true
    const heavy = mostUsed() / 2
    if (lane.used < heavy) return true
    let heavyRunning = 0
    for (const { used, running } of active) if (used >= Math.max(HEAVY_MS, heavy)) heavyRunning += running
    return heavyRunning < most
  }
  const nextLane = (): Lane | undefined => {
    let best: Lane | undefined
    let earliest = Number.POSITIVE_INFINITY
    for (const lane of active) {
      if (lengthOf(lane) === 0 || priorityOf(lane) >= earliest || !mayAcquire(lane)) continue
      best = lane
      earliest = priorityOf(lane)
    }
    return best
  }
  const dispatch = (): void => {
    while (free.length > 0) {
      const lane = nextLane()
      if (!lane) return
      lane.running++
      lane.since = now()
      lane.grantedAt = processTime()
      lane.queue!.resolveFirst(free.pop()!)
    }
  }
  const decay = (time: number): void => {
    if (time - decayedAt < DECAY_INTERVAL_MS) return
    decayedAt = time
    for (const [name, lane] of lanes) {
      lane.used /= 2
      if (lane.running + lengthOf(lane) === 0 && lane.used < NEGLIGIBLE_MS) lanes.delete(name)
    }
  }
  return {
    tryAcquire(name: string): Session | undefined {
      const lane = laneOf(name)
      if (free.length === 0 || lengthOf(lane) > 0 || !mayAcquire(lane)) return undefined
      lane.running++
      active.add(lane)
      lane.grantedAt = processTime()
      return free.pop()
    },
    /**
     * Waits for a connection.
     *
     * @throws Refusal overloaded if the queue is full. The refusal states after how many seconds to
     * retry.
     */
    acquire(name: string): Promise<Session> {
      const lane = laneOf(name)
      lane.queue ??= createWaitQueue({ limit: Number.POSITIVE_INFINITY, waitMs: PATIENCE * waitMs, refusal: overloaded })
      while (expected() >= waitMs) rejectLongest(lane)
      if (lane.queue.length === 0) lane.since = now()
      active.add(lane)
      return lane.queue.wait()
    },
    /** Returns a connection to the pool. @param ms time for which the read used the connection */
    release(name: string, session: Session, ms: number): void {
      const lane = laneOf(name)
      lane.running--
      lane.used += ms
      lane.mean = NEW_SHARE * ms + (1 - NEW_SHARE) * (lane.mean ?? ms)
      typicalMs = NEW_SHARE * ms + (1 - NEW_SHARE) * typicalMs
      if (lane.running + lengthOf(lane) === 0) active.delete(lane)
      if (closed) return session.close()
      free.push(session)
      decay(now())
      dispatch()
    },
    load() {
      processTime()
      return { busy: sessions.length - free.length, waiting: waiting() }
    },
    /**
     * Closes free connections immediately, and other connections when they are released. Waiting
     * reads reject with `reason`.
     */
    close(reason: Error): void {
      closed = true
      for (const lane of lanes.values()) lane.queue?.rejectAll(reason)
      for (const session of free) session.close()
    },
  }
}

const lengthOf = ({ queue }: Lane): number => queue?.length ?? 0
/**
 * Returns the lane's priority, expressed as a time. The lane with the earliest time is served
 * first.
 */
const priorityOf = ({ since, used, running }: Lane): number => since + Math.min(used + running * ASSUMED_USE_MS, MOST_PENALTY_MS)
