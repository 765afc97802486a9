import { Refusal } from '../core/index.ts'
import type { Changes, Publication } from '../releases/index.ts'
import { type Cursor, readCursor, writeCursor } from './cursor.ts'
import { placeOf } from './publications.ts'

export interface UpdatesQuery {
  /** Null: the newest day of data there is; every day where `published_since` is sent. */
  readonly since: string | null
  /** Instant in Taipei, RFC 3339; null: whenever published. */
  readonly published_since: string | null
  readonly category: string | null
  readonly limit: number
  /** `next_cursor` of the page before; null for the first page. */
  readonly cursor: string | null
}

/**
 * One page of the feed, newest publication first. A cursor brings along what the first page asked for, so that the default of `since`
 * does not move between pages; publications made meanwhile stand before the first page and shift nothing.
 *
 * @param publications newest first
 * @throws Refusal invalid_cursor when it is none, or was given out for other parameters
 */
export function updatesView(publications: readonly Publication[], { limit, ...asked }: UpdatesQuery) {
  const opened = asked.cursor === null ? opening(publications, asked) : continued(readCursor(asked.cursor), asked)
  const { since, published_since, category, place } = opened
  const found: Publication[] = []
  let omitted = 0
  for (const publication of publications) {
    if (!isAsked(publication, opened)) continue
    if (since !== null && publication.data_as_of < since) omitted++
    else if (found.length <= limit && (place === null || placeOf(publication) < place)) found.push(publication)
  }
  const page = found.slice(0, limit)
  const more = found.length > limit
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

type Asked = Omit<UpdatesQuery, 'limit'>

/** Whether a publication is of the category and the time asked for, whatever days its dataset holds. */
const isAsked = ({ dataset, published_at }: Publication, { published_since, category }: Omit<Cursor, 'place'>): boolean =>
  (category === null || dataset.family === category) && (published_since === null || published_at >= published_since)

const opening = (publications: readonly Publication[], { since, published_since, category }: Asked) => ({
  since: since ?? (published_since === null ? newestDay(publications) : null),
  published_since,
  category,
  place: null,
})

function continued(cursor: Cursor, asked: Asked): Cursor {
  const same = (['since', 'published_since', 'category'] as const).every(name => asked[name] === null || asked[name] === cursor[name])
  if (same) return cursor
  const { since, published_since, category } = cursor
  throw new Refusal('invalid_cursor', { since, published_since, category })
}

/** Newest day of data, over datasets whose rows have one: the day on which a list was last taken is no day of data. */
function newestDay(publications: readonly Publication[]): string | null {
  const days = publications.filter(({ dataset }) => dataset.date !== undefined).map(({ data_as_of }) => data_as_of)
  return (days.length > 0 ? days : publications.map(({ data_as_of }) => data_as_of)).sort().at(-1) ?? null
}

function updateOf({ dataset, release, parent, published_at, data_as_of, synthetic, changes }: Publication) {
  const { kind, rows_added, rows_changed, rows_removed, date_from, date_to } = changes
  return {
    update_id: `${dataset.id}:${release}`,
    dataset: dataset.id,
    category: dataset.family,
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

/** Days of one kind of change; the whole span where a release does not tell them apart. */
function reachOf(changes: Changes, op: 'added' | 'changed' | 'removed') {
  const rows = changes[`rows_${op}`]
  if (rows === 0) return null
  const [from, to] = changes.reach ? (changes.reach[op] ?? [null, null]) : [changes.date_from, changes.date_to]
  return { rows, data_date_from: from, data_date_to: to }
}
