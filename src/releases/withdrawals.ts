import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dataset } from '../../catalog/index.ts'
import type { Log } from '../core/index.ts'
import { ifPresent, isShortage, retryTransient } from './files.ts'
import { createLineageReader } from './lineage.ts'
import { ReleaseId, releasePaths, Withdrawal } from './manifest.ts'

/** Oldest first. Includes withdrawals without effect. */
export async function withdrawalIds(root: string, slug: string): Promise<readonly string[]> {
  const names = (await ifPresent(retryTransient(() => readdir(releasePaths(root, slug).withdrawals)))) ?? []
  return names
    .map(name => name.replace(/\.json$/, ''))
    .filter(id => ReleaseId.safeParse(id).success)
    .sort()
}

export const withdrawalFile = (root: string, slug: string, id: string): string => join(releasePaths(root, slug).withdrawals, `${id}.json`)

/**
 * Reads the withdrawals in the history of a served release, newest first. Skips withdrawals without
 * effect.
 * @returns a function of the served release, with an optional upper bound of ids
 */
export function createWithdrawalReader(
  root: string,
  log: Log,
): (dataset: Dataset, served: string, before?: string) => Promise<readonly Withdrawal[]> {
  const lineage = createLineageReader(root, log)
  return async (dataset, served, before) => {
    const effective: Withdrawal[] = []
    let after: string | null = served
    for (const id of (await withdrawalIds(root, dataset.slug)).toReversed()) {
      if (before !== undefined && id > before) continue
      const withdrawal: Withdrawal | undefined = after === null ? undefined : await readRecord(root, dataset, id, log)
      if (!withdrawal) continue
      const entries = await lineage.entriesOf(dataset, after!)
      if (entries.find(({ release }) => release < id)?.release !== withdrawal.release) continue
      effective.push(withdrawal)
      after = withdrawal.former
    }
    return effective
  }
}

async function readRecord(root: string, { slug }: Dataset, id: string, log: Log): Promise<Withdrawal | undefined> {
  try {
    return Withdrawal.parse(JSON.parse(await retryTransient(() => readFile(withdrawalFile(root, slug, id), 'utf8'))))
  } catch (error) {
    if (isShortage(error)) throw error
    log('failed', { during: 'reading a withdrawal', dataset: slug, release: id, error: String(error) })
    return undefined
  }
}
