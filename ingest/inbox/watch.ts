import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'
import type { Clock } from '../../src/core/index.ts'
import { type Workspace, withLock } from '../publish/index.ts'
import { openArchive } from './archive.ts'
import { createCompleteness, type Judged, MOVED_MS } from './completeness.ts'
import { type Found, lookInto } from './look.ts'
import { openMoves } from './moves.ts'
import { inboxPlaces, makePlaces, mapped, type Place, unknownPlace } from './places.ts'
import { createPublishedFiles } from './published-files.ts'
import type { TakenFile } from './put-away.ts'
import { isWait, type Lying, type TakeDeps, type TakenFiles, takeFiles } from './take.ts'

export type { TakenFile }

export type InboxEvent =
  | ({ readonly kind: 'taken' } & TakenFiles)
  /** A file that stays in the inbox. Reported again only after a change. */
  | { readonly kind: 'left'; readonly place: string; readonly file: string; readonly message: string }
  /** A folder that could not be processed. Retried after `againInMs`. */
  | { readonly kind: 'failed'; readonly place: string; readonly error: unknown; readonly againInMs: number }

export interface WatchOptions {
  readonly dataDir: string
  readonly clock: Clock
  /**
   * Milliseconds without a change after which a file is complete. Files with a `.done` file, and
   * renamed files, are complete earlier.
   */
  readonly settleMs: number
  /** True to return after all complete files are processed. */
  readonly once: boolean
  readonly signal: AbortSignal
  /** Opens a workspace for one scan. No engine stays open between scans. */
  readonly withWorkspace: (work: (workspace: Workspace) => Promise<void>) => Promise<void>
  readonly report: (event: InboxEvent) => void
}

/**
 * Milliseconds between scans while the inbox has files. Also used if the system does not report
 * changes. A scan takes one or two ms.
 */
const LOOK_MS = 150
/** Milliseconds between scans of an empty inbox. Network mounts report no changes. */
const IDLE_MS = 1_000
/**
 * Maximum milliseconds to wait for further files. Files that arrive together become one
 * publication.
 */
const GATHER_MS = 1_500
const [FIRST_WAIT_MS, MOST_WAIT_MS] = [1_000, 60_000]

const WATCHING = {
  file: '.watching',
  rule: 'being_watched',
  taken: (pid: number) => `Process ${pid} already watches this inbox. Stop it first: two processes would publish each file twice.`,
}

/**
 * Processes files until the signal is aborted. With `once`, until all complete files are processed.
 *
 * @throws Refusal conflict if another process watches the same data folder
 */
export async function watchInbox(options: WatchOptions): Promise<void> {
  const { dataDir, signal } = options
  const inbox = join(dataDir, 'inbox')
  mkdirSync(inbox, { recursive: true })
  await withLock(inbox, () => watchLocked(inbox, options), WATCHING).catch(error => {
    if (!signal.aborted || (error as Error).name !== 'AbortError') throw error
  })
}

async function watchLocked(inbox: string, options: WatchOptions): Promise<void> {
  const { dataDir, clock, settleMs, once, signal, withWorkspace, report } = options
  const places = await inboxPlaces()
  makePlaces(inbox, places)
  const deps: TakeDeps = {
    dataDir,
    archive: openArchive(join(dataDir, 'archive'), clock),
    published: createPublishedFiles(join(dataDir, 'releases')),
    report: taken => report({ kind: 'taken', ...taken }),
    isStopping: () => signal.aborted,
  }
  const [judge, turns, tellLeft] = [createCompleteness(settleMs), createTurns(), createTeller(report)]
  let waitUntil = performance.now() + settleMs + GATHER_MS
  const alarm = createAlarm(signal)
  using moves = openMoves(alarm.ring)
  let former: ReadonlySet<string> = new Set()
  const scan = () => {
    const { found: seen, folders } = lookInto(inbox, moves.isMoved)
    moves.follow(
      folders,
      seen.map(({ path }) => path),
    )
    const [now, taken] = [performance.now(), tellLeft(seen, places)]
    const { due, pending } = turns.due(judge(taken, now), now)
    const isArriving = taken.some(({ path, isMoved, isDone }) => (isMoved || isDone) && !former.has(path))
    former = new Set(taken.map(({ path }) => path))
    return { now, isEmpty: taken.length === 0, due, pending, isArriving, waiting: takingsOf(due, places) }
  }
  const wait = (place: string, error: unknown): void => report({ kind: 'failed', place, error, againInMs: turns.failed(place) })
  while (!signal.aborted) {
    let { now, isEmpty, due, pending, isArriving, waiting } = scan()
    // All folders share a workspace, because opening a workspace takes as long as a small
    // publication. After a failure, the next folder gets a new workspace.
    while (waiting.length > 0 || isArriving) {
      let taking: Lying[] | undefined = waiting[0]
      try {
        await withWorkspace(async workspace => {
          // Files become complete while the workspace opens.
          while (waiting.length === 0 && isArriving) {
            await alarm.wait(MOVED_MS, now)
            ;({ now, isEmpty, due, pending, isArriving, waiting } = scan())
          }
          isArriving = false
          while (waiting.length > 0) {
            taking = waiting[0]!
            const lying = taking.map(({ place, found }) => ({ place: mapped(dataDir, inbox, place), found }))
            const failures = await takeFiles(workspace, lying, deps)
            waiting.shift()
            for (const { place } of taking) if (!failures.has(place.name)) turns.done(place.name)
            for (const [place, error] of failures) if (!signal.aborted) wait(place, error)
            if (failures.size > 0) return
          }
        })
      } catch (error) {
        if (signal.aborted) return
        isArriving = false
        if (taking === undefined) break
        waiting.shift()
        if (taking.length > 1 && !isWait(error)) waiting.unshift(...taking.map(one => [one]))
        else for (const { place } of taking) wait(place.name, error)
      }
    }
    if (due.size > 0) waitUntil = performance.now() + settleMs + GATHER_MS
    if (once && due.size === 0 && (!pending || performance.now() > waitUntil)) return
    await alarm.wait(isEmpty && moves.isComplete() ? IDLE_MS : LOOK_MS, now)
  }
}

