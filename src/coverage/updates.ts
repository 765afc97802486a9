import { type Catalog, served } from '../../catalog/index.ts'
import { Refusal } from '../core/index.ts'
import { type FeedEntry, placeOf } from './publications.ts'
import {
  categoryOf,
  type Floors,
  floorsIn,
  isIn,
  readUpdatesCursor,
  UPDATE_CATEGORIES,
  type UpdateCategory,
  type UpdatesCursor,
  writeUpdatesCursor,
} from './updates-cursor.ts'

/** Parameters of the updates feed. */
export interface UpdatesQuery {
  /** First day of data. Null means the newest day of data of each category, or every day where `published_since` or `dataset` is sent. */
  readonly since: string | null
  /** Earliest publication, RFC 3339 in Taipei; null for any. */
  readonly published_since: string | null
  readonly category: UpdateCategory | null
  /** Slug of the one dataset that is asked for; null for all. */
  readonly dataset: string | null
  readonly limit: number
  /** `next_cursor` of the page before; null for the first page. */
  readonly cursor: string | null
}

/** Why a page is empty, with what to do about it. */
export const NO_UPDATES = {
  category_has_no_dataset: 'no dataset of that category is offered yet, so it has no publications',
  nothing_published: 'nothing of what was asked for is published, or nothing at that time',
  data_before_since: 'there are publications, and since left all of them out: omitted_count says how many',
  past_the_end: 'the cursor stands behind the last entry',
} as const
type NoUpdates = keyof typeof NO_UPDATES

/**
 * One page of the feed, newest publication first. A cursor carries the parameters of the first page, so that the default of `since` does
 * not move between pages. Publications made in the meantime sort before the first page and shift nothing.
 *
 * @param entries newest first
 * @throws Refusal invalid_cursor for a malformed cursor, or one issued for other parameters
 */
export const updatesView = (...asked: Parameters<typeof updatesPage>) => updatesPage(...asked).view

/** The same page, and how many entries there are on all pages. @throws Refusal invalid_cursor */
export function updatesPage(entries: readonly FeedEntry[], catalog: Catalog, { limit, ...request }: UpdatesQuery) {
  const applied = request.cursor === null ? firstPage(entries, request) : nextPage(readUpdatesCursor(request.cursor), request)
  const { published_since, category, dataset, floors, place } = applied
  const asked = entries.filter(entry => matches(entry, applied))
  const reaching = asked.filter(entry => reaches(entry, floors))
  const rest = place === null ? reaching : reaching.filter(entry => placeOf(entry) < place)
  const page = rest.slice(0, limit)
  const more = rest.length > limit
  const view = {
    since: sinceOf(floors),
    since_by_category: floors,
    published_since,
    category,
    dataset: dataset === null ? null : catalog.get(dataset)!.id,
    slug: dataset,
    limit,
    data_count: page.length,
    omitted_count: asked.length - reaching.length,
    empty_reason: page.length > 0 ? null : emptyReason(catalog, category, asked.length, reaching.length),
    has_more: more,
    next_cursor: more ? writeUpdatesCursor({ published_since, category, dataset, floors, place: placeOf(page.at(-1)!) }) : null,
    data: page.map(updateOf),
  }
  return { view, total: reaching.length }
}

function emptyReason(catalog: Catalog, category: UpdateCategory | null, asked: number, reaching: number): NoUpdates {
  if (reaching > 0) return 'past_the_end'
  if (asked > 0) return 'data_before_since'
  const offered = category === null || served(catalog).some(dataset => isIn(category, dataset))
  return offered ? 'nothing_published' : 'category_has_no_dataset'
}

type UpdatesRequest = Omit<UpdatesQuery, 'limit'>
type Applied = Omit<UpdatesCursor, 'place'> & { readonly place: string | null }

/** Whether an entry matches the requested category, dataset and time, whatever days its dataset holds. */
const matches = (entry: FeedEntry, { published_since, category, dataset }: Applied): boolean =>
  (category === null || isIn(category, entry.dataset)) &&
  (dataset === null || entry.dataset.slug === dataset) &&
  (published_since === null || entry.at >= published_since)

const reaches = (entry: FeedEntry, floors: Floors): boolean => entry.data_until >= (floors[categoryOf(entry.dataset)] ?? '')

/** The one day that was asked for, or the newest of the days that stand for it; null where none was applied. */
const sinceOf = (floors: Floors): string | null => Object.values(floors).sort().at(-1) ?? null

const allFrom = (day: string): Floors => Object.fromEntries(UPDATE_CATEGORIES.map(category => [category, day]))

function firstPage(entries: readonly FeedEntry[], { since, published_since, category, dataset }: UpdatesRequest): Applied {
  const isDay = published_since === null && dataset === null
  const days = since === null ? (isDay ? newestDays(entries) : {}) : allFrom(since)
  return { published_since, category, dataset, floors: floorsIn(category, days), place: null }
}

function nextPage(cursor: UpdatesCursor, request: UpdatesRequest): UpdatesCursor {
  const { published_since, category, dataset } = cursor
  const issued = { since: sinceOf(cursor.floors), published_since, category, dataset }
  const same = (['since', 'published_since', 'category', 'dataset'] as const).every(
    name => request[name] === null || request[name] === issued[name],
  )
  if (same) return cursor
  throw new Refusal('invalid_cursor', issued)
}

const isDated = ({ date, daysAhead }: FeedEntry['dataset']): boolean => date !== undefined && daysAhead === undefined

const newest = new WeakMap<readonly FeedEntry[], Floors>()

/**
 * Newest day of data by category, over its datasets that have dated rows: the day a list was taken is not a day of data, nor is one that
 * had not come when it was published, or that is announced ahead as the days of a calendar are.
 */
function newestDays(entries: readonly FeedEntry[]): Floors {
  const known = newest.get(entries)
  if (known) return known
  const [dated, listed]: [Record<string, string>, Record<string, string>] = [{}, {}]
  for (const entry of entries) {
    const { dataset, data_as_of, at } = entry
    const [published, days] = [at.slice(0, 10), isDated(dataset) ? dated : listed]
    const [day, category] = [data_as_of < published ? data_as_of : published, categoryOf(entry.dataset)]
    if (day > (days[category] ?? '')) days[category] = day
  }
  const floors: Floors = { ...listed, ...dated }
  newest.set(entries, floors)
  return floors
}

/** An entry as the feed answers it. */
export function updateOf(entry: FeedEntry) {
  const { id, dataset, kind, release, previous, withdrawn, at, data_as_of, synthetic, changes } = entry
  const { rows_added, rows_changed, rows_removed, date_from, date_to } = changes
  return {
    update_id: `${dataset.id}:${id}`,
    dataset: dataset.id,
    slug: dataset.slug,
    category: categoryOf(dataset),
    kind,
    data_date_from: date_from,
    data_date_to: date_to,
    rows_added,
    rows_changed,
    rows_removed,
    added: reachOf(changes, 'added'),
    changed: reachOf(changes, 'changed'),
    removed: reachOf(changes, 'removed'),
    data_as_of,
    synthetic,
    release_version: release,
    previous_release_version: previous,
    withdrawn_release_versions: withdrawn,
    published_at: at,
  }
}

/** Rows and days of one kind of change; the whole span where a release does not record them separately. */
function reachOf(changes: FeedEntry['changes'], op: 'added' | 'changed' | 'removed') {
  const rows = changes[`rows_${op}`]
  if (rows === 0) return null
  const [from, to] = changes.reach ? (changes.reach[op] ?? [null, null]) : [changes.date_from, changes.date_to]
  return { rows, data_date_from: from, data_date_to: to }
}
