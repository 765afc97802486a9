import { createWaitQueue, Refusal, type WaitQueue } from '../core/index.ts'
import type { Session } from './engine.ts'

export interface SchedulerOptions {
  /**
   * Maximum expected wait in ms. Other reads are refused. Excludes time in which the process is
   * suspended.
   */
  readonly waitMs: number
  /** Assumed duration of the first read in ms. Default: 5. */
  readonly guessMs?: number
  /** Time in ms. Default: the monotonic clock. */
  readonly now?: () => number
}

interface Lane {
  running: number
  /** Recent use in ms. Halved every second. */
  used: number
  /** Time at which the queue got a connection or started to wait. The later time counts. */
  since: number
  /** Time at which the queue last got a connection. */
  grantedAt: number
  /** Average duration in ms. Undefined until the first read ends. */
  mean: number | undefined
  queue: WaitQueue<Session> | undefined
}

const DECAY_INTERVAL_MS = 1_000
/** Assumed use of a connection that is not released yet. */
const ASSUMED_USE_MS = 250
/** Maximum delay because of recent use. */
const MOST_PENALTY_MS = 1_000
/** Minimum recent use of a heavy queue. A heavy queue also has at least half of the highest use. */
const HEAVY_MS = 250
/** Idle queues with less recent use are deleted. */
const NEGLIGIBLE_MS = 1
const NEW_SHARE = 0.2
/** A longer gap between two clock readings means that the process was suspended. */
const MOST_STEP_MS = 250
/** A new read can replace a waiting read of a queue that has twice as much work. */
const UNEQUAL = 2
/** Accepted reads wait at most `PATIENCE * waitMs`. */
const PATIENCE = 2

/**
 * Distributes connections fairly among queues. The queue that was served longest ago is next, but
 * recent use delays a queue by up to a second. Short reads therefore overtake long reads of other
 * queues. One connection is reserved for short reads. Reads of one queue stay in order.
 */
export function createScheduler(sessions: readonly Session[], { waitMs, guessMs = 5, now = () => performance.now() }: SchedulerOptions) {
  const free = [...sessions]
  /** Limit of connections for one queue, and for all heavy queues together. */
  const most = Math.max(1, sessions.length - 1)
  const lanes = new Map<string, Lane>()
  /** May contain queues that no longer wait. */
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
  /** Time for which the process has run, in ms. */
  const processTime = (): number => {
    const reading = now()
    processMs += Math.min(reading - lastReading, MOST_STEP_MS)
    lastReading = reading
    return processMs
  }
  const costOf = (lane: Lane): number => Math.max(lane.mean ?? typicalMs, lane.running > 0 ? processTime() - lane.grantedAt : 0)
  const workOf = (lane: Lane): number => lengthOf(lane) * costOf(lane)
  /** Expected time in ms until all waiting reads have a connection. */
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
    /** @throws Refusal overloaded if the queue is full */
    acquire(name: string): Promise<Session> {
      const lane = laneOf(name)
      lane.queue ??= createWaitQueue({ limit: Number.POSITIVE_INFINITY, waitMs: PATIENCE * waitMs, refusal: overloaded })
      while (expected() >= waitMs) rejectLongest(lane)
      if (lane.queue.length === 0) lane.since = now()
      active.add(lane)
      return lane.queue.wait()
    },
    /** @param ms time for which the read used the connection */
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
    /** Closes connections when they become free. Waiting reads reject with `reason`. */
    close(reason: Error): void {
      closed = true
      for (const lane of lanes.values()) lane.queue?.rejectAll(reason)
      for (const session of free) session.close()
    },
  }
}

const lengthOf = ({ queue }: Lane): number => queue?.length ?? 0
/** Returns the priority as a time. The earliest time is served first. */
const priorityOf = ({ since, used, running }: Lane): number => since + Math.min(used + running * ASSUMED_USE_MS, MOST_PENALTY_MS)
