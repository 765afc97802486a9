import { titleOf } from '../../api/catalog.ts'
import type { Refused } from '../../api/client.ts'
import type { Update, Updates } from '../../api/updates.ts'
import { useAnswer, useRows } from '../../api/use.ts'
import { isoDay } from '../../parts/time.ts'

/** How a dataset stands, as `/v2/datasets` lists it. */
interface Listed {
  readonly slug: string
  readonly title: string
  readonly title_zh: string
  readonly freshness_state: string
  readonly data_as_of: string | null
  readonly last_published_at: string | null
  readonly next_expected_at: string | null
  readonly lag_days: number | null
  readonly cadence: string
  readonly known_gaps: readonly string[]
}

/** How a dataset stands, named in the language of the page. */
export type Standing = Omit<Listed, 'title_zh'>

/** Every dataset and when it is due, those that are late first, then the one that is due soonest. */
export function useStandings(): { readonly standings: readonly Standing[]; readonly refused: Refused | null } {
  const { value, refused } = useAnswer({ path: '/v2/datasets' }, ({ body }) =>
    (body as { readonly data: readonly Listed[] }).data.map(one => ({ ...one, title: titleOf(one) })).sort(urgency),
  ).value
  return { standings: value ?? [], refused }
}

const LATE_FIRST = ['late', 'due', 'fresh', 'static', 'building']

const urgency = (a: Standing, b: Standing): number =>
  LATE_FIRST.indexOf(a.freshness_state) - LATE_FIRST.indexOf(b.freshness_state) ||
  (a.next_expected_at ?? '9').localeCompare(b.next_expected_at ?? '9') ||
  a.slug.localeCompare(b.slug)

/** Most publications the feed tells at once. */
const MOST = 1_000

/** What was published in a month, by day in Taipei. @param month `2026-11` @returns also whether there was more than is told */
export function usePublications(month: string) {
  const feed = useAnswer<Updates>({ path: '/v2/updates', query: { published_since: `${month}-01`, limit: MOST } })
  const byDay = new Map<string, Update[]>()
  for (const publication of feed.value.value?.data ?? []) {
    const day = isoDay(publication.published_at)
    if (day.startsWith(month)) byDay.set(day, [...(byDay.get(day) ?? []), publication])
  }
  return {
    byDay: byDay as ReadonlyMap<string, readonly Update[]>,
    isCut: feed.value.value?.has_more ?? false,
    refused: feed.value.refused,
  }
}

/** Why the market is closed on the days of a month; `''` on a weekend. Asked as a visitor, so it costs nobody a credit. */
export function useClosedDays(month: string, lastDay: string) {
  const asked = useRows({
    path: '/v2/datasets/trading-calendar',
    query: { market: 'TWSE', start_date: `${month}-01`, end_date: lastDay, is_open: 'false', limit: 31, columns: 'date,reason' },
    asVisitor: true,
  })
  const closed = new Map((asked.value.value?.rows ?? []).map(row => [row['date'] as string, (row['reason'] as string | null) ?? '']))
  return { closed: closed as ReadonlyMap<string, string>, isKnown: asked.value.state !== 'refused' }
}
