import type { Dataset } from '../../catalog/index.ts'
import type { Log } from '../core/index.ts'
import { createLineageReader, createWithdrawalReader, type LineageReader, type Publication, retainedReleases } from '../releases/index.ts'

/** A publication or a withdrawal. */
export interface ServedEvent {
  /** Withdrawal id, or release id of a publication. Ids sort by time. */
  readonly event: string
  readonly release: string
  /** Milliseconds since 1970. */
  readonly servedAt: number
  /** True for a withdrawal, which serves an earlier release again. */
  readonly again: boolean
}

export const publicationEvent = ({ release, published_at }: Pick<Publication, 'release' | 'published_at'>): ServedEvent => ({
  event: release,
  release,
  servedAt: Date.parse(published_at),
  again: false,
})

/**
 * Returns the publications and withdrawals on disk, oldest first. Omits releases that were never
 * served.
 */
export const servedEvents = (root: string, dataset: Dataset, current: string, log: Log): Promise<readonly ServedEvent[]> =>
  eventsUpTo(root, dataset, current, undefined, log)

/**
 * Oldest first.
 * @param before the event that replaced `served`; undefined if `served` is still served
 */
async function eventsUpTo(
  root: string,
  dataset: Dataset,
  served: string,
  before: string | undefined,
  log: Log,
): Promise<readonly ServedEvent[]> {
  const lineage = createLineageReader(root, log)
  const newestFirst: ServedEvent[] = []
  let entries = await lineage.entriesOf(dataset, served)
  for (const withdrawal of await createWithdrawalReader(root, log)(dataset, served, before)) {
    const { id, release, former, served_at } = withdrawal
    newestFirst.push(...publicationEvents(entries.filter(entry => entry.release > id)))
    newestFirst.push({ event: id, release, servedAt: Date.parse(served_at), again: true })
    entries = former === null ? entries.filter(entry => entry.release < id) : await lineage.entriesOf(dataset, former)
  }
  newestFirst.push(...publicationEvents(entries))
  const first = entries.at(-1)?.publication
  const replaced = await replacedBy(root, dataset, first, lineage)
  const earlier = replaced === undefined ? [] : await eventsUpTo(root, dataset, replaced, first!.release, log)
  return [...earlier, ...newestFirst.reverse()]
}

const publicationEvents = (entries: Awaited<ReturnType<LineageReader['entriesOf']>>): readonly ServedEvent[] =>
  entries.flatMap(({ publication }) => (publication ? [publicationEvent(publication)] : []))

/**
 * Returns the release that was served before the oldest known ancestor. Real data can replace
 * samples without having samples as ancestors.
 */
async function replacedBy(
  root: string,
  dataset: Dataset,
  first: Publication | undefined,
  lineage: LineageReader,
): Promise<string | undefined> {
  if (!first || first.parent !== null) return undefined
  const older = (await retainedReleases(root, dataset.slug)).filter(id => id < first.release)
  for (const id of older.toReversed()) {
    const [entry] = await lineage.entriesOf(dataset, id)
    if (entry?.publication && entry.publication.synthetic !== first.synthetic) return id
  }
  return undefined
}
