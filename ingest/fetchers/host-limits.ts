import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Clock, Refusal } from '../../src/core/index.ts'
import { withLock } from '../publish/index.ts'

export interface HostLimitDeps {
  readonly clock: Clock
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  readonly random: () => number
}

export interface HostLimits {
  /**
   * Runs `work` when the host permits the next request. All processes of the data folder run one
   * request at a time.
   *
   * @param waiting called before a wait of more than ten seconds
   */
  take<T>(host: string, work: () => Promise<T>, waiting?: (seconds: number, why: string) => void, signal?: AbortSignal): Promise<T>
  /** Blocks requests to a host, and counts a failure. */
  pause(host: string, seconds: number, why: string): void
  failures(host: string): number
  /** Resets the failures of a host after a success. */
  answered(host: string): void
}

/**
 * Minimum milliseconds between two requests to a host. The exchanges block clients for half an
 * hour after more than three requests in five seconds.
 */
export const MIN_PAUSE_MS = 3_000
const JITTER_MS = 1_500
/** Maximum pause in seconds. */
export const MAX_PAUSE_S = 3_600
const LOCK_POLL_MS = 250
/** Milliseconds. Longer waits are reported to the caller. */
const REPORTED_WAIT_MS = 10_000

interface HostState {
  /** When the next request is permitted, RFC 3339. */
  readonly next_at: string
  readonly failures: number
  readonly why: string | null
}

const isOwnMachine = (host: string): boolean => /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])(:\d+)?$/.test(host)

/**
 * @param folder contains one file per host, and the lock of the running request
 * @param pauseMs minimum time between two requests to a host
 */
export function openHostLimits(folder: string, { clock, sleep, random }: HostLimitDeps, pauseMs?: number): HostLimits {
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
    const minimum = pauseMs ?? (isOwnMachine(host) ? 0 : MIN_PAUSE_MS)
    return minimum + (minimum > 0 ? random() * JITTER_MS : 0)
  }
  const leftOf = (host: string): number => {
    const state = read(host)
    const left = state === undefined ? 0 : Date.parse(state.next_at) - clock().getTime()
    // A time this far ahead was written while the system clock was wrong.
    return Number.isNaN(left) || left > 2 * MAX_PAUSE_S * 1_000 ? 0 : Math.max(0, left)
  }
  const hostLimits: HostLimits = {
    async take(host, work, waiting = () => {}, signal) {
      for (;;) {
        const left = leftOf(host)
        if (left > REPORTED_WAIT_MS) waiting(Math.ceil(left / 1_000), read(host)?.why ?? 'the last request was a moment ago')
        if (left > 0) await sleep(left, signal)
        signal?.throwIfAborted()
        const result = await whenFree(folder, sleep, signal, async () => {
          // Another process may have sent a request while this one waited for the lock.
          if (leftOf(host) > 0) return undefined
          write(host, pauseOf(host), hostLimits.failures(host), null)
          try {
            return { value: await work() }
          } finally {
            write(host, pauseOf(host), hostLimits.failures(host), null)
          }
        })
        if (result !== undefined) return result.value
      }
    },
    pause: (host, seconds, why) => write(host, seconds * 1_000, hostLimits.failures(host) + 1, why),
    failures: host => read(host)?.failures ?? 0,
    answered(host) {
      const state = read(host)
      if (state !== undefined && state.failures > 0) write(host, leftOf(host), 0, null)
    },
  }
  return hostLimits
}

async function whenFree<T>(
  folder: string,
  sleep: HostLimitDeps['sleep'],
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
): Promise<T> {
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
