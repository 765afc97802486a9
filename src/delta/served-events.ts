import type { Dataset } from '../../catalog/index.ts'
import type { Log } from '../core/index.ts'
import { createLineageReader, createWithdrawalReader, type LineageReader, type Publication, retainedReleases } from '../releases/index.ts'

/** One time that a release became the served one. */
export interface ServedEvent {
  /** Id of the publication, which is the release's, or of the withdrawal. Sorts by age. */
  readonly event: string
  readonly release: string
  /** Milliseconds since 1970. */
  readonly at: number
  /** A release that had been served took the place of a later one. */
  readonly again: boolean
}

/** A publication as the event that it was. */
export const publicationEvent = ({ release, published_at }: Pick<Publication, 'release' | 'published_at'>): ServedEvent => ({
  event: release,
  release,
  at: Date.parse(published_at),
  again: false,
})

/**
 * What was served up to now, as far as releases and withdrawals that are kept tell it, oldest first. Left out are releases that never were
 * served, and those whose manifest is damaged.
 */
export const servedEvents = (root: string, dataset: Dataset, current: string, log: Log): Promise<readonly ServedEvent[]> =>
  eventsUpTo(root, dataset, current, undefined, log)

/** @param before id of the publication or withdrawal that took the place of `served`; undefined where it still is served */
async function eventsUpTo(
  root: string,
  dataset: Dataset,
  served: string,
  before: string | undefined,
  log: Log,
): Promise<readonly ServedEvent[]> {
  const lineage = createLineageReader(root, log)
  const newestFirst: ServedEvent[] = []
  let line = await lineage.entriesOf(dataset, served)
  for (const withdrawal of await createWithdrawalReader(root, log)(dataset, served, before)) {
    const { id, release, former, served_at } = withdrawal
    newestFirst.push(...published(line.filter(entry => entry.release > id)))
    newestFirst.push({ event: id, release, at: Date.parse(served_at), again: true })
    line = former === null ? line.filter(entry => entry.release < id) : await lineage.entriesOf(dataset, former)
  }
  newestFirst.push(...published(line))
  const first = line.at(-1)?.publication
  const replaced = await replacedBy(root, dataset, first, lineage)
  const earlier = replaced === undefined ? [] : await eventsUpTo(root, dataset, replaced, first!.release, log)
  return [...earlier, ...newestFirst.reverse()]
}

const published = (line: Awaited<ReturnType<LineageReader['entriesOf']>>): readonly ServedEvent[] =>
  line.flatMap(({ publication }) => (publication ? [publicationEvent(publication)] : []))

/** The release that a first one took the place of: samples make room for real rows, which do not descend from them. */
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
