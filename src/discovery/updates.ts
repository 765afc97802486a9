import { type Catalog, served } from '../../catalog/index.ts'
import { Refusal } from '../core/index.ts'
import type { Changes, Publication } from '../releases/index.ts'
import { placeOf } from './publications.ts'
import {
  type Floors,
  readUpdatesCursor,
  UPDATE_CATEGORIES,
  type UpdateCategory,
  type UpdatesCursor,
  writeUpdatesCursor,
} from './updates-cursor.ts'

/** Parameters of the updates feed. */
export interface UpdatesQuery {
  /** First day of data. Null means the newest day of data of each category, or every day where `published_since` is sent. */
  readonly since: string | null
  /** Earliest publication, RFC 3339 in Taipei; null for any. */
  readonly published_since: string | null
  readonly category: UpdateCategory | null
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
 * @param publications newest first
 * @throws Refusal invalid_cursor for a malformed cursor, or one issued for other parameters
 */
export function updatesView(publications: readonly Publication[], catalog: Catalog, { limit, ...request }: UpdatesQuery) {
  const applied = request.cursor === null ? firstPage(publications, request) : nextPage(readUpdatesCursor(request.cursor), request)
  const { published_since, category, floors, place } = applied
  const asked = publications.filter(publication => matches(publication, applied))
  const reaching = asked.filter(publication => reaches(publication, floors))
  const rest = place === null ? reaching : reaching.filter(publication => placeOf(publication) < place)
  const page = rest.slice(0, limit)
  const more = rest.length > limit
  return {
    since: sinceOf(floors),
    since_by_category: floors,
    published_since,
    category,
    limit,
    data_count: page.length,
    omitted_count: asked.length - reaching.length,
    empty_reason: page.length > 0 ? null : emptyReason(catalog, category, asked.length, reaching.length),
    has_more: more,
    next_cursor: more ? writeUpdatesCursor({ published_since, category, floors, place: placeOf(page.at(-1)!) }) : null,
    data: page.map(updateOf),
  }
}

function emptyReason(catalog: Catalog, category: UpdateCategory | null, asked: number, reaching: number): NoUpdates {
  if (reaching > 0) return 'past_the_end'
  if (asked > 0) return 'data_before_since'
  const offered = category === null || served(catalog).some(({ family }) => family === category)
  return offered ? 'nothing_published' : 'category_has_no_dataset'
}

type UpdatesRequest = Omit<UpdatesQuery, 'limit'>
type Applied = Omit<UpdatesCursor, 'place'> & { readonly place: string | null }

/** No dataset that is served is of the internal family. */
const categoryOf = ({ dataset }: Publication): UpdateCategory => dataset.family as UpdateCategory

/** Whether a publication matches the requested category and publication time, whatever days its dataset holds. */
const matches = (publication: Publication, { published_since, category }: Pick<Applied, 'published_since' | 'category'>): boolean =>
  (category === null || categoryOf(publication) === category) && (published_since === null || publication.published_at >= published_since)

const reaches = (publication: Publication, floors: Floors): boolean => publication.data_as_of >= (floors[categoryOf(publication)] ?? '')

/** The one day that was asked for, or the newest of the days that stand for it; null where none was applied. */
const sinceOf = (floors: Floors): string | null => Object.values(floors).sort().at(-1) ?? null

const allFrom = (day: string): Floors => Object.fromEntries(UPDATE_CATEGORIES.map(category => [category, day]))

function firstPage(publications: readonly Publication[], { since, published_since, category }: UpdatesRequest): Applied {
  const days = since === null ? (published_since === null ? newestDays(publications) : {}) : allFrom(since)
  const floors = Object.fromEntries(Object.entries(days).filter(([name]) => category === null || name === category))
  return { published_since, category, floors, place: null }
}

function nextPage(cursor: UpdatesCursor, request: UpdatesRequest): UpdatesCursor {
  const issued = { since: sinceOf(cursor.floors), published_since: cursor.published_since, category: cursor.category }
  const same = (['since', 'published_since', 'category'] as const).every(name => request[name] === null || request[name] === issued[name])
  if (same) return cursor
  throw new Refusal('invalid_cursor', issued)
}

const newest = new WeakMap<readonly Publication[], Floors>()

/**
 * Newest day of data by category, over its datasets that have dated rows: the day a list was taken is not a day of data, nor is one that
 * had not come when it was published.
 */
function newestDays(publications: readonly Publication[]): Floors {
  const known = newest.get(publications)
  if (known) return known
  const [dated, listed]: [Record<string, string>, Record<string, string>] = [{}, {}]
  for (const publication of publications) {
    const { dataset, data_as_of, published_at } = publication
    const [published, days] = [published_at.slice(0, 10), dataset.date === undefined ? listed : dated]
    const [day, category] = [data_as_of < published ? data_as_of : published, categoryOf(publication)]
    if (day > (days[category] ?? '')) days[category] = day
  }
  const floors: Floors = { ...listed, ...dated }
  newest.set(publications, floors)
  return floors
}

function updateOf(publication: Publication) {
  const { dataset, release, parent, published_at, data_as_of, synthetic, changes } = publication
  const { kind, rows_added, rows_changed, rows_removed, date_from, date_to } = changes
  return {
    update_id: `${dataset.id}:${release}`,
    dataset: dataset.id,
    category: categoryOf(publication),
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
    previous_release_version: parent,
    published_at,
  }
}

/** Rows and days of one kind of change; the whole span where a release does not record them separately. */
function reachOf(changes: Changes, op: 'added' | 'changed' | 'removed') {
  const rows = changes[`rows_${op}`]
  if (rows === 0) return null
  const [from, to] = changes.reach ? (changes.reach[op] ?? [null, null]) : [changes.date_from, changes.date_to]
  return { rows, data_date_from: from, data_date_to: to }
}
