import { type Catalog, served } from '../../catalog/index.ts'
import { Refusal } from '../core/index.ts'
import { type FeedEntry, positionOf } from './publications.ts'
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

export interface UpdatesQuery {
  /** First day of data to include. Null for the newest day of each category. */
  readonly since: string | null
  /** Earliest publication time, RFC 3339 in Taipei. Null for no limit. */
  readonly published_since: string | null
  readonly category: UpdateCategory | null
  /** Slug. Null for all datasets. */
  readonly dataset: string | null
  readonly limit: number
  /** `next_cursor` of the previous page. Null for the first page. */
  readonly cursor: string | null
}

export const NO_UPDATES = {
  category_has_no_dataset: 'no dataset of this category is available yet, so there are no publications',
  nothing_published: 'no publication matches the request',
  data_before_since: '`since` excludes all matching publications; `omitted_count` is their number',
  past_the_end: 'the cursor is after the last entry',
} as const
type NoUpdates = keyof typeof NO_UPDATES

/**
 * Newest publication first. Later pages use the parameters of the first page.
 *
 * @param entries newest first
 * @throws Refusal invalid_cursor if the cursor is malformed or belongs to other parameters
 */
export const updatesView = (...args: Parameters<typeof updatesPage>) => updatesPage(...args).view

/**
 * Also returns the number of entries on all pages.
 * @throws Refusal invalid_cursor
 */
export function updatesPage(entries: readonly FeedEntry[], catalog: Catalog, { limit, ...request }: UpdatesQuery) {
  const applied = request.cursor === null ? firstPage(entries, request) : nextPage(readUpdatesCursor(request.cursor), request)
  const { published_since, category, dataset, floors, place } = applied
  const matching = entries.filter(entry => matches(entry, applied))
  const reaching = matching.filter(entry => reachesFloor(entry, floors))
  const rest = place === null ? reaching : reaching.filter(entry => positionOf(entry) < place)
  const page = rest.slice(0, limit)
  const more = rest.length > limit
  const view = {
    since: effectiveSince(floors),
    since_by_category: floors,
    published_since,
    category,
    dataset: dataset === null ? null : catalog.get(dataset)!.id,
    slug: dataset,
    limit,
    data_count: page.length,
    omitted_count: matching.length - reaching.length,
    empty_reason: page.length > 0 ? null : emptyReason(catalog, category, matching.length, reaching.length),
    has_more: more,
    next_cursor: more ? writeUpdatesCursor({ published_since, category, dataset, floors, place: positionOf(page.at(-1)!) }) : null,
    data: page.map(updateOf),
  }
  return { view, total: reaching.length }
}

function emptyReason(catalog: Catalog, category: UpdateCategory | null, matching: number, reaching: number): NoUpdates {
  if (reaching > 0) return 'past_the_end'
  if (matching > 0) return 'data_before_since'
  const offered = category === null || served(catalog).some(dataset => isIn(category, dataset))
  return offered ? 'nothing_published' : 'category_has_no_dataset'
}

type UpdatesRequest = Omit<UpdatesQuery, 'limit'>
type Applied = Omit<UpdatesCursor, 'place'> & { readonly place: string | null }

/** Compares everything except the day of data. */
const matches = (entry: FeedEntry, { published_since, category, dataset }: Applied): boolean =>
  (category === null || isIn(category, entry.dataset)) &&
  (dataset === null || entry.dataset.slug === dataset) &&
  (published_since === null || entry.changedAt >= published_since)

/** Also compares days of changed rows, because calendars contain future days. */
const reachesFloor = ({ dataset, data_until, changes }: FeedEntry, floors: Floors): boolean => {
  const floor = floors[categoryOf(dataset)] ?? ''
  return data_until >= floor || (changes.date_to ?? '') >= floor
}

/** Null if no category has a minimum day. */
const effectiveSince = (floors: Floors): string | null => Object.values(floors).sort().at(-1) ?? null

const sameFloors = (day: string): Floors => Object.fromEntries(UPDATE_CATEGORIES.map(category => [category, day]))

function firstPage(entries: readonly FeedEntry[], { since, published_since, category, dataset }: UpdatesRequest): Applied {
  const usesNewestDays = published_since === null && dataset === null
  const days = since === null ? (usesNewestDays ? newestDays(entries) : {}) : sameFloors(since)
  return { published_since, category, dataset, floors: floorsIn(category, days), place: null }
}

function nextPage(cursor: UpdatesCursor, request: UpdatesRequest): UpdatesCursor {
  const { published_since, category, dataset } = cursor
  const issued = { since: effectiveSince(cursor.floors), published_since, category, dataset }
  const isConsistent = (['since', 'published_since', 'category', 'dataset'] as const).every(
    name => request[name] === null || request[name] === issued[name],
  )
  if (isConsistent) return cursor
  throw new Refusal('invalid_cursor', issued)
}

const isDated = ({ date, daysAhead }: FeedEntry['dataset']): boolean => date !== undefined && daysAhead === undefined

const newest = new WeakMap<readonly FeedEntry[], Floors>()

/** Newest day of data per category. A future day counts as the day of publication. */
function newestDays(entries: readonly FeedEntry[]): Floors {
  const cachedDays = newest.get(entries)
  if (cachedDays) return cachedDays
  const dated: Record<string, string> = {}
  const undated: Record<string, string> = {}
  for (const entry of entries) {
    const { dataset, data_as_of, changedAt } = entry
    const published = changedAt.slice(0, 10)
    const days = isDated(dataset) ? dated : undated
    const day = data_as_of < published ? data_as_of : published
    const category = categoryOf(dataset)
    if (day > (days[category] ?? '')) days[category] = day
  }
  const floors: Floors = { ...undated, ...dated }
  newest.set(entries, floors)
  return floors
}

export function updateOf(entry: FeedEntry) {
  const { id, dataset, kind, release, previous, withdrawn, changedAt, data_as_of, synthetic, changes } = entry
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
    published_at: changedAt,
  }
}

/** Older releases do not separate days by kind of change. */
function reachOf(changes: FeedEntry['changes'], op: 'added' | 'changed' | 'removed') {
  const rows = changes[`rows_${op}`]
  if (rows === 0) return null
  const [from, to] = changes.reach ? (changes.reach[op] ?? [null, null]) : [changes.date_from, changes.date_to]
  return { rows, data_date_from: from, data_date_to: to }
}
