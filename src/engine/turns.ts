import { createWaitQueue, Refusal, type WaitQueue } from '../core/index.ts'
import type { Session } from './engine.ts'

/** Bounds of those who wait for a connection. */
export interface TurnOptions {
  /**
   * Milliseconds that the line may take, by what its reads are likely to take: whoever would make it longer is refused at once. One that
   * was let in waits twice as long at most, in milliseconds the process runs.
   */
  readonly waitMs: number
  /** What a read is taken to need until some were measured, in milliseconds; 5 when absent. */
  readonly guessMs?: number
  /** Milliseconds of a clock; the process's monotonic one when absent. */
  readonly now?: () => number
}

interface Lane {
  /** Connections it holds. */
  running: number
  /** Milliseconds it held connections of late: halved every second. */
  used: number
  /** When it was last given one, or began to wait for one. */
  since: number
  /** When it was last given one, by the clock that stands still with the process. */
  given: number
  /** Milliseconds its reads take of late; undefined until one has ended. */
  mean: number | undefined
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
/** Share of a new measure in what reads are likely to take. */
const NEW_SHARE = 0.2
/** Longest time between two looks at the clock that counts: beyond it, the process stood still. */
const LOOK_MS = 250
/** A lane gives a place up to one that has so many times less to do: whoever waits is seldom sent away for one who has about as much. */
const UNEQUAL = 2
/** What was let in waits so many times what it was expected to, at most. */
const PATIENCE = 2

/**
 * Shares connections among lanes. Of those that wait, the lane goes first that has waited longest since it was last served, where each is
 * put back by the time it used the engine of late, up to a second: short reads of one pass long reads of another. Within a lane reads
 * keep their order. Neither one lane nor all heavy ones together hold all connections, so that one is soon free for a short read. When the
 * line is as long as its time allows, a newcomer takes the place of the last one of the lane whose reads take longest together, where
 * these would still take twice as long as its own; otherwise it is refused at once: who is let in is seldom refused later.
 */
export function createTurns(sessions: readonly Session[], { waitMs, guessMs = 5, now = () => performance.now() }: TurnOptions) {
  const free = [...sessions]
  const most = Math.max(1, sessions.length - 1)
  const lanes = new Map<string, Lane>()
  /** Lanes that hold connections or wait, and some whose reads just gave up waiting: a few of the many that are remembered. */
  const live = new Set<Lane>()
  let halvedAt = now()
  let closed = false
  let typical = guessMs
  let [ran, lookedAt] = [0, now()]

  const laneOf = (name: string): Lane => {
    const lane = lanes.get(name) ?? { running: 0, used: 0, since: 0, given: 0, mean: undefined, queue: undefined }
    lanes.set(name, lane)
    return lane
  }
  const waiting = (): number => {
    let sum = 0
    for (const lane of live) sum += lengthOf(lane)
    return sum
  }
  /** Milliseconds the process ran. */
  const running = (): number => {
    const at = now()
    ran += Math.min(at - lookedAt, LOOK_MS)
    lookedAt = at
    return ran
  }
  /** What a read of the lane is likely to take: as long as those before, and as the one that runs, where that takes longer. */
  const costOf = (lane: Lane): number => Math.max(lane.mean ?? typical, lane.running > 0 ? running() - lane.given : 0)
  const workOf = (lane: Lane): number => lengthOf(lane) * costOf(lane)
  /** Milliseconds until whoever waits has had a turn. */
  const expected = (): number => {
    let work = 0
    for (const lane of live) {
      const length = lengthOf(lane)
      if (length > 0) work += length * costOf(lane)
      else if (lane.running === 0) live.delete(lane)
    }
    return work / (live.size > 1 ? sessions.length : most)
  }
  const overloaded = (): Refusal => new Refusal('overloaded', { retry_after: Math.max(1, Math.ceil((expected() - waitMs) / 1_000)) })
  const makeRoom = (lane: Lane): void => {
    let longest = lane
    for (const other of live) if (workOf(other) > workOf(longest)) longest = other
    if (workOf(longest) - costOf(longest) < UNEQUAL * (workOf(lane) + costOf(lane))) throw overloaded()
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
    for (const { used, running } of live) if (used >= Math.max(HEAVY_MS, heavy)) held += running
    return held < most
  }
  const nextLane = (): Lane | undefined => {
    let [best, first]: [Lane | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
    for (const lane of live) {
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
      lane.since = now()
      lane.given = running()
      lane.queue!.resolveFirst(free.pop()!)
    }
  }
  const halve = (at: number): void => {
    if (at - halvedAt < HALVED_EVERY_MS) return
    halvedAt = at
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
      live.add(lane)
      lane.given = running()
      return free.pop()
    },
    /** The next connection for the lane. @throws Refusal overloaded when the line takes too long, with the seconds until it does not any more */
    wait(name: string): Promise<Session> {
      const lane = laneOf(name)
      lane.queue ??= createWaitQueue({ limit: Number.POSITIVE_INFINITY, waitMs: PATIENCE * waitMs, refusal: overloaded })
      while (expected() >= waitMs) makeRoom(lane)
      if (lane.queue.length === 0) lane.since = now()
      live.add(lane)
      return lane.queue.wait()
    },
    /** Takes a connection back. @param ms how long it was held */
    release(name: string, session: Session, ms: number): void {
      const lane = laneOf(name)
      lane.running--
      lane.used += ms
      lane.mean = NEW_SHARE * ms + (1 - NEW_SHARE) * (lane.mean ?? ms)
      typical = NEW_SHARE * ms + (1 - NEW_SHARE) * typical
      if (lane.running + lengthOf(lane) === 0) live.delete(lane)
      if (closed) return session.close()
      free.push(session)
      halve(now())
      handOver()
    },
    load() {
      running()
      return { busy: sessions.length - free.length, waiting: waiting() }
    },
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
