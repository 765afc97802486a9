import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Dataset } from '../../catalog/index.ts'
import { ofDataset, Refusal, type Words } from '../core/index.ts'
import { readRecords, recordedReleases } from './beside-releases.ts'
import { isShortage, refusingShortage, retainedReleases, retryTransient } from './files.ts'
import { ReleaseId, releasePaths } from './manifest.ts'
import { type PastRelease, readPast } from './release.ts'

/** What stands beside the parts of a release, byte for byte as it was published. */
export const DOCUMENTS = ['manifest.json', 'manifest.sha256', 'spans.json'] as const
export type ReleaseDocument = (typeof DOCUMENTS)[number]

/** Every release that is kept, served or not. */
export interface KeptReleases {
  /** Their ids, oldest first. @throws Refusal overloaded */
  keptIds(dataset: Dataset): Promise<readonly string[]>
  /** A release as its manifest tells it; its parts are not looked at. @throws Refusal unknown_id, release_retired, integrity, overloaded */
  kept(dataset: Dataset, id: string): Promise<PastRelease>
  /** What operators say of releases, by their ids; those without a note are left out. @throws Refusal overloaded */
  notes(dataset: Dataset): Promise<ReadonlyMap<string, string>>
  /** One of its documents. @throws Refusal unknown_id, release_retired, integrity, overloaded */
  document(dataset: Dataset, id: string, document: ReleaseDocument): Promise<Buffer>
}

/** @param root holds the releases, one folder a dataset */
export function createKeptReleases(root: string): KeptReleases {
  const read = async <T>(dataset: Dataset, id: string, reading: () => Promise<T>): Promise<T> => {
    await checkKept(root, dataset, id)
    return reading().catch(error => {
      throw isShortage(error) ? error : new Refusal('integrity', { ...ofDataset(dataset), release: id })
    })
  }
  return {
    keptIds: dataset => refusingShortage(retainedReleases(root, dataset.slug)),
    notes: dataset => refusingShortage(notesOf(root, dataset)),
    kept: (dataset, id) => refusingShortage(read(dataset, id, () => readPast(root, dataset, id))),
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

const OF_HEADER: Words = { en: 'a release looks like the X-Release header', zh: '版本的寫法如 X-Release 標頭所示' }
const NO_SUCH: Words = { en: 'No release has that id.', zh: '沒有此識別碼的版本。' }
const notYet = (newest: string): Words => ({
  en: `No release as new as that was published here; the newest is ${newest}.`,
  zh: `此處尚未發布這麼新的版本；最新的版本為 ${newest}。`,
})

/** @throws Refusal unknown_id for what is no id of a release or newer than any, release_retired for one that is not kept */
export async function checkKept(root: string, dataset: Dataset, id: string): Promise<void> {
  if (!ReleaseId.safeParse(id).success) throw new Refusal('unknown_id', { ...ofDataset(dataset), hint: OF_HEADER }, NO_SUCH)
  const retained = await retainedReleases(root, dataset.slug)
  if (retained.includes(id)) return
  const newest = retained.at(-1) ?? null
  if (newest !== null && id > newest && !(await wasHere(root, dataset, id)))
    throw new Refusal('unknown_id', { ...ofDataset(dataset), nearest: newest }, notYet(newest))
  throw new Refusal('release_retired', { ...ofDataset(dataset), nearest: retained.find(name => name > id) ?? newest })
}

/** Whether a release was let go that is as new as that, which can be where an older one is served. */
async function wasHere(root: string, { slug }: Dataset, id: string): Promise<boolean> {
  const retired = await recordedReleases(root, slug, 'retired')
  return retired.some(name => name >= id)
}
