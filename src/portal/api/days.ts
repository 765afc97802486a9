import type { Signal } from '@preact/signals'
import { useComputed } from '@preact/signals'
import type { Rows } from './client.ts'
import { type Asked, useAnswer, useRows } from './use.ts'

/** What the catalog says of a dataset; fields that pages use. */
export interface Listed {
  readonly dataset: string
  readonly slug: string
  readonly title: string
  readonly title_zh: string
  readonly first_date: string | null
  readonly last_date: string | null
  readonly freshness_state: string
}

/** The last day a dataset holds; null while it is asked for, and where it holds none. */
export function useLastDay(slug: string): Signal<string | null> {
  const list = useAnswer<{ readonly data: readonly Listed[] }>({ path: '/v2/datasets' })
  return useComputed(() => list.value.value?.data.find(one => one.slug === slug)?.last_date ?? null)
}

/** Days before the last one that can be chosen: two years of trading. */
const MOST_DAYS = 500

/** Trading days of the exchange up to a day, oldest first; empty while they are asked for. */
export function useTradingDays(until: string | null): Signal<readonly string[]> {
  const asked: Signal<Asked<Rows>> = useRows(
    until === null
      ? null
      : {
          path: '/v2/datasets/trading-calendar',
          query: { market: 'TWSE', is_open: true, end_date: until, columns: 'date', limit: MOST_DAYS },
        },
  )
  return useComputed(() => (asked.value.value?.rows ?? []).map(({ date }) => String(date)).reverse())
}
