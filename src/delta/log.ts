import { readdir } from 'node:fs/promises'
import { type Dataset, schemaHash } from '../../catalog/index.ts'
import type { Log } from '../core/index.ts'
import { fromParts, type Session } from '../engine/index.ts'
import { type Manifest, readCurrent, readManifest, releasePaths, retainedReleases } from '../releases/index.ts'
import { addFiles, PROTOCOL } from './actions.ts'
import { CHECKPOINT_EVERY, writeCheckpoint } from './checkpoint.ts'
import { apply, type Commit, makeCommit, type Version } from './commit.ts'
import { addCommit, listLog, logFolder } from './log-files.ts'
import { allVersions, isDamage, newestVersion } from './read-log.ts'
import { sweepDrafts, writeAnew } from './rebuild.ts'
import { declaredFields, type Field, storedField, tableMetadata } from './schema.ts'
import { publicationEvent, type ServedEvent, servedEvents } from './served-events.ts'

/** What a log is written with. The caller holds the dataset's lock: two writers at once would each see the other's drafts as leftovers. */
export interface LogDeps {
  /** Of an engine that may write. */
  readonly session: Session
  /** Folder of the releases. */
  readonly root: string
}

/** What is damaged, `twmd releases verify` tells. */
const unheard: Log = () => {}

/** What became of a table's log. */
export interface LogChange {
  /** whole: it told already what is served. none: nothing was ever released. */
  readonly status: 'whole' | 'continued' | 'rebuilt' | 'none'
  /** The newest version; null where there is none. */
  readonly version: number | null
  /** Commits written. */
  readonly written: number
  /** Why it was rebuilt, as a part of a sentence; null where it was not. */
  readonly because: string | null
}

/**
 * Brings a table's log up to what is served: a commit for each time since its last one that a release became the served one. A log that is
 * absent or damaged is written anew from what is kept. Whatever is written appears commit by commit, each whole.
 *
 * @throws what reading the served release, or writing, throws; the log then is as far as it came
 */
export async function continueLog(deps: LogDeps, dataset: Dataset): Promise<LogChange> {
  const { root } = deps
  const current = await readCurrent(root, dataset.slug)
  if (current === null) return { status: 'none', version: null, written: 0, because: null }
  await sweepDrafts(logFolder(root, dataset.slug))
  const before = await newestVersion(root, dataset)
  if (before === null || isDamage(before)) return rebuilt(deps, dataset, current, before?.damage ?? 'there was none')
  if (before.info.operationParameters.release === current) return { status: 'whole', version: before.version, written: 0, because: null }
  const served = await readManifest(root, dataset.slug, current)
  const commits = await append(deps, dataset, before, served, await eventsAfter(root, dataset, before, served))
  return { status: 'continued', version: before.version + commits, written: commits, because: null }
}

/** The same after a look at every commit: a log whose early versions are damaged, or that lacks a release that is kept, is written anew. */
export async function mendLog(deps: LogDeps, dataset: Dataset): Promise<LogChange> {
  const current = await readCurrent(deps.root, dataset.slug)
  const continued = await continueLog(deps, dataset)
  if (current === null || continued.status === 'rebuilt') return continued
  const { fault } = await checkLog(deps.root, dataset)
  return fault === null ? continued : rebuilt(deps, dataset, current, fault)
}

/** How a table's log stands. */
export interface LogState {
  /** The newest version; null where there is none. */
  readonly version: number | null
  readonly release: string | null
  /** What is wrong, as a part of a sentence; null where the log is whole, and where nothing was ever released. */
  readonly fault: string | null
}

/** Reads every commit of a log and compares it with the releases that are kept. It writes nothing. */
export async function checkLog(root: string, dataset: Dataset): Promise<LogState> {
  const current = await readCurrent(root, dataset.slug)
  const commits = await allVersions(root, dataset)
  if ('damage' in commits) return { version: null, release: null, fault: commits.damage }
  const last = commits.at(-1)
  const told = { version: last?.version ?? null, release: last?.info.operationParameters.release ?? null }
  if (current === null) return { ...told, fault: null }
  if (!last) return { ...told, fault: 'there is none' }
  if (told.release !== current) return { ...told, fault: behind(told.release!, current) }
  const kept = new Set(await retainedReleases(root, dataset.slug))
  const events = await servedEvents(root, dataset, current, unheard)
  const lacking = lackingIn(
    commits,
    events.filter(({ release }) => kept.has(release)),
  )
  return { ...told, fault: lacking === undefined ? null : `release ${lacking.release}, which is kept, is not in it` }
}

