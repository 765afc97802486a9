import type { Dataset } from '../../catalog/index.ts'
import { readManifest } from '../releases/index.ts'
import { partPath } from './actions.ts'
import { checkpointFault } from './checkpoint.ts'
import { apply, type Commit, type Version } from './commit.ts'
import { listLog, logFolder, readCommit } from './log-files.ts'

export interface Damage {
  /** Damage as a clause for a message. */
  readonly damage: string
}

export const isDamage = (result: Version | Damage | null): result is Damage => result !== null && 'damage' in result

const CONCURRENT_READS = 32

/**
 * Returns the newest version, or null if there is no log. Reads only commits after the newest
 * checkpoint.
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

/** Oldest first. Compares each version with the release, if the release is still on disk. */
export async function allVersions(root: string, dataset: Dataset): Promise<readonly Commit[] | Damage> {
  const folder = logFolder(root, dataset.slug)
  const { versions } = await listLog(folder)
  const fault = await faultIn(folder, versions)
  if (fault !== null) return { damage: fault }
  const commits: Commit[] = []
  const newest = await replay(root, dataset, null, versions.length - 1, commit => commits.push(commit))
  return isDamage(newest) ? newest : commits
}

async function faultIn(folder: string, versions: readonly number[]): Promise<string | null> {
  const missing = versions.findIndex((version, index) => version !== index)
  if (missing !== -1) return `version ${missing} is missing`
  return checkpointFault(folder)
}

/** Null if the commit or the release cannot be read. */
async function baseAt(root: string, dataset: Dataset, version: number): Promise<Version | null> {
  const commit = await readCommit(logFolder(root, dataset.slug), version).catch(() => null)
  const files = commit && (await filesOf(root, dataset, commit.info.operationParameters.release))
  return commit && files && { version, info: commit.info, files }
}

/**
 * Applies the commits after `base`, up to version `last`.
 * @param onCommit called for each intact commit. If present, versions are compared with their
 * releases.
 */
async function replay(
  root: string,
  dataset: Dataset,
  base: Version | null,
  last: number,
  onCommit?: (commit: Commit) => void,
): Promise<Version | Damage | null> {
  const folder = logFolder(root, dataset.slug)
  let current = base
  for (let from = base ? base.version + 1 : 0; from <= last; from += CONCURRENT_READS) {
    const batch = Array.from({ length: Math.min(CONCURRENT_READS, last + 1 - from) }, (_, index) => from + index)
    const results = await Promise.allSettled(batch.map(version => readCommit(folder, version)))
    for (const [index, result] of results.entries()) {
      if (result.status === 'rejected') return { damage: `version ${from + index} is damaged` }
      current = apply(current, result.value)
      if (onCommit && (await contradicts(root, dataset, current)))
        return { damage: `version ${current.version} has other parts than its release` }
      onCommit?.(result.value)
    }
  }
  return current
}

async function contradicts(root: string, dataset: Dataset, { info, files }: Version): Promise<boolean> {
  const released = await filesOf(root, dataset, info.operationParameters.release)
  return released !== null && (released.size !== files.size || [...released].some(path => !files.has(path)))
}

/** Null if the manifest cannot be read. */
async function filesOf(root: string, { slug }: Dataset, release: string): Promise<ReadonlySet<string> | null> {
  const manifest = await readManifest(root, slug, release).catch(() => null)
  return manifest && new Set(manifest.parts.map(({ sha256 }) => partPath(sha256)))
}
