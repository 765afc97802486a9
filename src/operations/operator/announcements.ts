import { type Catalog, isScheduled, keyedByTicker } from '../../../catalog/index.ts'
import { type Calendar, freshnessView, lateDay } from '../../calendar/index.ts'
import type { Control } from '../../control/index.ts'
import { type Clock, type Config, createSerial, type Log, taipei } from '../../core/index.ts'
import { type FeedEntry, type Publications, updateOf } from '../../coverage/index.ts'
import { type DatasetState, type Releases, readManifest, readSpans, type Spans, statesOf } from '../../releases/index.ts'
import type { DatasetEvent } from '../../webhooks/index.ts'

export interface AnnouncementDeps {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly publications: Publications
  readonly calendar: Calendar
  readonly control: Pick<Control, 'webhooks' | 'transaction' | 'transactionSyncedLater'>
  readonly config: Pick<Config, 'releasesDir'>
  readonly clock: Clock
  readonly log: Log
}

/** An event about a dataset, and the new position after this event. */
interface DatasetNews {
  readonly event: DatasetEvent
  readonly entry?: string
  readonly lateDay?: string
}

/**
 * Writes webhook events about publications and overdue days. Crashes neither lose nor repeat
 * events. A new state file gets no events for earlier releases. Cursors are written in the same
 * transaction as the events.
 */
export function createAnnouncements({ catalog, releases, publications, calendar, control, config, clock, log }: AnnouncementDeps) {
  const { webhooks } = control
  const initialize = (): void =>
    control.transaction(() => {
      const newest = newestEntries(publications.all())
      for (const state of statesOf(catalog, releases)) {
        const { slug } = state.dataset
        webhooks.datasetCursors.put({ slug, entry: newest.get(slug) ?? null, lateDay: lateDay(state, clock(), calendar.isClosed) })
      }
    })
  const announce = async (): Promise<void> => {
    await publications.refresh()
    const cursors = webhooks.datasetCursors.all()
    if (cursors.size === 0) return initialize()
    const newEntries = publications.all().filter(({ id, dataset: { slug } }) => id > (cursors.get(slug)?.entry ?? ''))
    const published: DatasetNews[] = []
    for (const entry of newEntries.toReversed())
      published.push(await newsOf(entry, webhooks.hasSymbolFilters() ? config.releasesDir : null))
    const late = statesOf(catalog, releases).flatMap(state =>
      latenessOf(state, cursors.get(state.dataset.slug)?.lateDay ?? '', clock(), calendar.isClosed),
    )
    if (published.length + late.length === 0) return
    // After a power cut, these events are found and written again.
    control.transactionSyncedLater(() => {
      const newCursors = new Map(cursors)
      for (const { event, ...news } of [...published, ...late]) {
        webhooks.announce(event, clock())
        const { slug } = event
        newCursors.set(slug, { ...(newCursors.get(slug) ?? { slug, entry: null, lateDay: null }), ...news })
        webhooks.datasetCursors.put(newCursors.get(slug)!)
      }
    })
  }
  const serialize = createSerial()
  let isClosed = false
  return {
    /** Writes all new events. Never rejects. The next call retries failures. */
    refresh: (): Promise<void> =>
      serialize(async () => void (isClosed || (await announce()))).catch(error =>
        log('failed', { during: 'queueing webhook messages for publications', error: String(error) }),
      ),
    close: (): Promise<void> =>
      serialize(async () => {
        isClosed = true
      }),
  }
}

/** @param entries newest first */
const newestEntries = (entries: readonly FeedEntry[]): ReadonlyMap<string, string> =>
  new Map(entries.toReversed().map(({ dataset, id }) => [dataset.slug, id]))

const EVENT_TYPES = { revision: 'dataset.revised', withdrawal: 'dataset.withdrawn' } as const

/** @param root folder of all releases. Null if no endpoint filters by symbol. */
async function newsOf(entry: FeedEntry, root: string | null): Promise<DatasetNews> {
  const { id, dataset, kind, changedAt } = entry
  const type = kind === 'revision' || kind === 'withdrawal' ? EVENT_TYPES[kind] : 'dataset.published'
  const concerns = root !== null && keyedByTicker(dataset) ? await touchTest(entry, root) : () => true
  return { event: { type, at: changedAt, data: updateOf(entry), slug: dataset.slug, concerns }, entry: id }
}

function latenessOf(state: DatasetState, lastReported: string, now: Date, isClosed: Calendar['isClosed']): readonly DatasetNews[] {
  const day = isScheduled(state.dataset) ? lateDay(state, now, isClosed) : null
  if (day === null || day <= lastReported) return []
  const { slug } = state.dataset
  const data = freshnessView(state, now, isClosed, 'en')
  const concerns = (symbols: readonly string[]): boolean =>
    !keyedByTicker(state.dataset) || symbols.some(symbol => state.release?.spanOf(symbol) !== undefined)
  return [{ event: { type: 'dataset.late', at: taipei(now), data, slug, concerns }, lateDay: day }]
}

/**
 * Returns a test for the symbols that a publication affected. If rows were only added, a symbol
 * with additional rows is affected. Otherwise every symbol is affected. Unreadable releases affect
 * every symbol.
 */
async function touchTest({ dataset: { slug }, release, previous, changes }: FeedEntry, root: string): Promise<DatasetEvent['concerns']> {
  try {
    const spansOf = async (id: string): Promise<Spans> => readSpans(root, await readManifest(root, slug, id))
    const after = await spansOf(release)
    const spansBefore = previous === null ? null : await spansOf(previous)
    const onlyAdded = changes.rows_changed + changes.rows_removed === 0
    return symbols =>
      symbols.some(symbol => {
        const rowsAfter = rowsOf(after, symbol)
        const rowsBefore = spansBefore === null ? 0 : rowsOf(spansBefore, symbol)
        return onlyAdded ? rowsAfter !== rowsBefore : rowsAfter + rowsBefore > 0
      })
  } catch {
    return () => true
  }
}

const rowsOf = ({ base, delta }: Spans, key: string): number =>
  [base, delta].reduce((sum, spans) => sum + (Object.hasOwn(spans, key) ? spans[key]![2] : 0), 0)
