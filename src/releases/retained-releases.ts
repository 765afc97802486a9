import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dataset } from '../../catalog/index.ts'
import { ofDataset, Refusal, type Words } from '../core/index.ts'
import { isShortage, readManifest, refusingShortage, retainedReleases, retryTransient } from './files.ts'
import { ReleaseId, releasePaths } from './manifest.ts'
import { type PastRelease, readPast } from './release.ts'
import { readRecords, recordedReleases } from './release-records.ts'

/** Metadata files, which never change after publication. */
export const DOCUMENTS = ['manifest.json', 'manifest.sha256', 'spans.json'] as const
export type ReleaseDocument = (typeof DOCUMENTS)[number]

export interface RetainedReleases {
  /** Oldest first. @throws Refusal overloaded */
  retainedIds(dataset: Dataset): Promise<readonly string[]>
  /**
   * Reads a manifest without verifying the Parquet files.
   * @throws Refusal unknown_id, release_retired, integrity, overloaded
   */
  retained(dataset: Dataset, id: string): Promise<PastRelease>
  /** By release id. @throws Refusal overloaded */
  notes(dataset: Dataset): Promise<ReadonlyMap<string, string>>
  /** @throws Refusal unknown_id, release_retired, integrity, overloaded */
  document(dataset: Dataset, id: string, document: ReleaseDocument): Promise<Buffer>
}

/** @param root folder with one folder per dataset */
export function createRetainedReleases(root: string): RetainedReleases {
  const read = async <T>(dataset: Dataset, id: string, readContent: () => Promise<T>): Promise<T> => {
    await checkRetained(root, dataset, id)
    return readContent().catch(error => {
      throw isShortage(error) ? error : new Refusal('integrity', { ...ofDataset(dataset), release: id })
    })
  }
  return {
    retainedIds: dataset => refusingShortage(retainedReleases(root, dataset.slug)),
    notes: dataset => refusingShortage(notesOf(root, dataset)),
    retained: (dataset, id) => refusingShortage(read(dataset, id, () => readPast(root, dataset, id))),
    document: (dataset, id, document) =>
      refusingShortage(
        read(dataset, id, () => retryTransient(() => readFile(join(releasePaths(root, dataset.slug).release(id), document)))),
      ),
  }
}

async function notesOf(root: string, { slug }: Dataset): Promise<ReadonlyMap<string, string>> {
  const notes = await readRecords(root, slug, 'notes')
  return new Map([...notes].map(([release, { text }]) => [release, text]))
}

const OF_HEADER: Words = { en: 'a release id has the format of the X-Release header', zh: '版本識別碼的格式與 X-Release 標頭相同' }
const NO_SUCH: Words = {
  en: 'The release does not exist. Use a release of /v2/datasets/{dataset_key}/releases.',
  zh: '查無此版本。可用的版本見 /v2/datasets/{dataset_key}/releases。',
}
const NEVER: Words = { en: 'This service never published the release. Check the id.', zh: '此服務從未發布該版本。請檢查識別碼。' }
const notYet = (newest: string): Words => ({
  en: `The release is newer than the newest one served here, ${newest}. Try again after retry_after seconds.`,
  zh: `該版本晚於此服務的最新版本 ${newest}。請於 retry_after 秒後再試。`,
})

/** A replica usually copies a publication within this time (seconds). */
const REPLICA_LAG_S = 15

/**
 * @throws Refusal release_retired if the release was removed; unknown_id otherwise, with
 * `retry_after` for newer ids, because a replica may copy the release soon
 */
export async function checkRetained(root: string, dataset: Dataset, id: string): Promise<void> {
  if (!ReleaseId.safeParse(id).success) throw new Refusal('unknown_id', { ...ofDataset(dataset), hint: OF_HEADER }, NO_SUCH)
  const { slug } = dataset
  const retained = await retainedReleases(root, slug)
  if (retained.includes(id)) return
  const newest = retained.at(-1) ?? null
  const next = retained.find(name => name > id)
  const about = { ...ofDataset(dataset), nearest: next ?? newest }
  const retired = await recordedReleases(root, slug, 'retired')
  if (retired.includes(id) || (next !== undefined && (await parentOf(root, slug, next)) === id)) throw new Refusal('release_retired', about)
  if (newest === null || id < newest || retired.some(name => name > id)) throw new Refusal('unknown_id', about, NEVER)
  throw new Refusal('unknown_id', { ...about, retry_after: REPLICA_LAG_S }, notYet(newest))
}

/** Null if the release has no parent or a damaged manifest. */
const parentOf = (root: string, slug: string, id: string): Promise<string | null> =>
  readManifest(root, slug, id).then(
    ({ parent }) => parent,
    error => (isShortage(error) ? Promise.reject(error) : null),
  )
