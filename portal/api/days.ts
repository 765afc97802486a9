import { type Signal, useComputed } from '@preact/signals'
import { useCatalog } from './catalog.ts'
import { useReads } from './reads.ts'

/** The last day a dataset holds; null while it is asked for, and where it holds none. */
export function useLastDay(slug: string): Signal<string | null> {
  const catalog = useCatalog()
  return useComputed(() => catalog.value.value?.find(one => one.slug === slug)?.last_date ?? null)
}

/** Days that can be chosen: two years of trading. */
const MOST_DAYS = 500

/** Trading days of the exchange up to a day, oldest first; empty while they are asked for. */
export function useTradingDays(until: string | null): Signal<readonly string[]> {
  const query = { market: 'TWSE', is_open: true, end_date: until, columns: 'date', limit: MOST_DAYS }
  const reading = useReads(until === null ? null : [{ slug: 'trading-calendar', query }])
  return useComputed(() => {
    const [answer] = reading.value.answers
    return answer?.ok ? answer.rows.rows.map(({ date }) => String(date)).reverse() : []
  })
}
