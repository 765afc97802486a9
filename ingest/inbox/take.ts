import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { Refusal } from '../../src/core/index.ts'
import { isMachineFault } from '../../src/engine/index.ts'
import { sha256Of } from '../../src/releases/index.ts'
import { folderColumns } from '../intake/index.ts'
import type { DatasetOutcome, Workspace } from '../publish/index.ts'
import type { Archive, Taken } from './archive.ts'
import { type Found, isForbidden, isGone } from './look.ts'
import { type Place, readBy } from './places.ts'
import { apart, type Batch, type BatchRun, type Drop, passesAlone, publishDrops, publishTogether } from './publish-drops.ts'
import type { PublishedFiles } from './published-files.ts'
import { isSame, putAway, removeMark, type TakenFile } from './put-away.ts'

export interface TakenFiles {
  readonly place: string
  readonly files: readonly TakenFile[]
  readonly publications: readonly DatasetOutcome[]
  readonly leftQuarantine: readonly string[]
}

export interface TakeDeps {
  readonly dataDir: string
  readonly archive: Archive
  readonly published: PublishedFiles
  readonly report: (taken: TakenFiles) => void
  /** True when the watcher stops. Remaining files then stay in the inbox. */
  readonly isStopping: () => boolean
}

export interface Lying {
  readonly place: Place
  readonly found: readonly Found[]
}

/**
 * Publishes files of several feeds together, then moves them to the archive or the quarantine.
 * After a crash, journal and manifests show the next run which files only have to be moved.
 *
 * @param lying files of one folder, or of several feeds
 * @returns why files of a folder stay in the inbox, keyed by folder
 * @throws Error if one of several folders may block the others; retry each folder alone
 */
export async function takeFiles(workspace: Workspace, lying: readonly Lying[], deps: TakeDeps): Promise<ReadonlyMap<string, unknown>> {
  const failures = new Map<string, unknown>()
  const attempt = async ({ name }: Place, work: () => Promise<void>): Promise<void> => {
    try {
      await work()
    } catch (error) {
      if (!failures.has(name)) failures.set(name, error)
    }
  }
  const together: Batch[] = []
  for (const { place, found } of lying) {
    await attempt(place, async () => {
      const { already, begun, fresh } = await sorted(place, await hashed(place, found, deps), deps)
      if (already.length > 0) settleAlready(place, already, deps)
      if (fresh.length > 0) together.push({ place, drops: fresh })
      if (begun.length > 0 && !deps.isStopping()) await takeBatch(workspace, { place, drops: begun }, deps)
    })
  }
  if (deps.isStopping()) return failures
  const [first] = together
  if (first && together.length === 1) await attempt(first.place, () => takeBatch(workspace, first, deps))
  else if (first) await takeTogether(workspace, together, deps, attempt)
  return failures
}

/** Publishes several feeds together. Retries each feed alone if one may block the others. */
async function takeTogether(
  workspace: Workspace,
  batches: readonly Batch[],
  deps: TakeDeps,
  attempt: (place: Place, work: () => Promise<void>) => Promise<void>,
): Promise<void> {
  const runs = await publishTogether(workspace, batches)
  const done = batches.map(({ place }, index) => ({ place, ...parted(runs[index]!) }))
  settle(workspace, done, deps)
  const waits = runs.flatMap(({ waiting }) => waiting.map(({ error }) => error))
  const unexpected = waits.find(error => !isWait(error))
  if (unexpected !== undefined) throw unexpected
  for (const { place, run, again } of done) {
    await attempt(place, async () => {
      if (again.length > 0) await takeEach(workspace, place, apart({ place, drops: again }), deps)
      const [waiting] = run.waiting
      if (waiting) throw waiting.error
    })
  }
}

/** Separates refused files that may be valid alone. */
function parted(run: BatchRun): { readonly run: BatchRun; readonly again: readonly Drop[] } {
  const again = run.refused.filter(({ faults }) => passesAlone(faults)).map(({ drop }) => drop)
  return { run: { ...run, refused: run.refused.filter(({ drop }) => !again.includes(drop)) }, again }
}

/**
 * Returns the columns in folder names, as text. Equal files in two folders can have different
 * rows. Folder names are therefore part of a file's identity.
 */
const folderText = ({ holds }: Place, file: string): string => (holds.kind === 'dataset' ? JSON.stringify(folderColumns(file)) : '[]')

/** Returns files with their sha256, oldest first. Equal files wait for a later scan. */
async function hashed(place: Place, found: readonly Found[], { report }: TakeDeps): Promise<readonly Drop[]> {
  const drops = new Map<string, Drop>()
  for (const one of found.toSorted((a, b) => a.modifiedAt - b.modifiedAt || (a.file < b.file ? -1 : 1))) {
    try {
      const sha256 = await sha256Of(one.path)
      const rows = `${sha256} ${folderText(place, one.file)}`
      if (!drops.has(rows)) drops.set(rows, { ...one, sha256 })
    } catch (error) {
      if (isGone(error)) continue
      if (!isForbidden(error)) throw error
      const said = ['Permission denied. Grant read access and the file is picked up.']
      report({ place: place.name, files: [{ file: one.file, outcome: 'left', movedTo: null, rule: null, said }], ...NO_MORE })
    }
  }
  return [...drops.values()]
}

