import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../src/core/index.ts'
import { type Workspace, withLock } from '../publish/index.ts'
import { openArchive } from './archive.ts'
import { createCompleteness, type Judged } from './completeness.ts'
import { type Found, lookInto } from './look.ts'
import { openMoves } from './moves.ts'
import { inboxPlaces, makePlaces, mapped, type Place, unknownPlace } from './places.ts'
import { createPublishedFiles } from './published-files.ts'
import type { TakenFile } from './put-away.ts'
import { isWait, type Lying, type TakeDeps, type TakenFiles, takeFiles } from './take.ts'

export type { TakenFile }

/** What a watcher tells. */
export type InboxEvent =
  | ({ readonly kind: 'taken' } & TakenFiles)
  /** Something that is not taken, told once until it changes. */
  | { readonly kind: 'left'; readonly place: string; readonly file: string; readonly message: string }
  /** Files of a place have to wait, and are tried again after so long. */
  | { readonly kind: 'failed'; readonly place: string; readonly error: unknown; readonly againInMs: number }

export interface WatchOptions {
  readonly dataDir: string
  readonly clock: Clock
  /**
   * How long a file must stay as it is to be whole, in milliseconds, where nothing else says that
   * it is.
   */
  readonly settleMs: number
  /**
   * Ends when every file that is whole was seen to; those still being written are left for the next
   * time.
   */
  readonly once: boolean
  readonly signal: AbortSignal
  /**
   * Opens a workspace for the files of one look, of all folders: files that come alone do not keep
   * an engine open.
   */
  readonly withWorkspace: (work: (workspace: Workspace) => Promise<void>) => Promise<void>
  readonly report: (event: InboxEvent) => void
}

/** Time between two looks. A look costs a millisecond or two. */
const LOOK_MS = 150
/**
 * Files that arrive one after the other are waited for this long, so that they become one
 * publication.
 */
const GATHER_MS = 1_500
const [FIRST_WAIT_MS, MOST_WAIT_MS] = [1_000, 60_000]

const WATCHING = {
  file: '.watching',
  rule: 'being_watched',
  taken: (pid: number) => `Process ${pid} takes the files of this inbox already; one is enough, and two would publish them twice.`,
}

/**
 * Takes files that are dropped into the inbox of a data folder, until the signal, or until all of
 * them were seen to.
 *
 * @throws Refusal conflict when another process watches this data folder
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
  using moves = openMoves()
  while (!signal.aborted) {
    const { found: seen, folders } = lookInto(inbox, moves.isMoved)
    moves.follow(
      folders,
      seen.map(({ path }) => path),
    )
    const [now, taken] = [performance.now(), tellLeft(seen, places)]
    const { due, pending } = turns.due(judge(taken, now), now)
    const waiting = takingsOf(due, places)
    const wait = (place: string, error: unknown): void => report({ kind: 'failed', place, error, againInMs: turns.failed(place) })
    // One workspace for all of them, since opening one takes as long as a small publication; after
    // a failure the next has another.
    while (waiting.length > 0) {
      let taking = waiting[0]!
      try {
        await withWorkspace(async workspace => {
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
        waiting.shift()
        if (taking.length > 1 && !isWait(error)) waiting.unshift(...taking.map(one => [one]))
        else for (const { place } of taking) wait(place.name, error)
      }
    }
    if (due.size > 0) waitUntil = performance.now() + settleMs + GATHER_MS
    if (once && due.size === 0 && (!pending || performance.now() > waitUntil)) return
    await sleep(LOOK_MS, undefined, { signal })
  }
}

/** Files of a feed beyond which the other feeds do not wait until all of them are read. */
const MOST_TOGETHER = 200

/**
 * Which files are taken at once: those of a dataset's own folder by themselves, the calendar's
 * first, then those of all feeds together, but for feeds that brought a history.
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
 * Tells of what is not taken: other things than files, and files in folders that are no places.
 *
 * @returns the files that are to be taken
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
  /** Paths that were there at the look before. */
  readonly paths: ReadonlySet<string>
  /** Since when files wait for others that are still arriving. */
  readonly since: number
}

/**
 * Which places are due: those whose files are whole and to which nothing more arrives, and which
 * did not fail a moment ago.
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
    /** @returns milliseconds until the place is tried again */
    failed(place: string): number {
      const waitMs = Math.min((failing.get(place)?.waitMs ?? FIRST_WAIT_MS / 2) * 2, MOST_WAIT_MS)
      failing.set(place, { until: performance.now() + waitMs, waitMs })
      return waitMs
    },
  }
}
