import { readdir } from 'node:fs/promises'
import { type Dataset, schemaHash } from '../../catalog/index.ts'
import type { Log } from '../core/index.ts'
import { fromParts, type Session } from '../engine/index.ts'
import { type Manifest, readCurrent, readManifest, releasePaths, retainedReleases } from '../releases/index.ts'
import { addFiles, PROTOCOL } from './actions.ts'
import { CHECKPOINT_EVERY, writeCheckpoint } from './checkpoint.ts'
import { apply, type Commit, makeCommit, type Version } from './commit.ts'
import { addCommit, listLog, logFolder } from './log-files.ts'
import { linkPublicName } from './public-name.ts'
import { allVersions, isDamage, newestVersion } from './read-log.ts'
import { rebuildLog, sweepDrafts } from './rebuild.ts'
import { declaredFields, type Field, storedField, tableMetadata } from './schema.ts'
import { publicationEvent, type ServedEvent, servedEvents } from './served-events.ts'

/**
 * The caller must hold the dataset's lock. Concurrent writers would delete each other's incomplete
 * files.
 */
export interface LogDeps {
  /** Session with write access. */
  readonly session: Session
  readonly root: string
}

/** Damage is not logged here. `twmd releases verify` reports damage. */
const silent: Log = () => {}

export interface LogChange {
  /** `whole`: the log was up to date. `none`: the dataset has no release. */
  readonly status: 'whole' | 'continued' | 'rebuilt' | 'none'
  /** Null if the dataset has no release. */
  readonly version: number | null
  readonly written: number
  /** Part of a message. Null if the log was not rebuilt. */
  readonly because: string | null
}

/**
 * Adds one commit per publication or withdrawal. Rebuilds a missing or damaged log. Each commit is
 * atomic.
 * @throws if the served release cannot be read or writing fails; commits that the call has already
 * written stay
 */
export async function continueLog(deps: LogDeps, dataset: Dataset): Promise<LogChange> {
  const { root } = deps
  const current = await readCurrent(root, dataset.slug)
  if (current === null) return { status: 'none', version: null, written: 0, because: null }
  await linkPublicName(root, dataset.slug)
  await sweepDrafts(logFolder(root, dataset.slug))
  const before = await newestVersion(root, dataset)
  if (before === null || isDamage(before)) return rebuild(deps, dataset, current, before?.damage ?? 'there was no log')
  if (before.info.operationParameters.release === current) return { status: 'whole', version: before.version, written: 0, because: null }
  const served = await readManifest(root, dataset.slug, current)
  const commits = await append(deps, dataset, before, served, await eventsAfter(root, dataset, before, served))
  return { status: 'continued', version: before.version + commits, written: commits, because: null }
}

/** Like `continueLog`, but checks every commit and rebuilds a damaged or incomplete log. */
export async function repairLog(deps: LogDeps, dataset: Dataset): Promise<LogChange> {
  const current = await readCurrent(deps.root, dataset.slug)
  const continued = await continueLog(deps, dataset)
  if (current === null || continued.status === 'rebuilt') return continued
  const { fault } = await checkLog(deps.root, dataset)
  return fault === null ? continued : rebuild(deps, dataset, current, fault)
}

export interface LogState {
  /** Null if the log is damaged or absent. */
  readonly version: number | null
  readonly release: string | null
  /** Part of a message. Null if the log is intact or the dataset has no release. */
  readonly fault: string | null
}

/** Compares all commits with the retained releases. Writes nothing. */
export async function checkLog(root: string, dataset: Dataset): Promise<LogState> {
  const current = await readCurrent(root, dataset.slug)
  const commits = await allVersions(root, dataset)
  if ('damage' in commits) return { version: null, release: null, fault: commits.damage }
  const last = commits.at(-1)
  const state = { version: last?.version ?? null, release: last?.info.operationParameters.release ?? null }
  if (current === null) return { ...state, fault: null }
  if (!last) return { ...state, fault: 'there is no log' }
  if (state.release !== current) return { ...state, fault: outdatedFault(state.release!, current) }
  const retained = new Set(await retainedReleases(root, dataset.slug))
  const events = await servedEvents(root, dataset, current, silent)
  const missing = firstMissing(
    commits,
    events.filter(({ release }) => retained.has(release)),
  )
  return { ...state, fault: missing === undefined ? null : `the retained release ${missing.release} is not in the log` }
}

