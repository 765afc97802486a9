import { createWaitQueue, Refusal, type WaitQueue } from '../core/index.ts'
import type { Session } from './engine.ts'

/** Limits of the wait for a connection. */
export interface SchedulerOptions {
  /**
   * Maximum expected time in the queue, in milliseconds. Reads that would exceed it are refused
   * immediately. An admitted read waits at most twice as long. Time in which the process is
   * suspended does not count.
   */
  readonly waitMs: number
  /** Assumed duration of a read in milliseconds before any was measured. Default: 5. */
  readonly guessMs?: number
  /** Clock in milliseconds. Default: the monotonic clock. */
  readonly now?: () => number
}

/** The reads of one queue key. */
interface Lane {
  /** Number of connections in use. */
  running: number
  /** Milliseconds of connection use, halved every second. */
  used: number
  /** Time at which the lane last got a connection from the queue, or started to wait. */
  since: number
  /** Time at which the lane last got a connection, in process time. */
  grantedAt: number
  /**
   * Moving average duration of the lane's reads, in milliseconds. Undefined before the first read
   * ends.
   */
  mean: number | undefined
  /** Created when a read first has to wait. */
  queue: WaitQueue<Session> | undefined
}

const DECAY_INTERVAL_MS = 1_000
/** Milliseconds of use to assume for a connection that is not yet released. */
const ASSUMED_USE_MS = 250
/** Maximum priority penalty for recent use, so that a lane with heavy use does not wait forever. */
const MOST_PENALTY_MS = 1_000
/**
 * A lane is heavy if its recent use is at least this, and at least half of the use of the heaviest
 * lane.
 */
const HEAVY_MS = 250
/** Idle lanes with less recent use than this are deleted. */
const NEGLIGIBLE_MS = 1
/** Weight of a new measurement in moving averages. */
const NEW_SHARE = 0.2
/**
 * Maximum time between two clock readings that counts as process time. If more time passes, the
 * process was suspended.
 */
const MOST_STEP_MS = 250
/**
 * A new read replaces a queued read only if the lane of the queued read has this many times as much
 * work.
 */
const UNEQUAL = 2
/** Admitted reads wait at most this multiple of the expected time. */
const PATIENCE = 2

/**
 * Distributes connections among lanes. The waiting lane that was served longest ago is first.
 * Recent use of the engine delays a lane by up to a second, so short reads overtake long reads of
 * other lanes. Reads of one lane stay in order.
 *
 * A single lane, and all heavy lanes together, may use all connections but one, so that a
 * connection is soon free for a short read. If the queue is full, a new read replaces the last read
 * of the lane with the most queued work, if that lane would still have twice the work of the new
 * read's lane. Otherwise the new read is refused, so that admitted reads are rarely refused later.
 */
export function createScheduler(sessions: readonly Session[], { waitMs, guessMs = 5, now = () => performance.now() }: SchedulerOptions) {
  const free = [...sessions]
  /** Maximum connections of one lane, and of all heavy lanes together. */
  const most = Math.max(1, sessions.length - 1)
  const lanes = new Map<string, Lane>()
  /** Lanes that use connections or wait. May include some whose last wait has just ended. */
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
  /** Milliseconds for which the process has run. */
  const processTime = (): number => {
    const reading = now()
    processMs += Math.min(reading - lastReading, MOST_STEP_MS)
    lastReading = reading
    return processMs
  }
  /**
   * Expected milliseconds of a read: the average of the lane, or the age of its running read if
   * that is longer.
   */
  const costOf = (lane: Lane): number => Math.max(lane.mean ?? typicalMs, lane.running > 0 ? processTime() - lane.grantedAt : 0)
  const workOf = (lane: Lane): number => lengthOf(lane) * costOf(lane)
  /** Expected milliseconds until all queued reads have a connection. */
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
  /** True if a lane may use another connection. */
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
    /** Returns a free connection. Undefined if the lane has to wait. */
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
     * @throws Refusal overloaded if the queue is full; it states the seconds after which to retry
     */
    acquire(name: string): Promise<Session> {
      const lane = laneOf(name)
      lane.queue ??= createWaitQueue({ limit: Number.POSITIVE_INFINITY, waitMs: PATIENCE * waitMs, refusal: overloaded })
      while (expected() >= waitMs) rejectLongest(lane)
      if (lane.queue.length === 0) lane.since = now()
      active.add(lane)
      return lane.queue.wait()
    },
    /** Returns a connection. @param ms how long it was in use */
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
     * Closes free connections immediately and the others when they are released. Rejects waiting
     * reads with `reason`.
     */
    close(reason: Error): void {
      closed = true
      for (const lane of lanes.values()) lane.queue?.rejectAll(reason)
      for (const session of free) session.close()
    },
  }
}

const lengthOf = ({ queue }: Lane): number => queue?.length ?? 0
/** Priority, as a time. The lane with the earliest time is first. */
const priorityOf = ({ since, used, running }: Lane): number => since + Math.min(used + running * ASSUMED_USE_MS, MOST_PENALTY_MS)
