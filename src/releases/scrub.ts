import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../core/index.ts'
import { fileVersion, isAbort, sha256InChunks } from './files.ts'
import type { Verifier } from './integrity.ts'
import type { ValidPart } from './part-cache.ts'

/**
 * Repeatedly hashes all parts in the background. One pass covers every part that reads may open.
 */
export interface Scrub {
  /**
   * Starts the scrub. Do not call it while it runs.
   *
   * @returns a function that stops the scrub and resolves when it no longer reads
   */
  start(options: ScrubOptions): () => Promise<void>
  progress(): ScrubProgress
}

export interface ScrubOptions {
  readonly bytesPerSecond: number
  /** True while reads have priority. The scrub is then `YIELD` times slower. */
  readonly isBusy: () => boolean
  readonly now: Clock
  /** Minimum duration of a pass. */
  readonly leastLapMs?: number
  /** Sleeps. Must reject when the signal is aborted. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

export interface ScrubProgress {
  /** Parts that reads may open, and their total size. */
  readonly parts: number
  readonly bytes: number
  /** Number of parts left to hash in this pass. */
  readonly toGo: number
  /** Number of complete passes since the start. */
  readonly laps: number
  /** End and duration of the last complete pass. Null before the first one. */
  readonly lapEndedAt: Date | null
  readonly lapSeconds: number | null
}

export interface ScrubDeps {
  readonly verifier: Verifier
  /**
   * Called if a part of the dataset is damaged or was replaced. If it rejects, it is called again
   * later.
   */
  readonly review: (slug: string) => Promise<void>
  /** Called with the first of several consecutive errors that do not concern a part. */
  readonly failed: (error: unknown) => void
}

const LEAST_LAP_MS = 120_000
/**
 * Factor by which the scrub is slower while reads run. The scrub does not stop for reads, because
 * constant load would delay it forever.
 */
const YIELD = 8
/**
 * Bytes to hash before a pause. Small parts are hashed together, because a timer costs more than
 * hashing one of them.
 */
const BURST_BYTES = 1 << 18
/**
 * Milliseconds between checks of file versions. A burst ends when its pause reaches this duration.
 */
const POLL_MS = 1_000
/** Number of files per check. Checking them takes a fraction of a millisecond. */
const POLLED_FILES = 64

/** Idle until started. Errors never stop it. */
export function createScrub({ verifier, review, failed }: ScrubDeps): Scrub {
  const laps = createLaps(verifier)
  return {
    progress: laps.progress,
    start({ bytesPerSecond, isBusy, now, leastLapMs = LEAST_LAP_MS, pause = pauseIdle }) {
      const ending = new AbortController()
      const touched = createTouchedParts(verifier)
      /** Datasets to review, by slug, with the reason. */
      const changed = new Map<string, 'replaced' | 'damaged'>()
      let sincePoll = 0
      /** Sleeps, and checks file versions at intervals. Ends early if a file has changed. */
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
      /** Number of bytes hashed since the last pause, and the duration of the next pause. */
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
          // A backup with hard links changes hundreds of files. Check all changed files first, and
          // review the dataset once for all of them.
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
  /** Number of verifications at the start of this pass. `began` is the time of the start. */
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
    /** Ends this pass and starts the next one. @returns false if there is no part to hash */
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

/**
 * Parts whose file was written or replaced since its verification. Each poll checks the next few
 * parts.
 */
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
