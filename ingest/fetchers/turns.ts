import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, Refusal } from '../../src/core/index.ts'
import { withLock } from '../publish/index.ts'

/** What a turn may use: the time and a way to let it pass, so that tests need not wait. */
export interface TurnDeps {
  readonly clock: Clock
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** From 0 to 1, for the jitter. */
  readonly random: () => number
}

/** Turns at asking sources, shared by every process that works on a data folder. */
export interface Turns {
  /**
   * Runs a request once its host may be asked again, while nobody else asks any host.
   *
   * @param waiting called before a wait of more than a moment
   */
  take<T>(host: string, work: () => Promise<T>, waiting?: (seconds: number, why: string) => void, signal?: AbortSignal): Promise<T>
  /** Leaves a host alone for some seconds, whoever wants to ask it. */
  holdOff(host: string, seconds: number, why: string): void
  /** Failures of a host one after another; none after a good answer. */
  failures(host: string): number
  /** Forgets the failures of a host, which answers again. */
  answered(host: string): void
}

/** The exchanges shut out who asks more often than three times in five seconds, for half an hour. */
export const LEAST_PAUSE_MS = 3_000
const JITTER_MS = 1_500
/** Longest time for which a host is left alone at once, in seconds. */
export const LONGEST_HOLD_S = 3_600
const LOCK_POLL_MS = 250
/** Longer waits are told. */
const TELL_MS = 10_000

interface HostState {
  /** Instant from which on the host may be asked, RFC 3339. */
  readonly next_at: string
  readonly failures: number
  readonly why: string | null
}

/** A server on this machine takes no harm of being asked often. */
const isOwnMachine = (host: string): boolean => /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])(:\d+)?$/.test(host)

/**
 * @param folder where the times are kept: a file a host, and the lock of the one that asks
 * @param pauseMs least time between two requests of a host
 */
export function openTurns(folder: string, { clock, sleep, random }: TurnDeps, pauseMs?: number): Turns {
  mkdirSync(folder, { recursive: true })
  const fileOf = (host: string): string => join(folder, `${host.replace(/[^\w.-]/g, '_')}.json`)
  const read = (host: string): HostState | undefined => {
    try {
      return JSON.parse(readFileSync(fileOf(host), 'utf8')) as HostState
    } catch {
      return undefined
    }
  }
  const write = (host: string, afterMs: number, failures: number, why: string | null): void => {
    const state: HostState = { next_at: new Date(clock().getTime() + afterMs).toISOString(), failures, why }
    writeFileSync(`${fileOf(host)}.next`, `${JSON.stringify(state)}\n`)
    renameSync(`${fileOf(host)}.next`, fileOf(host))
  }
  const pauseOf = (host: string): number => {
    const least = pauseMs ?? (isOwnMachine(host) ? 0 : LEAST_PAUSE_MS)
    return least + (least > 0 ? random() * JITTER_MS : 0)
  }
  const leftOf = (host: string): number => {
    const state = read(host)
    const left = state === undefined ? 0 : Date.parse(state.next_at) - clock().getTime()
    // A time that far ahead was written while the clock was wrong.
    return Number.isNaN(left) || left > 2 * LONGEST_HOLD_S * 1_000 ? 0 : Math.max(0, left)
  }
  const turns: Turns = {
    async take(host, work, waiting = () => {}, signal) {
      for (;;) {
        const left = leftOf(host)
        if (left > TELL_MS) waiting(Math.ceil(left / 1_000), read(host)?.why ?? 'it was asked a moment ago')
        if (left > 0) await sleep(left, signal)
        signal?.throwIfAborted()
        const turn = await whenFree(folder, sleep, signal, async () => {
          // Another process may have asked it while this one slept.
          if (leftOf(host) > 0) return undefined
          write(host, pauseOf(host), turns.failures(host), null)
          try {
            return { done: await work() }
          } finally {
            write(host, pauseOf(host), turns.failures(host), null)
          }
        })
        if (turn !== undefined) return turn.done
      }
    },
    holdOff: (host, seconds, why) => write(host, seconds * 1_000, turns.failures(host) + 1, why),
    failures: host => read(host)?.failures ?? 0,
    answered(host) {
      const state = read(host)
      if (state !== undefined && state.failures > 0) write(host, leftOf(host), 0, null)
    },
  }
  return turns
}

/** Runs work under the folder's lock, once nobody holds it. */
async function whenFree<T>(folder: string, sleep: TurnDeps['sleep'], signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  for (;;) {
    let begun = false
    try {
      return await withLock(folder, () => {
        begun = true
        return work()
      })
    } catch (error) {
      if (begun || !(error instanceof Refusal && error.facts['rule'] === 'being_published')) throw error
      await sleep(LOCK_POLL_MS, signal)
      signal?.throwIfAborted()
    }
  }
}
