import { lstatSync, renameSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { Refusal } from '../../src/core/index.ts'
import { isMachineFault } from '../../src/engine/index.ts'
import { sha256Of } from '../../src/releases/index.ts'
import { createQuarantine } from '../intake/index.ts'
import type { DatasetOutcome, Workspace } from '../publish/index.ts'
import type { Archive, Taken } from './archive.ts'
import { DONE, type Found, isForbidden, isGone, markOf } from './look.ts'
import { type Place, readBy } from './places.ts'
import { apart, type BatchRun, type Drop, passesAlone, publishDrops } from './publish-drops.ts'
import type { PublishedFiles } from './published-files.ts'

/** What became of a file. */
export interface TakenFile {
  /** Path within its folder of the inbox. */
  readonly file: string
  /** already: its bytes were taken before, and are only moved. left: it stays where it is. */
  readonly outcome: Taken['outcome'] | 'already' | 'refused' | 'left'
  /** Where it is now, from the data folder; null where it stays. */
  readonly movedTo: string | null
  /** The rule that a refused file broke first. */
  readonly rule: string | null
  /** Why it was refused or left; otherwise what its feed tells of it. */
  readonly said: readonly string[]
}

/** What became of files of one folder of the inbox that were published together. */
export interface TakenFiles {
  readonly place: string
  readonly files: readonly TakenFile[]
  /** Publications, those that followed from others included. */
  readonly publications: readonly DatasetOutcome[]
  /** Quarantine folders that left to make room. */
  readonly leftQuarantine: readonly string[]
}

export interface TakeDeps {
  readonly dataDir: string
  readonly archive: Archive
  readonly published: PublishedFiles
  readonly report: (taken: TakenFiles) => void
  /** True once the watcher is to stop: what was not begun stays where it is. */
  readonly isStopping: () => boolean
}

/**
 * Publishes files of one place in as few publications as their rows allow, and moves each to the archive or the quarantine once what it
 * brought is served. After a crash the next run finds in the archive's journal, and in what releases were made of, which files need only be
 * moved.
 *
 * @throws Error for whatever keeps some of them waiting; these stay in the inbox, and all others were seen to
 */
export async function takeFiles(workspace: Workspace, place: Place, found: readonly Found[], deps: TakeDeps): Promise<void> {
  const drops = await hashed(place, found, deps)
  const { already, begun, fresh } = await sorted(place, drops, deps)
  if (already.length > 0) settleAlready(place, already, deps)
  let failure: unknown
  for (const batch of [begun, fresh]) {
    if (batch.length === 0 || deps.isStopping()) continue
    try {
      await takeBatch(workspace, place, batch, deps)
    } catch (error) {
      failure ??= error
    }
  }
  if (failure !== undefined) throw failure
}

/** The files with their sha256, each set of bytes once: its twins are looked at again after it was taken. Oldest first. */
async function hashed(place: Place, found: readonly Found[], { report }: TakeDeps): Promise<readonly Drop[]> {
  const drops = new Map<string, Drop>()
  for (const one of found.toSorted((a, b) => a.modifiedAt - b.modifiedAt || (a.file < b.file ? -1 : 1))) {
    try {
      const sha256 = await sha256Of(one.path)
      if (!drops.has(sha256)) drops.set(sha256, { ...one, sha256 })
    } catch (error) {
      if (isGone(error)) continue
      if (!isForbidden(error)) throw error
      const said = ['This user may not read it; let it, and the file is taken.']
      report({ place: place.name, files: [{ file: one.file, outcome: 'left', movedTo: null, rule: null, said }], ...NO_MORE })
    }
  }
  return [...drops.values()]
}

const NO_MORE = { publications: [], leftQuarantine: [] } as const

interface Sorted {
  /** Taken before, or found in a release: only moved. */
  readonly already: readonly { readonly drop: Drop; readonly releases: Taken['releases'] }[]
  /**
   * Files of which a run that ended midway published some rows, or whose rows were made of them in another way. By themselves, so that no new
   * release names them as its source for nothing.
   */
  readonly begun: readonly Drop[]
  readonly fresh: readonly Drop[]
}

async function sorted(place: Place, drops: readonly Drop[], { archive, published }: TakeDeps): Promise<Sorted> {
  const datasets = place.holds.kind === 'dataset' ? [place.holds.dataset] : place.holds.datasets
  const isServed = async ({ releases }: Taken): Promise<boolean> => {
    for (const dataset of datasets) {
      const release = releases[dataset.slug]
      if (release !== undefined && (await published.isWithdrawn(dataset, release))) return false
    }
    return true
  }
  const [already, begun, fresh]: [Sorted['already'][number][], Drop[], Drop[]] = [[], [], []]
  for (const drop of drops) {
    const last = archive.taken(place.name, drop.sha256).at(-1)
    if (last && last.read_by !== readBy(place)) {
      begun.push(drop)
      continue
    }
    if (last && (await isServed(last))) {
      already.push({ drop, releases: last.releases })
      continue
    }
    const found = last ? [] : await Promise.all(datasets.map(dataset => published.releaseOf(dataset, drop.sha256)))
    const release = found.find(one => one !== undefined)
    if (release === undefined) fresh.push(drop)
    else if (readBy(place) !== undefined) begun.push(drop)
    else already.push({ drop, releases: { [datasets[0]!.slug]: release } })
  }
  return { already, begun, fresh }
}

function settleAlready(place: Place, already: Sorted['already'], deps: TakeDeps): void {
  const { archive } = deps
  const unknown = already.filter(({ drop }) => archive.taken(place.name, drop.sha256).length === 0)
  const entries = unknown.map(({ drop, releases }) => entryOf(place, drop, 'published', releases))
  if (entries.length > 0) archive.record(entries)
  const said = ({ drop, releases }: Sorted['already'][number]): readonly string[] => {
    const [release] = Object.values(releases)
    const before = archive.taken(place.name, drop.sha256).at(-1)!
    return [`Its bytes were taken before, as ${before.file}${release ? `, and are in ${release}` : ''}.`]
  }
  const files = already.map(one => ({ ...moved(place, one.drop, 'already', deps), said: said(one) }))
  deps.report({ place: place.name, files, ...NO_MORE })
}

function entryOf(place: Place, { file, sha256 }: Drop, outcome: Taken['outcome'], releases: Taken['releases']): Omit<Taken, 'at'> {
  const by = readBy(place)
  return { inbox: place.name, file, sha256, outcome, releases, ...(by !== undefined && { read_by: by }) }
}

/** What is said of a file whose bytes were taken before and read in another way. */
function readAnew(place: Place, { sha256 }: Drop, { archive }: TakeDeps): readonly string[] {
  const last = archive.taken(place.name, sha256).at(-1)
  if (last === undefined || last.read_by === readBy(place)) return []
  const by = place.holds.kind === 'feed' ? 'an earlier version of the feed' : 'another mapping'
  return [`Its bytes were taken before, as ${last.file}, and read by ${by}; they were read anew.`]
}

/** Publishes files together; where one of them stands in the way of others, in smaller batches, one after the other. */
async function takeBatch(workspace: Workspace, place: Place, drops: readonly Drop[], deps: TakeDeps): Promise<void> {
  let run: BatchRun
  try {
    run = await publishDrops(workspace, place, drops)
  } catch (error) {
    const there = drops.filter(({ path }) => lstatSync(path, { throwIfNoEntry: false }))
    if (there.length === 0) return
    if (isWait(error) || drops.length === 1) throw error
    return takeEach(workspace, place, there.length < drops.length ? [there] : halves(drops), deps)
  }
  const again = drops.length === 1 ? [] : run.refused.filter(({ faults }) => passesAlone(faults)).map(({ drop }) => drop)
  settle(workspace, place, { ...run, refused: run.refused.filter(({ drop }) => !again.includes(drop)) }, deps)
  if (again.length > 0) await takeEach(workspace, place, apart(place, again), deps)
}

/** What a file is not to blame for: another process publishes the dataset, or the machine or the served release has to be mended. */
const isWait = (error: unknown): boolean => isMachineFault(error) || (error instanceof Refusal && error.code !== 'body_refused')

const halves = (drops: readonly Drop[]): readonly (readonly Drop[])[] => {
  const middle = Math.ceil(drops.length / 2)
  return [drops.slice(0, middle), drops.slice(middle)]
}

async function takeEach(workspace: Workspace, place: Place, batches: readonly (readonly Drop[])[], deps: TakeDeps): Promise<void> {
  let failure: unknown
  for (const batch of batches) {
    if (deps.isStopping()) break
    try {
      await takeBatch(workspace, place, batch, deps)
    } catch (error) {
      if (isWait(error)) throw error
      failure ??= error
    }
  }
  if (failure !== undefined) throw failure
}

/** Moves files to where they belong now, and tells of them. */
function settle(workspace: Workspace, place: Place, { accepted, refused, publications, notes }: BatchRun, deps: TakeDeps): void {
  const entries = accepted.map(({ drop, outcome, releases }) => entryOf(place, drop, outcome, releases))
  const anew = new Map(accepted.map(({ drop }) => [drop.path, readAnew(place, drop, deps)]))
  if (entries.length > 0) deps.archive.record(entries)
  const files: TakenFile[] = accepted.map(({ drop, outcome }) => ({
    ...moved(place, drop, outcome, deps),
    said: [...anew.get(drop.path)!, ...(notes.get(drop.path) ?? [])],
  }))
  const put = putAway(workspace, place, refused, deps)
  deps.report({ place: place.name, files: [...files, ...put.files], publications, leftQuarantine: put.left })
}

/** A file that changed after it was read is another by now: it stays, and is looked at again. */
const isSame = ({ path, mark }: Drop): boolean => {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats !== undefined && markOf(stats) === mark
}

function moved(place: Place, drop: Drop, outcome: TakenFile['outcome'], { archive }: TakeDeps): Omit<TakenFile, 'said'> {
  const facts = { file: drop.file, outcome, rule: null }
  if (!isSame(drop)) return { ...facts, movedTo: null }
  const to = archive.move(drop.path, place.name, drop.file)
  removeMark(drop)
  return { ...facts, movedTo: join('archive', to) }
}

const removeMark = ({ path, isDone }: Drop): void => {
  if (isDone) rmSync(`${path}${DONE}`, { force: true })
}

/** Ending of a refused file that the quarantine cannot keep: it is left where it is and not taken again until it is renamed. */
const REFUSED = '.refused'

/** A name that no refused file before it has. */
function refusedNameOf(path: string): string {
  for (let nth = 1; ; nth++) {
    const name = nth === 1 ? `${path}${REFUSED}` : `${path}.${nth}${REFUSED}`
    if (!lstatSync(name, { throwIfNoEntry: false })) return name
  }
}

function putAway(workspace: Workspace, { holds }: Place, refused: BatchRun['refused'], { dataDir }: TakeDeps) {
  const quarantine = createQuarantine(workspace)
  const name = holds.kind === 'dataset' ? holds.dataset.slug : holds.feed.name
  const kept = refused
    .filter(({ drop }) => isSame(drop))
    .map(({ drop, faults }) => ({ drop, faults, folder: quarantine.keep(drop.path, drop.sha256, { for: name, file: drop.path, faults }) }))
  const { left, reportOnly } = quarantine.close()
  const files = kept.map(({ drop, faults, folder }): TakenFile => {
    const isKept = !left.includes(folder) && !reportOnly.includes(folder)
    if (isKept) rmSync(drop.path)
    const aside = isKept ? '' : refusedNameOf(drop.path)
    if (!isKept) renameSync(drop.path, aside)
    removeMark(drop)
    const said = faults.map(({ message }) => message)
    return {
      file: drop.file,
      outcome: 'refused',
      movedTo: relative(dataDir, isKept ? folder : aside),
      rule: faults[0]!.rule,
      said,
    }
  })
  return { files, left }
}