/** Waits between scans. A reported change ends the wait. */
function createAlarm(signal: AbortSignal) {
  let changed = false
  let waiting = new AbortController()
  return {
    ring(): void {
      changed = true
      waiting.abort()
    },
    /**
     * Waits until `ms` after the last scan. A reported change ends the wait, but not before
     * `MOVED_MS`. Without this minimum, a long write would cause one scan per event.
     */
    async wait(ms: number, scannedAt: number): Promise<void> {
      const passed = (): number => performance.now() - scannedAt
      await sleep(Math.max(0, MOVED_MS - passed()), undefined, { signal })
      waiting = new AbortController()
      const ended = AbortSignal.any([signal, waiting.signal])
      if (!changed) await sleep(Math.max(0, ms - passed()), undefined, { signal: ended }).catch(() => signal.throwIfAborted())
      // Waits for the event of a write that follows the creation of a file.
      if (changed) await turn()
      changed = false
    },
  }
}

/** A feed with more files is processed alone, so that other feeds need not wait. */
const MOST_TOGETHER = 200

/**
 * Groups files to process together. Each dataset and each large feed is a group of its own. All
 * small feeds form one group. The calendar comes first.
 */
function takingsOf(due: ReadonlyMap<string, readonly Found[]>, places: ReadonlyMap<string, Place>): Lying[][] {
  const lying = [...places.values()].flatMap(place => (due.has(place.name) ? [{ place, found: due.get(place.name)! }] : []))
  const together = lying.filter(({ place, found }) => place.holds.kind === 'feed' && found.length <= MOST_TOGETHER)
  const alone = Map.groupBy(
    lying.filter(one => !together.includes(one)),
    ({ place }) => place.holds.kind,
  )
  const each = (kind: Place['holds']['kind']): Lying[][] => (alone.get(kind) ?? []).map(one => [one])
  return [...each('dataset'), ...(together.length > 0 ? [together] : []), ...each('feed')]
}

/**
 * Reports entries that cannot be processed, such as files in unknown folders.
 *
 * @returns the files to process
 */
function createTeller(report: WatchOptions['report']) {
  let told: ReadonlySet<string> = new Set()
  return (found: readonly Found[], places: ReadonlyMap<string, Place>): readonly Found[] => {
    const left = found.flatMap(one => {
      const message = one.fault ?? (places.has(one.place) ? null : unknownPlace(one.place, places))
      return message === null ? [] : [{ ...one, message: message.en }]
    })
    const before = told
    told = new Set(left.map(({ path, mark }) => `${path} ${mark}`))
    for (const { path, mark, place, file, message } of left) {
      if (!before.has(`${path} ${mark}`)) report({ kind: 'left', place, file, message })
    }
    return found.filter(({ fault, place }) => fault === null && places.has(place))
  }
}

interface Turn {
  readonly paths: ReadonlySet<string>
  readonly since: number
}

/**
 * Selects folders to process now: their files are complete, no further files are arriving, and no
 * retry is pending.
 */
function createTurns() {
  let before: ReadonlyMap<string, Turn> = new Map()
  const failing = new Map<string, { readonly until: number; readonly waitMs: number }>()
  return {
    due({ complete, arriving }: Judged, now: number) {
      const there = Map.groupBy([...complete, ...arriving], ({ place }) => place)
      const whole = Map.groupBy(complete, ({ place }) => place)
      const due = new Map<string, readonly Found[]>()
      const turns = new Map<string, Turn>()
      for (const [place, found] of there) {
        const former = before.get(place)
        const since = former?.since ?? now
        const isQuiet = former !== undefined && found.every(({ path }) => former.paths.has(path))
        const ready = whole.get(place) ?? []
        if (ready.length > 0 && (isQuiet || now - since >= GATHER_MS) && now >= (failing.get(place)?.until ?? 0)) due.set(place, ready)
        else turns.set(place, { paths: new Set(found.map(({ path }) => path)), since: ready.length > 0 ? since : now })
      }
      before = turns
      return { due, pending: [...there.keys()].some(place => !due.has(place) && !failing.has(place)) }
    },
    done: (place: string): void => void failing.delete(place),
    /** @returns milliseconds until the next attempt */
    failed(place: string): number {
      const waitMs = Math.min((failing.get(place)?.waitMs ?? FIRST_WAIT_MS / 2) * 2, MOST_WAIT_MS)
      failing.set(place, { until: performance.now() + waitMs, waitMs })
      return waitMs
    },
  }
}
