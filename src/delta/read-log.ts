import type { Dataset } from '../../catalog/index.ts'
import { readManifest } from '../releases/index.ts'
import { partPath } from './actions.ts'
import { checkpointFault } from './checkpoint.ts'
import { apply, type Commit, type Version } from './commit.ts'
import { listLog, logFolder, readCommit } from './log-files.ts'

/** A log that cannot be continued: a reader fails on it, or reads other rows than were released. */
export interface Damage {
  /** What is wrong, as a part of a sentence. */
  readonly damage: string
}

export const isDamage = (found: Version | Damage | null): found is Damage => found !== null && 'damage' in found

/** Commits read at once. */
const CONCURRENT_READS = 32

/**
 * The newest version of a table's log; null where there is no log. Commits since the newest checkpoint are looked at whole, those before it
 * by their names, and none is compared with its release: it costs the same however long the log is.
 */
export async function newestVersion(root: string, dataset: Dataset): Promise<Version | Damage | null> {
  const folder = logFolder(root, dataset.slug)
  const { versions, checkpoints } = await listLog(folder)
  const fault = await faultIn(folder, versions)
  if (fault !== null || versions.length === 0) return fault === null ? null : { damage: fault }
  const last = versions.length - 1
  const start = checkpoints.at(-1) ?? 0
  const base = start > 0 && start <= last ? await baseAt(root, dataset, start) : null
  return replay(root, dataset, base, last)
}

/** Every version of a log, oldest first, each compared with its release as far as that is kept. */
export async function allVersions(root: string, dataset: Dataset): Promise<readonly Commit[] | Damage> {
  const folder = logFolder(root, dataset.slug)
  const { versions } = await listLog(folder)
  const fault = await faultIn(folder, versions)
  if (fault !== null) return { damage: fault }
  const commits: Commit[] = []
  const found = await replay(root, dataset, null, versions.length - 1, commit => commits.push(commit))
  return isDamage(found) ? found : commits
}

async function faultIn(folder: string, versions: readonly number[]): Promise<string | null> {
  const missing = versions.findIndex((version, at) => version !== at)
  if (missing !== -1) return `version ${missing} is missing`
  return checkpointFault(folder)
}

/** A version as its release tells it; null where the commit or the release cannot be read. */
async function baseAt(root: string, dataset: Dataset, version: number): Promise<Version | null> {
  const commit = await readCommit(logFolder(root, dataset.slug), version).catch(() => null)
  const files = commit && (await filesOf(root, dataset, commit.info.operationParameters.release))
  return commit && files && { version, info: commit.info, files }
}

/** Follows a log up to a version, commit by commit. @param seen is told of each, once it is known to be whole */
async function replay(
  root: string,
  dataset: Dataset,
  base: Version | null,
  last: number,
  seen?: (commit: Commit) => void,
): Promise<Version | Damage | null> {
  const folder = logFolder(root, dataset.slug)
  let now = base
  for (let from = base ? base.version + 1 : 0; from <= last; from += CONCURRENT_READS) {
    const wanted = Array.from({ length: Math.min(CONCURRENT_READS, last + 1 - from) }, (_, index) => from + index)
    const read = await Promise.allSettled(wanted.map(version => readCommit(folder, version)))
    for (const [index, result] of read.entries()) {
      if (result.status === 'rejected') return { damage: `version ${from + index} is damaged` }
      now = apply(now, result.value)
      if (seen && (await contradicts(root, dataset, now))) return { damage: `version ${now.version} holds other parts than its release` }
      seen?.(result.value)
    }
  }
  return now
}

async function contradicts(root: string, dataset: Dataset, { info, files }: Version): Promise<boolean> {
  const released = await filesOf(root, dataset, info.operationParameters.release)
  return released !== null && (released.size !== files.size || [...released].some(path => !files.has(path)))
}

/** Paths of a release's parts; null where its manifest cannot be read. */
async function filesOf(root: string, { slug }: Dataset, release: string): Promise<ReadonlySet<string> | null> {
  const manifest = await readManifest(root, slug, release).catch(() => null)
  return manifest && new Set(manifest.parts.map(({ sha256 }) => partPath(sha256)))
}
