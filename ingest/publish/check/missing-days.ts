import type { Dataset, Severity } from '../../../catalog/index.ts'
import { addDays, type Words } from '../../../src/core/index.ts'
import type { BatchSlice, Slices } from '../write/slices.ts'
import { type BatchFault, isSession, MISSING_DAYS, MOST_SAMPLES, type TradingCalendar } from './batch.ts'

const MOST_NAMED = 10

/**
 * Reports gaps next to a day of the batch: trading days without rows, up to the nearest day with
 * rows in the batch or the release. Earlier gaps are not reported.
 */
export function missingDays(
  { completeness }: Pick<Dataset, 'completeness'>,
  incoming: readonly BatchSlice[],
  published: Slices,
  calendar: TradingCalendar,
): readonly BatchFault[] {
  if (completeness === undefined) return []
  const daysByMarket = Map.groupBy(new Set([...Object.keys(published), ...incoming.map(({ name }) => name)]), marketOf)
  const gaps = [...daysByMarket].flatMap(([market, names]) => gapsOf(market, names.map(dayOf).sort(), incoming, calendar))
  return [...Map.groupBy(gaps, ({ source }) => source)].map(([source, found]) => {
    const days = [...new Set(found.map(({ name }) => name))]
    return {
      rule: MISSING_DAYS,
      source,
      column: null,
      count: days.length,
      samples: days.slice(0, MOST_SAMPLES),
      message: `The trading ${days.length === 1 ? 'day' : 'days'} ${named(days, ', ', more => ` and ${more} more`)} ${days.length === 1 ? 'has' : 'have'} no rows, although earlier and later days do. ${NEXT[completeness.severity].en}`,
      message_zh: `交易日 ${named(days, '、', more => `等，另有 ${more} 日`)} 沒有資料，前後日期則有；${NEXT[completeness.severity].zh}`,
    }
  })
}

const NEXT: Readonly<Record<Severity, Words>> = {
  error: {
    en: 'Publish them together with the adjacent days, or record a closure with twmd publish trading-calendar.',
    zh: '請與前後的日期一併發布，或以 twmd publish trading-calendar 登錄休市。',
  },
  acceptable: {
    en: `Publish them first, record a closure with twmd publish trading-calendar, or pass --accept ${MISSING_DAYS}.`,
    zh: `請擇一處理：先發布這些日期的資料；以 twmd publish trading-calendar 登錄休市；或以 --accept ${MISSING_DAYS} 放行。`,
  },
  warning: {
    en: 'Publish them too, or record a closure with twmd publish trading-calendar.',
    zh: '請一併發布這些日期，或以 twmd publish trading-calendar 登錄休市。',
  },
}

interface Gap {
  readonly name: string
  readonly source: number
}

/** @param days days of the market, in order */
function gapsOf(market: string, days: readonly string[], incoming: readonly BatchSlice[], calendar: TradingCalendar): readonly Gap[] {
  const sources = new Map(incoming.filter(({ name }) => marketOf(name) === market).map(({ name, source }) => [dayOf(name), source]))
  return days.slice(1).flatMap((day, index) => {
    const source = sources.get(day) ?? sources.get(days[index]!)
    if (source === undefined) return []
    return between(days[index]!, day, calendar).map(missing => ({ name: `${market}${missing}`, source }))
  })
}

function between(first: string, last: string, calendar: TradingCalendar): readonly string[] {
  const missing: string[] = []
  for (let day = addDays(first, 1); day < last; day = addDays(day, 1)) if (isSession(day, calendar)) missing.push(day)
  return missing
}

const dayOf = (slice: string): string => slice.slice(-10)
const marketOf = (slice: string): string => slice.slice(0, -10)

function named(days: readonly string[], between: string, andMore: (more: number) => string): string {
  const more = days.length - MOST_NAMED
  return days.slice(0, MOST_NAMED).join(between) + (more > 0 ? andMore(more) : '')
}