/** The same by a look at the newest commits alone. */
export async function glanceAtLog(root: string, dataset: Dataset): Promise<LogState> {
  const current = await readCurrent(root, dataset.slug)
  const newest = await newestVersion(root, dataset)
  if (isDamage(newest)) return { version: null, release: null, fault: newest.damage }
  const told = { version: newest?.version ?? null, release: newest?.info.operationParameters.release ?? null }
  if (current === null || told.release === current) return { ...told, fault: null }
  return { ...told, fault: newest === null ? 'there is none' : behind(told.release!, current) }
}

const behind = (release: string, current: string): string => `its newest version is ${release}, and ${current} is served`

/** The first event that the log does not tell, in the order of the events. */
function lackingIn(commits: readonly Commit[], events: readonly ServedEvent[]): ServedEvent | undefined {
  let at = 0
  for (const event of events) {
    const found = commits.findIndex(({ info }, index) => index >= at && info.operationParameters.event === event.event)
    if (found === -1) return event
    at = found + 1
  }
  return undefined
}

/** What became served since a version, oldest first: at least the last event, since the version does not tell it. */
async function eventsAfter(root: string, dataset: Dataset, { info }: Version, manifest: Manifest): Promise<readonly ServedEvent[]> {
  const { release, event } = info.operationParameters
  const served = publicationEvent(manifest)
  if (manifest.parent === release && !(await hasWithdrawalAfter(root, dataset, event))) return [served]
  const events = await servedEvents(root, dataset, manifest.release, unheard)
  const told = events.findLastIndex(({ event: id }) => id === event)
  return told === -1 ? [events.at(-1) ?? served] : events.slice(told + 1)
}

async function hasWithdrawalAfter(root: string, { slug }: Dataset, event: string): Promise<boolean> {
  const names = await readdir(releasePaths(root, slug).withdrawals).catch(() => [])
  return names.some(name => name > `${event}.json`)
}

/** Adds a commit for each event and a checkpoint where one is due. @returns how many commits there were */
async function append(deps: LogDeps, dataset: Dataset, before: Version, served: Manifest, events: readonly ServedEvent[]): Promise<number> {
  const folder = logFolder(deps.root, dataset.slug)
  let now = before
  for await (const { commit } of commitsOf(deps, dataset, before, served, events)) {
    await addCommit(folder, commit)
    now = apply(now, commit)
  }
  await checkpointWhereDue(deps, dataset, served, folder, now)
  return now.version - before.version
}

async function rebuilt(deps: LogDeps, dataset: Dataset, current: string, because: string): Promise<LogChange> {
  const served = await readManifest(deps.root, dataset.slug, current)
  const events = await servedEvents(deps.root, dataset, current, unheard)
  const { home } = releasePaths(deps.root, dataset.slug)
  const written = await writeAnew(
    home,
    logFolder(deps.root, dataset.slug),
    commitsOf(deps, dataset, null, served, events),
    (folder, version) => checkpointWhereDue(deps, dataset, served, folder, version),
  )
  return { status: 'rebuilt', version: written.version, written: written.commits, because }
}

/** A commit for each event whose release can be read, the last of them that of the served one, with the version it leads to. */
async function* commitsOf(deps: LogDeps, dataset: Dataset, before: Version | null, served: Manifest, events: readonly ServedEvent[]) {
  let now = before
  for (const event of events) {
    const manifest =
      event.release === served.release ? served : await readManifest(deps.root, dataset.slug, event.release).catch(() => null)
    if (manifest === null) continue
    const commit = await makeCommit(dataset, now, event, manifest, manifest => fieldsOf(deps, dataset, manifest))
    now = apply(now, commit)
    yield { commit, version: now }
  }
}

async function checkpointWhereDue(
  deps: LogDeps,
  dataset: Dataset,
  served: Manifest,
  folder: string,
  { version, info }: Version,
): Promise<void> {
  const { checkpoints } = await listLog(folder)
  if (version - (checkpoints.at(-1) ?? 0) < CHECKPOINT_EVERY) return
  const metaData = tableMetadata(dataset, served.synthetic, await fieldsOf(deps, dataset, served))
  await writeCheckpoint(deps.session, folder, { version, protocol: PROTOCOL, metaData, files: addFiles(dataset, served, info.timestamp) })
}

/** The columns a release was written for: as the catalog declares them, or, where it declares others by now, as its first part has them. */
async function fieldsOf({ session, root }: LogDeps, dataset: Dataset, { parts, schema_hash }: Manifest): Promise<readonly Field[]> {
  const [first] = parts
  if (!first || schema_hash === schemaHash(dataset)) return declaredFields(dataset)
  const columns = await session.rows(`DESCRIBE SELECT * FROM ${fromParts([releasePaths(root, dataset.slug).part(first.sha256)])}`)
  return columns.map(row => storedField(String(row['column_name']), String(row['column_type'])))
}