/** Like `checkLog`, but reads only commits after the newest checkpoint. */
export async function checkNewestCommits(root: string, dataset: Dataset): Promise<LogState> {
  const current = await readCurrent(root, dataset.slug)
  const newest = await newestVersion(root, dataset)
  if (isDamage(newest)) return { version: null, release: null, fault: newest.damage }
  const state = { version: newest?.version ?? null, release: newest?.info.operationParameters.release ?? null }
  if (current === null || state.release === current) return { ...state, fault: null }
  return { ...state, fault: newest === null ? 'there is no log' : outdatedFault(state.release!, current) }
}

const outdatedFault = (release: string, current: string): string => `its newest version is release ${release}, but ${current} is served`

/** Returns the first event without a commit. Commits have the same order as events. */
function firstMissing(commits: readonly Commit[], events: readonly ServedEvent[]): ServedEvent | undefined {
  let next = 0
  for (const event of events) {
    const index = commits.findIndex(({ info }, position) => position >= next && info.operationParameters.event === event.event)
    if (index === -1) return event
    next = index + 1
  }
  return undefined
}

/** Oldest first. Never empty, because the log is out of date. */
async function eventsAfter(root: string, dataset: Dataset, { info }: Version, manifest: Manifest): Promise<readonly ServedEvent[]> {
  const { release, event } = info.operationParameters
  const served = publicationEvent(manifest)
  if (manifest.parent === release && !(await hasWithdrawalAfter(root, dataset, event))) return [served]
  const events = await servedEvents(root, dataset, manifest.release, silent)
  const index = events.findLastIndex(({ event: id }) => id === event)
  return index === -1 ? [events.at(-1) ?? served] : events.slice(index + 1)
}

async function hasWithdrawalAfter(root: string, { slug }: Dataset, event: string): Promise<boolean> {
  const names = await readdir(releasePaths(root, slug).withdrawals).catch(() => [])
  return names.some(name => name > `${event}.json`)
}

/** @returns number of commits */
async function append(deps: LogDeps, dataset: Dataset, before: Version, served: Manifest, events: readonly ServedEvent[]): Promise<number> {
  const folder = logFolder(deps.root, dataset.slug)
  let currentVersion = before
  for await (const { commit } of commitsOf(deps, dataset, before, served, events)) {
    await addCommit(folder, commit)
    currentVersion = apply(currentVersion, commit)
  }
  await writeDueCheckpoint(deps, dataset, served, folder, currentVersion)
  return currentVersion.version - before.version
}

async function rebuild(deps: LogDeps, dataset: Dataset, current: string, because: string): Promise<LogChange> {
  const served = await readManifest(deps.root, dataset.slug, current)
  const events = await servedEvents(deps.root, dataset, current, silent)
  const { home } = releasePaths(deps.root, dataset.slug)
  const written = await rebuildLog(
    home,
    logFolder(deps.root, dataset.slug),
    commitsOf(deps, dataset, null, served, events),
    (folder, version) => writeDueCheckpoint(deps, dataset, served, folder, version),
  )
  return { status: 'rebuilt', version: written.version, written: written.commits, because }
}

/**
 * Yields one commit per event. Skips events whose release cannot be read. Ends with the served
 * release.
 */
async function* commitsOf(deps: LogDeps, dataset: Dataset, before: Version | null, served: Manifest, events: readonly ServedEvent[]) {
  let currentVersion = before
  for (const event of events) {
    const manifest =
      event.release === served.release ? served : await readManifest(deps.root, dataset.slug, event.release).catch(() => null)
    if (manifest === null) continue
    const commit = await makeCommit(dataset, currentVersion, event, manifest, manifest => fieldsOf(deps, dataset, manifest))
    currentVersion = apply(currentVersion, commit)
    yield { commit, version: currentVersion }
  }
}

async function writeDueCheckpoint(
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

/**
 * If the schema of the release differs from the catalog, reads the columns from the first Parquet
 * file.
 */
async function fieldsOf({ session, root }: LogDeps, dataset: Dataset, { parts, schema_hash }: Manifest): Promise<readonly Field[]> {
  const [first] = parts
  if (!first || schema_hash === schemaHash(dataset)) return declaredFields(dataset)
  const columns = await session.rows(`DESCRIBE SELECT * FROM ${fromParts([releasePaths(root, dataset.slug).part(first.sha256)])}`)
  return columns.map(row => storedField(String(row['column_name']), String(row['column_type'])))
}
