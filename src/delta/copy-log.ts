import { readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import type { Dataset } from '../../catalog/index.ts'
import { syncFolder } from '../core/index.ts'
import { type Manifest, readCurrent, readManifest, releasePaths } from '../releases/index.ts'
import { type AddFile, type Protocol, partPath } from './actions.ts'
import { CHECKPOINT_EVERY, checkpointFault, removeCheckpoints, type TableState, writeCheckpoint } from './checkpoint.ts'
import { type Commit, parseCommit } from './commit.ts'
import type { LogDeps } from './log.ts'
import { addCommitText, checkpointName, commitFile, commitName, LAST_CHECKPOINT, listLog, logFolder } from './log-files.ts'
import { linkPublicName } from './public-name.ts'
import { replaceFolder, sweepDrafts, withStage } from './rebuild.ts'
import type { TableMetadata } from './schema.ts'
import { type LogIdentity, logIdentity } from './versions.ts'

/** Fetches the commits from version `first` to version `last`, both inclusive. */
export type FetchCommits = (first: number, last: number) => Promise<readonly string[]>

interface StoredCommit extends Commit {
  readonly text: string
}

/**
 * Copies a table's log from another service, byte for byte. Writes the newest version first. After
 * a crash, the next call adds missing versions. Until all versions are present, reading an earlier
 * version fails, but never returns wrong rows.
 *
 * @throws Error if the fetched commits are not the log in `target`, or do not end at the served
 * release; the local log stays unchanged
 */
export async function copyLog({ session, root }: LogDeps, dataset: Dataset, target: LogIdentity, fetch: FetchCommits): Promise<void> {
  const { home } = releasePaths(root, dataset.slug)
  const folder = logFolder(root, dataset.slug)
  await linkPublicName(root, dataset.slug)
  await sweepDrafts(folder)
  const served = await readManifest(root, dataset.slug, (await readCurrent(root, dataset.slug))!)
  const own = await intactCommits(folder, target.version)
  const commits = await commitsOf(target, own, fetch)
  const state = stateOf(commits)
  checkState(state, commits.at(-1)!, served)
  if ((await checkpointFault(folder)) !== null) await removeCheckpoints(folder)
  const { versions } = await listLog(folder)
  const newest = versions.at(-1) ?? -1
  const last = commits.at(-1)!
  const first = commits.findIndex(({ text }, version) => own[version]?.text !== text)
  if (first === -1 && newest === last.version) return
  if (first === last.version && newest === first - 1 && newest >= 0) {
    await addCommitText(folder, last, last.text)
    const { checkpoints } = await listLog(folder)
    if (last.version - (checkpoints.at(-1) ?? 0) >= CHECKPOINT_EVERY) await writeCheckpoint(session, folder, state)
    return
  }
  const newestText = await readFile(commitFile(folder, newest), 'utf8').catch(() => null)
  const isInPlace = newestText !== null && (newest < last.version || (newest === last.version && newestText === last.text))
  await withStage(home, async stage => {
    for (const commit of isInPlace ? commits.slice(first) : commits) await addCommitText(stage, commit, commit.text)
    await writeCheckpoint(session, stage, state)
    if (isInPlace) await replaceVersions(stage, folder, first, last.version)
    else await replaceFolder(home, stage, folder)
  })
}

/** Stops before the first missing or damaged commit. */
async function intactCommits(folder: string, last: number): Promise<readonly StoredCommit[]> {
  const { versions } = await listLog(folder)
  const read = async (version: number): Promise<StoredCommit> => storedCommit(version, await readFile(commitFile(folder, version), 'utf8'))
  const commits = await Promise.all(versions.filter(version => version <= last).map(version => read(version).catch(() => null)))
  const end = commits.findIndex((commit, index) => commit?.version !== index)
  return (end === -1 ? commits : commits.slice(0, end)) as readonly StoredCommit[]
}

const storedCommit = (version: number, text: string): StoredCommit => ({ ...parseCommit(version, text), text })

/** Fetches only missing and different commits. */
async function commitsOf(target: LogIdentity, own: readonly StoredCommit[], fetch: FetchCommits): Promise<readonly StoredCommit[]> {
  const fetchParsed = async (first: number, last: number): Promise<readonly StoredCommit[]> =>
    first > last ? [] : (await fetch(first, last)).map((text, index) => fetchedCommit(first + index, text))
  const later = await fetchParsed(own.length, target.version)
  const continued = [...own, ...later]
  if (isTarget(continued, target)) return continued
  const commits = [...(await fetchParsed(0, own.length - 1)), ...later]
  if (isTarget(commits, target)) return commits
  throw new Error('the log of the service changed during the pull')
}

function isTarget(commits: readonly StoredCommit[], target: LogIdentity): boolean {
  const identity = logIdentity(commits.map(({ version, info }) => ({ version, sha256: info.operationParameters.sha256 })))
  return identity?.version === target.version && identity.sha256 === target.sha256
}

function stateOf(commits: readonly StoredCommit[]): TableState {
  const files = new Map<string, AddFile>()
  let protocol: Protocol | undefined
  let metaData: TableMetadata | undefined
  for (const action of commits.flatMap(({ actions }) => actions)) {
    if ('remove' in action) files.delete(action.remove.path)
    if ('add' in action) files.set(action.add.path, action.add)
    if ('protocol' in action) protocol = action.protocol
    if ('metaData' in action) metaData = action.metaData
  }
  if (!protocol || !metaData) throw new Error('the log of the service has no metadata')
  return { version: commits.length - 1, protocol, metaData, files: [...files.values()] }
}

/** @throws Error if the newest version has other parts than the served release */
function checkState({ files }: TableState, { info }: StoredCommit, served: Manifest): void {
  const paths = new Set(files.map(({ path }) => path))
  const isServed =
    info.operationParameters.release === served.release &&
    paths.size === served.parts.length &&
    served.parts.every(({ sha256 }) => paths.has(partPath(sha256)))
  if (!isServed) throw new Error('the log of the service has other parts than the release')
}

/** Moves the newest version first, then the versions from `first` upwards. */
async function replaceVersions(stage: string, folder: string, first: number, newest: number): Promise<void> {
  const { versions, checkpoints } = await listLog(folder)
  for (const name of [checkpointName(newest), commitName(newest), LAST_CHECKPOINT]) await rename(join(stage, name), join(folder, name))
  await syncFolder(folder)
  const outdated = checkpoints.filter(version => version >= first && version !== newest)
  for (const version of outdated) await rm(join(folder, checkpointName(version)), { force: true })
  const differing = versions.filter(version => version >= first && version !== newest)
  for (const version of differing.reverse()) await rm(commitFile(folder, version), { force: true })
  for (let version = first; version < newest; version++) await rename(commitFile(stage, version), commitFile(folder, version))
  await syncFolder(folder)
}

const Text = z.string()
const Texts = z.record(Text, Text)
const Count = z.int().nonnegative()
/** Rejects other paths, because readers open the paths in commits. */
const PartPath = Text.regex(/^parts\/[0-9a-f]{64}\.parquet$/)

const CommitLine = z.strictObject({
  commitInfo: z.strictObject({
    inCommitTimestamp: Count,
    timestamp: Count,
    operation: z.enum(['PUBLISH', 'SERVE AGAIN']),
    operationParameters: z.strictObject({
      release: Text,
      event: Text,
      synthetic: z.literal('true').optional(),
      metadata: Text,
      sha256: Text,
    }),
    engineInfo: z.literal('twmd'),
    userMetadata: Text,
  }),
})
const OtherLine = z.union([
  z.strictObject({ protocol: z.strictObject({ minReaderVersion: z.literal(1), minWriterVersion: Count, writerFeatures: z.array(Text) }) }),
  z.strictObject({
    metaData: z.strictObject({
      id: Text,
      name: Text,
      description: Text,
      format: z.strictObject({ provider: z.literal('parquet'), options: z.strictObject({}) }),
      schemaString: Text,
      partitionColumns: z.array(Text).max(0),
      configuration: Texts,
    }),
  }),
  z.strictObject({ remove: z.strictObject({ path: PartPath, deletionTimestamp: Count, dataChange: z.boolean() }) }),
  z.strictObject({
    add: z.strictObject({
      path: PartPath,
      partitionValues: z.strictObject({}),
      size: Count,
      modificationTime: Count,
      dataChange: z.boolean(),
      stats: Text,
    }),
  }),
])
const Lines = z.tuple([CommitLine], OtherLine)

/**
 * Accepts only actions and formatting of this project. Readers may interpret other commits
 * differently.
 * @throws Error for any other commit
 */
function fetchedCommit(version: number, text: string): StoredCommit {
  const commit = storedCommit(version, text)
  const spelled = commit.actions.map(action => `${JSON.stringify(action)}\n`).join('')
  if (!Lines.safeParse(commit.actions).success || spelled !== text) throw new Error(`version ${version} of the service has another format`)
  return commit
}
