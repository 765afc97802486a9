import { createWaitQueue, Refusal, type WaitQueue } from '../core/index.ts'
import type { Session } from './engine.ts'

/** Bounds of those who wait for a connection. */
export interface TurnOptions {
  /** Most reads that wait, of all lanes together. */
  readonly queue: number
  /** Most reads of one lane that wait. */
  readonly laneQueue: number
  /** Longest wait, in milliseconds the process runs. */
  readonly waitMs: number
}

interface Lane {
  /** Connections it holds. */
  running: number
  /** Milliseconds it held connections of late: halved every second. */
  used: number
  /** When it was last given one, or began to wait for one. */
  since: number
  /** Made for its first read that has to wait. */
  queue: WaitQueue<Session> | undefined
}

const HALVED_EVERY_MS = 1_000
/** What a connection that is held counts as until it is known how long it was. */
const HELD_MS = 250
/** Most that a lane is put back for what it used: nobody waits without end. */
const MOST_BACK_MS = 1_000
/** A heavy lane used this much of late at least, and half as much as the one that used most. */
const HEAVY_MS = 250
/** A lane that holds nothing and used less than this is forgotten. */
const FORGOTTEN_MS = 1

/**
 * Shares connections among lanes. Of those that wait, the lane goes first that has waited longest since it was last served, where each is
 * put back by the time it used the engine of late, up to a second: short reads of one pass long reads of another. Within a lane reads
 * keep their order. Neither one lane nor all heavy ones together hold all connections, so that one is soon free for a short read. When the queue of all is full, a newcomer takes
 * the place of the last one of the longest lane, unless its own is as long.
 */
export function createTurns(sessions: readonly Session[], { queue, laneQueue, waitMs }: TurnOptions) {
  const free = [...sessions]
  const most = Math.max(1, sessions.length - 1)
  const lanes = new Map<string, Lane>()
  let halvedAt = performance.now()
  let closed = false

  const laneOf = (name: string): Lane => {
    const lane = lanes.get(name) ?? { running: 0, used: 0, since: 0, queue: undefined }
    lanes.set(name, lane)
    return lane
  }
  const waiting = (): number => {
    let sum = 0
    for (const lane of lanes.values()) sum += lengthOf(lane)
    return sum
  }
  const makeRoom = (lane: Lane): void => {
    let longest = lane
    for (const other of lanes.values()) if (lengthOf(other) > lengthOf(longest)) longest = other
    if (longest === lane) throw overloaded()
    longest.queue!.rejectLast()
  }
  const mostUsed = (): number => {
    let found = 0
    for (const { used } of lanes.values()) found = Math.max(found, used)
    return found
  }
  /** True where a lane may hold one more connection, if it is free. */
  const mayHold = (lane: Lane): boolean => {
    if (lane.running >= most) return false
    if (lane.used < HEAVY_MS) return true
    const heavy = mostUsed() / 2
    if (lane.used < heavy) return true
    let held = 0
    for (const { used, running } of lanes.values()) if (used >= Math.max(HEAVY_MS, heavy)) held += running
    return held < most
  }
  const nextLane = (): Lane | undefined => {
    let [best, first]: [Lane | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
    for (const lane of lanes.values()) {
      if (lengthOf(lane) === 0 || placeOf(lane) >= first || !mayHold(lane)) continue
      best = lane
      first = placeOf(lane)
    }
    return best
  }
  const handOver = (): void => {
    while (free.length > 0) {
      const lane = nextLane()
      if (!lane) return
      lane.running++
      lane.since = performance.now()
      lane.queue!.next(free.pop()!)
    }
  }
  const halve = (now: number): void => {
    if (now - halvedAt < HALVED_EVERY_MS) return
    halvedAt = now
    for (const [name, lane] of lanes) {
      lane.used /= 2
      if (lane.running + lengthOf(lane) === 0 && lane.used < FORGOTTEN_MS) lanes.delete(name)
    }
  }
  return {
    /** A free connection at once; undefined where the lane has to wait for one. */
    take(name: string): Session | undefined {
      const lane = laneOf(name)
      if (free.length === 0 || lengthOf(lane) > 0 || !mayHold(lane)) return undefined
      lane.running++
      return free.pop()
    },
    /** The next connection for the lane. @throws Refusal overloaded when too many wait, or the wait is too long */
    wait(name: string): Promise<Session> {
      const lane = laneOf(name)
      lane.queue ??= createWaitQueue({ limit: laneQueue, waitMs, refusal: overloaded })
      if (waiting() >= queue) makeRoom(lane)
      if (lane.queue.length === 0) lane.since = performance.now()
      return lane.queue.wait()
    },
    /** Takes a connection back. @param ms how long it was held */
    release(name: string, session: Session, ms: number): void {
      const lane = laneOf(name)
      lane.running--
      lane.used += ms
      if (closed) return session.close()
      free.push(session)
      halve(performance.now())
      handOver()
    },
    load: () => ({ busy: sessions.length - free.length, waiting: waiting() }),
    /** Closes the free connections now and the others on release; refuses whoever waits. */
    close(reason: Error): void {
      closed = true
      for (const lane of lanes.values()) lane.queue?.rejectAll(reason)
      for (const session of free) session.close()
    },
  }
}

const lengthOf = ({ queue }: Lane): number => queue?.length ?? 0
/** As a moment: the lane with the earliest one goes first. */
const placeOf = ({ since, used, running }: Lane): number => since + Math.min(used + running * HELD_MS, MOST_BACK_MS)
const overloaded = (): Refusal => new Refusal('overloaded', { retry_after: 1 })
