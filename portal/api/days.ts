import { type Signal, useComputed } from '@preact/signals'
import { useCatalog } from './catalog.ts'
import { useReads } from './reads.ts'

/** Returns the last day of a dataset. Null while loading, or if the dataset has no days. */
export function useLastDay(slug: string): Signal<string | null> {
  const catalog = useCatalog()
  return useComputed(() => catalog.value.value?.find(one => one.slug === slug)?.last_date ?? null)
}

/** Maximum number of days in a day picker, about two years of trading. */
const MOST_DAYS = 500

/** Returns the trading days of TWSE up to `until`, oldest first. Empty while loading. */
export function useTradingDays(until: string | null): Signal<readonly string[]> {
  const query = { market: 'TWSE', is_open: true, end_date: until, columns: 'date', limit: MOST_DAYS }
  const reading = useReads(until === null ? null : [{ slug: 'trading-calendar', query }])
  return useComputed(() => {
    const [answer] = reading.value.answers
    return answer?.ok ? answer.rows.rows.map(({ date }) => String(date)).reverse() : []
  })
}
