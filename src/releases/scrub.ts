import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../core/index.ts'
import { fileVersion, isAbort, sha256InChunks } from './files.ts'
import type { Verifier } from './integrity.ts'
import type { ValidPart } from './part-cache.ts'

/** Background job that repeatedly hashes all readable Parquet files. */
export interface Scrub {
  /**
   * Must not be called while the job runs.
   * @returns a function that stops the job, and resolves when no file is open
   */
  start(options: ScrubOptions): () => Promise<void>
  progress(): ScrubProgress
}

export interface ScrubOptions {
  readonly bytesPerSecond: number
  /** True while reads have priority. */
  readonly isBusy: () => boolean
  readonly now: Clock
  readonly leastLapMs?: number
  /** Waits for a number of ms. Must reject if the signal is aborted. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

export interface ScrubProgress {
  /** Number of readable Parquet files. `bytes` is the total size. */
  readonly parts: number
  readonly bytes: number
  readonly toGo: number
  /** Number of complete passes. */
  readonly laps: number
  /** Null before the end of the first pass. */
  readonly lapEndedAt: Date | null
  readonly lapSeconds: number | null
}

export interface ScrubDeps {
  readonly verifier: Verifier
  /**
   * Called if a file of the dataset is damaged or replaced. Repeated later if the promise rejects.
   */
  readonly review: (slug: string) => Promise<void>
  /** Called for errors other than damage. Reports consecutive errors only once. */
  readonly failed: (error: unknown) => void
}

const LEAST_LAP_MS = 120_000
/** Factor by which the job is slower while reads run. A full stop could last forever. */
const YIELD = 8
/** Bytes to hash before a pause. Pausing after each small file would take longer than hashing. */
const BURST_BYTES = 1 << 18
/** Interval in ms for checking whether files have changed. Also the longest pause. */
const POLL_MS = 1_000
/** Files per check. This takes a fraction of a millisecond. */
const POLLED_FILES = 64

/** The job is idle until `start` is called. No error stops the job. */
export function createScrub({ verifier, review, failed }: ScrubDeps): Scrub {
  const laps = createLaps(verifier)
  return {
    progress: laps.progress,
    start({ bytesPerSecond, isBusy, now, leastLapMs = LEAST_LAP_MS, pause = pauseIdle }) {
      const ending = new AbortController()
      const touched = createTouchedParts(verifier)
      const changed = new Map<string, 'replaced' | 'damaged'>()
      let sincePoll = 0
      /** Returns early if a file has changed. */
      const rest = async (ms: number): Promise<void> => {
        const touchedBefore = touched.size()
        for (let left = ms; left > 0 && touched.size() <= touchedBefore && !ending.signal.aborted; left -= POLL_MS) {
          const slice = Math.min(left, POLL_MS)
          await pause(slice, ending.signal)
          sincePoll += slice
          if (sincePoll >= POLL_MS) touched.poll()
          sincePoll %= POLL_MS
        }
        ending.signal.throwIfAborted()
      }
      /** Hashed bytes, and length of the next pause in ms. */
      let burst = { bytes: 0, ms: 0 }
      const endBurst = async (): Promise<void> => {
        const { ms } = burst
        burst = { bytes: 0, ms: 0 }
        await rest(ms)
      }
      const verify = async (part: ValidPart, rate: number): Promise<void> => {
        const hash = (file: string) =>
          sha256InChunks(file, part.part.bytes, async bytes => {
            burst = { bytes: burst.bytes + bytes, ms: burst.ms + (1_000 * bytes * (isBusy() ? YIELD : 1)) / rate }
            if (burst.bytes >= BURST_BYTES || burst.ms >= POLL_MS) await endBurst()
          })
        const result = await verifier.verifyAgain(part, hash)
        if (result !== 'same' && changed.get(part.slug) !== 'damaged') changed.set(part.slug, result)
      }
      const step = async (): Promise<void> => {
        for (const [slug, reason] of changed) {
          // A backup with hard links changes hundreds of files. Hash all changed files before the
          // dataset is reviewed once.
          if (reason === 'replaced' && touched.size() > 0) continue
          await review(slug)
          changed.delete(slug)
        }
        const urgent = touched.next()
        const next = urgent ?? laps.next()
        if (urgent) await verify(urgent, bytesPerSecond)
        else if (next) await verify(next, Math.min(bytesPerSecond, (1_000 * laps.bytes()) / leastLapMs))
        else {
          await endBurst()
          if (!laps.end(now())) await rest(POLL_MS)
        }
      }
      const run = async (): Promise<void> => {
        for (let failing = false; !ending.signal.aborted; ) {
          try {
            await step()
            failing = false
          } catch (error) {
            if (isAbort(error)) return
            if (!failing) failed(error)
            failing = true
            await rest(POLL_MS).catch(() => {})
          }
        }
      }
      laps.begin()
      const running = run()
      return () => {
        ending.abort()
        return running
      }
    },
  }
}

const pauseIdle = (ms: number, signal: AbortSignal): Promise<unknown> => sleep(ms, undefined, { signal, ref: false })

function createLaps(verifier: Verifier) {
  let since = 0
  let began = 0
  let laps = 0
  let last: Pick<ScrubProgress, 'lapEndedAt' | 'lapSeconds'> = { lapEndedAt: null, lapSeconds: null }
  const begin = (): void => {
    since = verifier.verifications()
    began = performance.now()
  }
  const bytes = (): number => {
    let sum = 0
    for (const { part } of verifier.valid()) sum += part.bytes
    return sum
  }
  return {
    begin,
    bytes,
    next: (): ValidPart | undefined => verifier.due(since),
    /**
     * Starts the next pass.
     * @returns false if there are no files to hash
     */
    end(endedAt: Date): boolean {
      laps++
      last = { lapEndedAt: endedAt, lapSeconds: (performance.now() - began) / 1_000 }
      begin()
      return verifier.due(since) !== undefined
    },
    progress(): ScrubProgress {
      const valid = [...verifier.valid()]
      return { parts: valid.length, bytes: bytes(), toGo: valid.filter(({ sequence }) => sequence <= since).length, laps, ...last }
    },
  }
}

/** Finds files that were replaced since the last verification. Checks a few files per poll. */
function createTouchedParts(verifier: Verifier) {
  const touched = new Map<string, ValidPart>()
  let unpolled: ValidPart[] = []
  return {
    size: (): number => touched.size,
    poll(): void {
      if (unpolled.length === 0) unpolled = [...verifier.valid()]
      for (const part of unpolled.splice(-POLLED_FILES)) if (fileVersion(part.file) !== part.version) touched.set(part.file, part)
    },
    next(): ValidPart | undefined {
      for (const [file, part] of touched) {
        touched.delete(file)
        return part
      }
      return undefined
    },
  }
}
