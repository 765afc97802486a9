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
  readonly control: Pick<Control, 'webhooks' | 'transaction'>
  readonly config: Pick<Config, 'releasesDir'>
  readonly clock: Clock
  readonly log: Log
}

/** An event with what it takes its dataset to. */
interface News {
  readonly event: DatasetEvent
  readonly entry?: string
  readonly lateDay?: string
}

/**
 * Makes events of what becomes of datasets: an entry of the updates feed each, and a day that has not come in time. How far it has told is
 * written with the events in one transaction, so that a crash neither loses one nor makes it twice. A state file that has told of nothing
 * yet begins with what is served then.
 */
export function createAnnouncements({ catalog, releases, publications, calendar, control, config, clock, log }: AnnouncementDeps) {
  const { webhooks } = control
  const begin = (): void =>
    control.transaction(() => {
      const newest = newestEntries(publications.all())
      for (const state of statesOf(catalog, releases)) {
        const { slug } = state.dataset
        webhooks.followed.put({ slug, entry: newest.get(slug) ?? null, lateDay: lateDay(state, clock(), calendar.isClosed) })
      }
    })
  const announce = async (): Promise<void> => {
    await publications.refresh()
    const followed = webhooks.followed.all()
    if (followed.size === 0) return begin()
    const fresh = publications.all().filter(({ id, dataset: { slug } }) => id > (followed.get(slug)?.entry ?? ''))
    const published: News[] = []
    for (const entry of fresh.toReversed()) published.push(await newsOf(entry, webhooks.anySymbols() ? config.releasesDir : null))
    const late = statesOf(catalog, releases).flatMap(state =>
      latenessOf(state, followed.get(state.dataset.slug)?.lateDay ?? '', clock(), calendar.isClosed),
    )
    if (published.length + late.length === 0) return
    control.transaction(() => {
      const reached = new Map(followed)
      for (const { event, ...news } of [...published, ...late]) {
        webhooks.announce(event, clock())
        const { slug } = event
        reached.set(slug, { ...(reached.get(slug) ?? { slug, entry: null, lateDay: null }), ...news })
        webhooks.followed.put(reached.get(slug)!)
      }
    })
  }
  const inSerial = createSerial()
  return {
    /** Writes what is new by now. Never rejects: failures are logged, and tried again by the next call. */
    refresh: (): Promise<void> =>
      inSerial(announce).catch(error => log('failed', { during: 'telling webhooks of publications', error: String(error) })),
  }
}

/** By slug. @param entries newest first */
const newestEntries = (entries: readonly FeedEntry[]): ReadonlyMap<string, string> =>
  new Map(entries.toReversed().map(({ dataset, id }) => [dataset.slug, id]))

const TYPES = { revision: 'dataset.revised', withdrawal: 'dataset.withdrawn' } as const

/** @param root where releases tell which symbols a publication touched; null where nobody asks */
async function newsOf(entry: FeedEntry, root: string | null): Promise<News> {
  const { id, dataset, kind, changedAt } = entry
  const type = kind === 'revision' || kind === 'withdrawal' ? TYPES[kind] : 'dataset.published'
  const concerns = root !== null && keyedByTicker(dataset) ? await touchOf(entry, root) : () => true
  return { event: { type, at: changedAt, data: updateOf(entry), slug: dataset.slug, concerns }, entry: id }
}

function latenessOf(state: DatasetState, told: string, now: Date, isClosed: Calendar['isClosed']): readonly News[] {
  const day = isScheduled(state.dataset) ? lateDay(state, now, isClosed) : null
  if (day === null || day <= told) return []
  const { slug } = state.dataset
  const data = freshnessView(state, now, isClosed, 'en')
  const concerns = (symbols: readonly string[]): boolean =>
    !keyedByTicker(state.dataset) || symbols.some(symbol => state.release?.spanOf(symbol) !== undefined)
  return [{ event: { type: 'dataset.late', at: taipei(now), data, slug, concerns }, lateDay: day }]
}

/**
 * Whether a publication touched symbols. Where it only added rows, those of which there are more; where it changed or removed some, which
 * they were is not on record, so all that it or the release before holds. Where neither can be read, all there are.
 */
async function touchOf({ dataset: { slug }, release, previous, changes }: FeedEntry, root: string): Promise<DatasetEvent['concerns']> {
  try {
    const spansOf = async (id: string): Promise<Spans> => readSpans(root, await readManifest(root, slug, id))
    const [after, before] = [await spansOf(release), previous === null ? null : await spansOf(previous)]
    const grewOnly = changes.rows_changed + changes.rows_removed === 0
    return symbols =>
      symbols.some(symbol => {
        const [now, then] = [rowsOf(after, symbol), before === null ? 0 : rowsOf(before, symbol)]
        return grewOnly ? now !== then : now + then > 0
      })
  } catch {
    return () => true
  }
}

const rowsOf = ({ base, delta }: Spans, key: string): number =>
  [base, delta].reduce((sum, spans) => sum + (Object.hasOwn(spans, key) ? spans[key]![2] : 0), 0)
