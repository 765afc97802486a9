import { z } from 'zod'
import type { Dataset } from '../../catalog/index.ts'
import { commandRefusal } from '../../src/core/index.ts'
import { checkNewestCommits, continueLog, copyLog, logIdentity, type TableVersions } from '../../src/delta/index.ts'
import type { Session } from '../../src/engine/index.ts'
import { releasePaths } from '../../src/releases/index.ts'
import { withLock } from '../publish/index.ts'
import { DATA_LIMITS, tooLarge } from './bounded-json.ts'
import type { Pulled } from './pull.ts'
import type { Remote } from './remote.ts'

export interface TableDeps {
  readonly remote: Remote
  readonly root: string
  readonly tableVersions: TableVersions
  readonly withSession: <T>(write: (session: Session) => Promise<T>) => Promise<T>
}

const PAGE = 100

const Commits = z.object({ data: z.array(z.object({ version: z.int(), commit: z.string() })) })

/**
 * Copies the log of the service's Delta table, so that both services have the same version numbers.
 * If the service has no log, writes a log with other version numbers. A later call replaces this
 * log.
 *
 * @throws Refusal conflict if the service's log lacks the pulled release or the dataset is being
 * published here; errors of the service and of writing
 */
export async function pullTable({ remote, root, tableVersions, withSession }: TableDeps, dataset: Dataset, pulled: Pulled): Promise<void> {
  const { table } = pulled
  const { home } = releasePaths(root, dataset.slug)
  const isIntact = (await checkNewestCommits(root, dataset)).fault === null
  if (!table) {
    if (!isIntact) await withLock(home, () => withSession(session => continueLog({ session, root }, dataset)))
    return
  }
  const own = logIdentity(await tableVersions.versionsOf(dataset))
  if (isIntact && own?.version === table.version && own.sha256 === table.log_sha256) return
  if (table.release !== pulled.release)
    throw commandRefusal('conflict', {}, `The table of the service does not have ${pulled.release} yet. Pull again.`)
  const target = { version: table.version, sha256: table.log_sha256 }
  const fetchCommits = (first: number, last: number) => commitsOf(remote, dataset, first, last)
  await withLock(home, () => withSession(session => copyLog({ session, root }, dataset, target, fetchCommits)))
}

async function commitsOf(remote: Remote, { slug }: Dataset, first: number, last: number): Promise<readonly string[]> {
  const commits: string[] = []
  for (let length = 0; commits.length <= last - first; ) {
    const from = first + commits.length
    const limit = Math.min(PAGE, last - from + 1)
    const { data } = await remote.json(`/v2/datasets/${slug}/table?from=${from}&limit=${limit}`, Commits)
    if (data.length === 0 || data.length > limit || data.some(({ version }, index) => version !== from + index))
      throw commandRefusal('conflict', {}, `The service did not send version ${from} of its table. Pull again.`)
    length += data.reduce((sum, { commit }) => sum + commit.length, 0)
    if (length > DATA_LIMITS.bytes) throw tooLarge(`a table log of more than ${DATA_LIMITS.bytes} bytes`)
    commits.push(...data.map(({ commit }) => commit))
  }
  return commits
}
