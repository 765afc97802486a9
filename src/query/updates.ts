import type { Changes } from '../../catalog/release.ts'
import { Refusal } from '../core/errors.ts'
import { type Cursor, readCursor, writeCursor } from './cursor.ts'
import { type Publication, placeOf } from './publications.ts'

export interface UpdatesQuery {
  /** Null: the newest day of data there is. */
  readonly since: string | null
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
  const { since, category, place } = asked.cursor === null ? opening(publications, asked) : continued(readCursor(asked.cursor), asked)
  const found: Publication[] = []
  for (const publication of publications) {
    if (found.length > limit) break
    const wanted = since !== null && publication.data_as_of >= since && (category === null || publication.dataset.family === category)
    if (wanted && (place === null || placeOf(publication) < place)) found.push(publication)
  }
  const page = found.slice(0, limit)
  const more = found.length > limit
  return {
    since,
    category,
    limit,
    data_count: page.length,
    has_more: more,
    next_cursor: more ? writeCursor({ since: since!, category, place: placeOf(page.at(-1)!) }) : null,
    data: page.map(updateOf),
  }
}

type Asked = Omit<UpdatesQuery, 'limit'>

const opening = (publications: readonly Publication[], { since, category }: Asked) => ({
  since: since ?? newestDay(publications),
  category,
  place: null,
})

function continued(cursor: Cursor, { since, category }: Asked): Cursor {
  if ((since ?? cursor.since) === cursor.since && (category ?? cursor.category) === cursor.category) return cursor
  throw new Refusal('invalid_cursor', { since: cursor.since, category: cursor.category })
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
