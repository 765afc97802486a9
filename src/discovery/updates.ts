import { SERVED_FAMILIES } from '../../catalog/index.ts'
import { isDay, Refusal } from '../core/index.ts'
import type { Changes, Publication } from '../releases/index.ts'
import { placeOf } from './publications.ts'

/** Values of `category`. monthly_revenue has no dataset yet. */
export const UPDATE_CATEGORIES = [...SERVED_FAMILIES, 'monthly_revenue'] as const
type UpdateCategory = (typeof UPDATE_CATEGORIES)[number]

/** Parameters of the updates feed. */
export interface UpdatesQuery {
  /** First day of data. Null means the newest day of data, or every day where `published_since` is sent. */
  readonly since: string | null
  /** Earliest publication, RFC 3339 in Taipei; null for any. */
  readonly published_since: string | null
  readonly category: UpdateCategory | null
  readonly limit: number
  /** `next_cursor` of the page before; null for the first page. */
  readonly cursor: string | null
}

/**
 * One page of the feed, newest publication first. A cursor carries the parameters of the first page, so that the default of `since` does
 * not move between pages. Publications made in the meantime sort before the first page and shift nothing.
 *
 * @param publications newest first
 * @throws Refusal invalid_cursor for a malformed cursor, or one issued for other parameters
 */
export function updatesView(publications: readonly Publication[], { limit, ...request }: UpdatesQuery) {
  const applied = request.cursor === null ? firstPage(publications, request) : nextPage(readCursor(request.cursor), request)
  const { since, published_since, category, place } = applied
  const page: Publication[] = []
  let omitted = 0
  for (const publication of publications) {
    if (!matches(publication, applied)) continue
    if (since !== null && publication.data_as_of < since) omitted++
    else if (page.length <= limit && (place === null || placeOf(publication) < place)) page.push(publication)
  }
  const more = page.length > limit
  if (more) page.pop()
  return {
    since,
    published_since,
    category,
    limit,
    data_count: page.length,
    omitted_count: omitted,
    has_more: more,
    next_cursor: more ? writeCursor({ since, published_since, category, place: placeOf(page.at(-1)!) }) : null,
    data: page.map(updateOf),
  }
}

type UpdatesRequest = Omit<UpdatesQuery, 'limit'>

/** Whether a publication matches the requested category and publication time, whatever days its dataset holds. */
const matches = ({ dataset, published_at }: Publication, { published_since, category }: Omit<Cursor, 'place'>): boolean =>
  (category === null || dataset.family === category) && (published_since === null || published_at >= published_since)

const firstPage = (publications: readonly Publication[], { since, published_since, category }: UpdatesRequest) => ({
  since: since ?? (published_since === null ? newestDay(publications) : null),
  published_since,
  category,
  place: null,
})

function nextPage(cursor: Cursor, request: UpdatesRequest): Cursor {
  const same = (['since', 'published_since', 'category'] as const).every(name => request[name] === null || request[name] === cursor[name])
  if (same) return cursor
  const { since, published_since, category } = cursor
  throw new Refusal('invalid_cursor', { since, published_since, category })
}

/** Newest day of data over the datasets that have dated rows: the day a list was taken is not a day of data. */
function newestDay(publications: readonly Publication[]): string | null {
  const days = publications.filter(({ dataset }) => dataset.date !== undefined).map(({ data_as_of }) => data_as_of)
  return (days.length > 0 ? days : publications.map(({ data_as_of }) => data_as_of)).sort().at(-1) ?? null
}

function updateOf({ dataset, release, parent, published_at, data_as_of, synthetic, changes }: Publication) {
  const { kind, rows_added, rows_changed, rows_removed, date_from, date_to } = changes
  return {
    update_id: `${dataset.id}:${release}`,
    dataset: dataset.id,
    // No dataset that is served is of the internal family.
    category: dataset.family as UpdateCategory,
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

/** Where a page of the feed ended, and the parameters of the first page. */
interface Cursor {
  readonly since: string | null
  readonly published_since: string | null
  readonly category: UpdateCategory | null
  /** Position of the last publication on the page, as `placeOf` writes it. */
  readonly place: string
}

const VERSION = 2
const PLACE = /^\d{8}T\d{9}Z(-preview)? [a-z0-9-]{1,100}$/

const writeCursor = ({ since, published_since, category, place }: Cursor): string =>
  Buffer.from(JSON.stringify([VERSION, since, published_since, category, place])).toString('base64url')

/** @throws Refusal invalid_cursor for anything `writeCursor` does not produce */
function readCursor(text: string): Cursor {
  const fields = parsed(text)
  if (!Array.isArray(fields)) throw new Refusal('invalid_cursor')
  const [version, since, published_since, category, place] = fields
  const sound = version === VERSION && isDayOrNull(since) && isTextOrNull(published_since) && isTextOrNull(category)
  if (!sound || typeof place !== 'string' || !PLACE.test(place)) throw new Refusal('invalid_cursor')
  const cursor = { since, published_since, category: category as UpdateCategory | null, place }
  // Base64 allows several spellings of the same bytes; only the canonical one was issued.
  if (writeCursor(cursor) !== text) throw new Refusal('invalid_cursor')
  return cursor
}

const isTextOrNull = (value: unknown): value is string | null => value === null || typeof value === 'string'
const isDayOrNull = (value: unknown): value is string | null => value === null || (typeof value === 'string' && isDay(value))

function parsed(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
  } catch {
    return undefined
  }
}
