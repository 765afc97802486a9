import type { CatalogDataset, DatasetCatalog, Update, Updates } from '../../../clients/typescript/src/index.ts'
import type { Refused } from '../../api/client.ts'
import { useAnswer, useRows } from '../../api/use.ts'
import { isoDay } from '../../parts/time.ts'

/** Returns all datasets: overdue ones first, others by due date. */
export function useStandings(): { readonly standings: readonly CatalogDataset[]; readonly refused: Refused | null } {
  const { value, refused } = useAnswer({ path: '/v2/datasets' }, ({ body }) => (body as DatasetCatalog).data.toSorted(urgency)).value
  return { standings: value ?? [], refused }
}

const LATE_FIRST = ['late', 'due', 'fresh', 'static', 'building']

const urgency = (a: CatalogDataset, b: CatalogDataset): number =>
  LATE_FIRST.indexOf(a.freshness_state) - LATE_FIRST.indexOf(b.freshness_state) ||
  (a.next_expected_at ?? '9').localeCompare(b.next_expected_at ?? '9') ||
  a.slug.localeCompare(b.slug)

const MOST = 1_000

/**
 * Returns the publications of a month, by day in Taipei. Also returns whether the month has more
 * publications than one response can contain.
 *
 * @param month for example `2026-11`
 */
export function usePublications(month: string) {
  const feed = useAnswer<Updates>({ path: '/v2/updates', query: { published_since: `${month}-01`, limit: MOST } })
  const byDay = new Map<string, Update[]>()
  for (const publication of feed.value.value?.data ?? []) {
    const day = isoDay(publication.published_at)
    if (day.startsWith(month)) byDay.set(day, [...(byDay.get(day) ?? []), publication])
  }
  return {
    byDay: byDay as ReadonlyMap<string, readonly Update[]>,
    isLoaded: feed.value.value !== null,
    isCut: feed.value.value?.has_more ?? false,
    refused: feed.value.refused,
  }
}

/**
 * Returns the closed days of a month with the reason. The reason is empty on weekends. Reads as a
 * visitor, so that the page costs no credits.
 */
export function useClosedDays(month: string, lastDay: string) {
  const calendar = useRows({
    path: '/v2/datasets/trading-calendar',
    query: { market: 'TWSE', start_date: `${month}-01`, end_date: lastDay, is_open: 'false', limit: 31, columns: 'date,reason' },
    asVisitor: true,
  })
  const closed = new Map((calendar.value.value?.rows ?? []).map(row => [row['date'] as string, (row['reason'] as string | null) ?? '']))
  return { closed: closed as ReadonlyMap<string, string>, isKnown: calendar.value.state !== 'refused' }
}