const NO_MORE = { publications: [], leftQuarantine: [] } as const

interface Sorted {
  /** Files that were processed before, or whose rows are in a release. They are only moved. */
  readonly already: readonly { readonly drop: Drop; readonly releases: Taken['releases'] }[]
  /**
   * Files to publish again, each in its own publication. An interrupted run published them, perhaps
   * without derived rows, or another version read them. A common release would also list files that
   * added nothing.
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
    const folders = folderText(place, drop.file)
    const last = archive.taken(place.name, drop.sha256).findLast(({ file }) => folderText(place, file) === folders)
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
    else if (readBy(place) !== undefined || folders !== '[]' || (await published.isNewest(datasets[0]!, release))) begun.push(drop)
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
    return [`The same content was processed before as ${before.file}${release ? ` and is in ${release}` : ''}.`]
  }
  const files = already.map(one => ({ ...moved(place, one.drop, 'already', deps), said: said(one) }))
  deps.report({ place: place.name, files, ...NO_MORE })
}

function entryOf(place: Place, { file, sha256 }: Drop, outcome: Taken['outcome'], releases: Taken['releases']): Omit<Taken, 'at'> {
  const by = readBy(place)
  return { inbox: place.name, file, sha256, outcome, releases, ...(by !== undefined && { read_by: by }) }
}

/** Returns a note if another version of the mapping or code read the file before. */
function readAnew(place: Place, { sha256 }: Drop, { archive }: TakeDeps): readonly string[] {
  const last = archive.taken(place.name, sha256).at(-1)
  if (last === undefined || last.read_by === readBy(place)) return []
  const by = place.holds.kind === 'feed' ? 'an earlier version of the feed' : 'another mapping'
  return [`The same content was imported before as ${last.file} with ${by}, so it was read again.`]
}

/** Publishes the files of one folder. If one file blocks the others, uses smaller batches. */
async function takeBatch(workspace: Workspace, { place, drops }: Batch, deps: TakeDeps): Promise<void> {
  let all: BatchRun
  try {
    all = await publishDrops(workspace, { place, drops })
  } catch (error) {
    const there = drops.filter(({ path }) => lstatSync(path, { throwIfNoEntry: false }))
    if (there.length === 0) return
    if (isWait(error) || drops.length === 1) throw error
    return takeEach(workspace, place, there.length < drops.length ? [there] : halves(drops), deps)
  }
  const { run, again } = drops.length === 1 ? { run: all, again: [] } : parted(all)
  settle(workspace, [{ place, run }], deps)
  if (again.length > 0) await takeEach(workspace, place, apart({ place, drops: again }), deps)
}

/**
 * True for failures that the file did not cause: another publication runs, or the machine or the
 * served release has a fault.
 */
export const isWait = (error: unknown): boolean => isMachineFault(error) || (error instanceof Refusal && error.code !== 'body_refused')

const halves = (drops: readonly Drop[]): readonly (readonly Drop[])[] => {
  const middle = Math.ceil(drops.length / 2)
  return [drops.slice(0, middle), drops.slice(middle)]
}

async function takeEach(workspace: Workspace, place: Place, batches: readonly (readonly Drop[])[], deps: TakeDeps): Promise<void> {
  let failure: unknown
  for (const batch of batches) {
    if (deps.isStopping()) break
    try {
      await takeBatch(workspace, { place, drops: batch }, deps)
    } catch (error) {
      if (isWait(error)) throw error
      failure ??= error
    }
  }
  if (failure !== undefined) throw failure
}

/**
 * Records accepted files in the journal. Then moves files and reports them.
 *
 * @throws Error if some files cannot be moved into quarantine
 */
function settle(workspace: Workspace, runs: readonly { readonly place: Place; readonly run: BatchRun }[], deps: TakeDeps): void {
  const anew = new Map(runs.flatMap(({ place, run }) => run.accepted.map(({ drop }) => [drop.path, readAnew(place, drop, deps)])))
  const entries = runs.flatMap(({ place, run }) =>
    run.accepted.map(({ drop, outcome, releases }) => entryOf(place, drop, outcome, releases)),
  )
  if (entries.length > 0) deps.archive.record(entries)
  let failure: unknown
  for (const { place, run } of runs) {
    const { accepted, refused, publications, notes } = run
    const files: TakenFile[] = accepted.map(({ drop, outcome }) => ({
      ...moved(place, drop, outcome, deps),
      said: [...anew.get(drop.path)!, ...(notes.get(drop.path) ?? [])],
    }))
    const put = putAway(workspace, place, refused, deps.dataDir)
    failure ??= put.failure
    if (files.length + put.files.length + publications.length === 0) continue
    deps.report({ place: place.name, files: [...files, ...put.files], publications, leftQuarantine: put.left })
  }
  if (failure !== undefined) throw failure
}

function moved(place: Place, drop: Drop, outcome: TakenFile['outcome'], { archive }: TakeDeps): Omit<TakenFile, 'said'> {
  const facts = { file: drop.file, outcome, rule: null }
  if (!isSame(drop)) return { ...facts, movedTo: null }
  const to = archive.move(drop.path, place.name, drop.file)
  removeMark(drop)
  return { ...facts, movedTo: join('archive', to) }
}
