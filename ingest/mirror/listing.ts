import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { LIST_LIMITS } from './bounded-json.ts'
import { countIn, inForm, type Remote } from './remote.ts'

/** Download URLs keyed by sha256, and the credits that the list cost. */
export interface Listing {
  readonly urls: ReadonlyMap<string, string>
  readonly credits: number
}

const URLS = 'urls.json'

const Listed = z.object({
  release: z.string(),
  data: z.array(z.object({ url: z.string(), sha256: z.string() })),
})
const Kept = Listed.extend({ service: z.string(), since: z.string().nullable(), listed_at: z.number() })

/**
 * URLs are renewed after this time, by the clock of this machine. The service accepts them for one
 * hour.
 */
const GOOD_FOR_MS = 55 * 60_000

/**
 * Requests the URLs of a release's files. A paid list is stored, so that an interrupted pull pays
 * once.
 *
 * @param since a release whose files already exist; null to list all files
 * @param scratch folder of the list, which only this user can read
 * @throws Refusal conflict if a URL is not allowed; the paid list stays stored
 */
export async function listFiles(
  remote: Remote,
  { slug, release, since, scratch }: { slug: string; release: string; since: string | null; scratch: string },
): Promise<Listing> {
  const file = join(scratch, URLS)
  const stored = await readKept(file)
  if (stored?.service === remote.url && stored.release === release && stored.since === since && isGood(stored.listed_at))
    return { urls: checkedUrls(remote, stored.data), credits: 0 }
  const query = new URLSearchParams({ release, months: 'true', ...(since === null ? {} : { since }) })
  const answer = await remote.read(`/v2/datasets/${slug}/parts?${query}`, { maxBytes: LIST_LIMITS.bytes })
  const listed = inForm(Listed, answer)
  await rm(file, { force: true })
  await writeFile(file, JSON.stringify({ ...listed, service: remote.url, since, listed_at: Date.now() }), { mode: 0o600 })
  return { urls: checkedUrls(remote, listed.data), credits: countIn(answer.headers, 'x-credits-charged') }
}

const isGood = (listedAt: number): boolean => Date.now() >= listedAt && Date.now() - listedAt < GOOD_FOR_MS

export const forgetUrls = (scratch: string): Promise<void> => rm(join(scratch, URLS), { force: true })

const Entitlements = z.object({ datasets: z.array(z.object({ dataset: z.string(), allowed: z.boolean() })) })
const Datasets = z.object({ data: z.array(z.object({ dataset: z.string(), release_version: z.string().nullable() })) })

/**
 * Returns released datasets that the key may read.
 *
 * @throws Refusal
 */
export async function datasetsToPull(remote: Remote): Promise<ReadonlySet<string>> {
  const { datasets } = await remote.json('/v2/account/entitlements', Entitlements)
  const { data } = await remote.json('/v2/datasets', Datasets)
  const published = new Set(data.flatMap(({ dataset, release_version }) => (release_version === null ? [] : [dataset])))
  return new Set(datasets.flatMap(({ dataset, allowed }) => (allowed && published.has(dataset) ? [dataset] : [])))
}

/** @throws Refusal conflict if a URL is not allowed */
function checkedUrls(remote: Remote, data: z.infer<typeof Listed>['data']): ReadonlyMap<string, string> {
  for (const { url } of data) remote.checkFileUrl(url)
  return new Map(data.map(({ sha256, url }) => [sha256, url]))
}

async function readKept(file: string): Promise<z.infer<typeof Kept> | undefined> {
  try {
    return Kept.parse(JSON.parse(await readFile(file, 'utf8')))
  } catch {
    return undefined
  }
}
