import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../core/index.ts'
import { fileVersion, isAbort, sha256InPieces } from './files.ts'
import type { Verifier } from './integrity.ts'
import type { ValidPart } from './part-cache.ts'

/** Hashes parts again and again, slowly: a lap goes over each that reads may open. */
export interface Scrub {
  /** Runs until what it returns is called, which resolves once nothing is read any more. One at a time. */
  start(options: ScrubOptions): () => Promise<void>
  progress(): ScrubProgress
}

export interface ScrubOptions {
  readonly bytesPerSecond: number
  /** True while reads are to go first: the scrub is then `YIELD` times slower. */
  readonly isBusy: () => boolean
  readonly now: Clock
  /** A lap of little data takes that long. */
  readonly leastLapMs?: number
  /** Waits, and rejects once the signal is aborted; in between nothing is read. */
  readonly pause?: (ms: number, signal: AbortSignal) => Promise<unknown>
}

export interface ScrubProgress {
  /** Parts that reads may open, and their size in all. */
  readonly parts: number
  readonly bytes: number
  /** Parts of this lap that are still to be hashed. */
  readonly toGo: number
  /** Complete laps since the start. */
  readonly laps: number
  /** When the last complete lap ended, and how long it took; null before. */
  readonly lapEndedAt: Date | null
  readonly lapSeconds: number | null
}

export interface ScrubDeps {
  readonly verifier: Verifier
  /** Called when a part of the dataset turned out damaged, or another file than before. Called again after a while where it rejects. */
  readonly review: (slug: string) => Promise<void>
  /** Called with the first of several errors in a row, which say nothing about a part. */
  readonly failed: (error: unknown) => void
}

const LEAST_LAP_MS = 60_000
/** How much slower the scrub is while reads run. It does not stop, so that load cannot put it off for ever. */
const YIELD = 8
/** Milliseconds between looks at the files' versions, and how many are looked at: under a millisecond. */
const LOOK_MS = 1_000
const LOOKS = 256

/** Does nothing before it is started. Nothing it meets ends it. */
export function createScrub({ verifier, review, failed }: ScrubDeps): Scrub {
  const laps = createLaps(verifier)
  return {
    progress: laps.progress,
    start({ bytesPerSecond, isBusy, now, leastLapMs = LEAST_LAP_MS, pause = pauseIdle }) {
      const ending = new AbortController()
      const touched = createTouched(verifier)
      /** Datasets of parts that are not what they were. */
      const changed = new Map<string, 'replaced' | 'damaged'>()
      let sinceLook = 0
      /** Looks at versions meanwhile, and ends early when some changed. */
      const rest = async (ms: number): Promise<void> => {
        const known = touched.size()
        for (let left = ms; left > 0 && touched.size() <= known && !ending.signal.aborted; left -= LOOK_MS) {
          const slice = Math.min(left, LOOK_MS)
          await pause(slice, ending.signal)
          sinceLook += slice
          if (sinceLook >= LOOK_MS) touched.look()
          sinceLook %= LOOK_MS
        }
        ending.signal.throwIfAborted()
      }
      const verify = async (part: ValidPart, rate: number): Promise<void> => {
        const hash = (file: string) => sha256InPieces(file, bytes => rest((1_000 * bytes * (isBusy() ? YIELD : 1)) / rate))
        const found = await verifier.verifyAgain(part, hash)
        if (found !== 'same' && changed.get(part.slug) !== 'damaged') changed.set(part.slug, found)
      }
      const step = async (): Promise<void> => {
        for (const [slug, what] of changed) {
          // A backup that links files touches hundreds of them: they are taken up together.
          if (what === 'replaced' && touched.size() > 0) continue
          await review(slug)
          changed.delete(slug)
        }
        const urgent = touched.next()
        const next = urgent ?? laps.next()
        if (urgent) await verify(urgent, bytesPerSecond)
        else if (next) await verify(next, Math.min(bytesPerSecond, (1_000 * laps.bytes()) / leastLapMs))
        else if (!laps.end(now())) await rest(LOOK_MS)
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
            await rest(LOOK_MS).catch(() => {})
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
  let [since, began, laps] = [0, 0, 0]
  let last: Pick<ScrubProgress, 'lapEndedAt' | 'lapSeconds'> = { lapEndedAt: null, lapSeconds: null }
  const begin = (): void => {
    since = verifier.turns()
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
    /** Begins the next lap. False where it has nothing to go over. */
    end(at: Date): boolean {
      laps++
      last = { lapEndedAt: at, lapSeconds: (performance.now() - began) / 1_000 }
      begin()
      return verifier.due(since) !== undefined
    },
    progress(): ScrubProgress {
      const valid = [...verifier.valid()]
      return { parts: valid.length, bytes: bytes(), toGo: valid.filter(({ turn }) => turn <= since).length, laps, ...last }
    },
  }
}

/** Parts whose file was written or replaced since it was verified, found by looking at some of them at a time. */
function createTouched(verifier: Verifier) {
  const touched = new Map<string, ValidPart>()
  let round: ValidPart[] = []
  return {
    size: (): number => touched.size,
    look(): void {
      if (round.length === 0) round = [...verifier.valid()]
      for (const part of round.splice(-LOOKS)) if (fileVersion(part.file) !== part.version) touched.set(part.file, part)
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
