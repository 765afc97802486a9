import type { Dataset } from '../../../catalog/index.ts'
import { isSunday } from '../../../src/calendar/index.ts'
import type { Words } from '../../../src/core/index.ts'
import { literal, quote } from '../../../src/engine/index.ts'
import type { ServedReleases } from '../write/parent.ts'
import type { Workspace } from '../write/workspace.ts'
import type { Batch, BatchFault } from './batch.ts'
import { type CalendarDays, calendarDays } from './calendar-days.ts'
import type { Relation } from './relations.ts'

const CALENDAR = 'trading-calendar'
/** Datasets whose rows prove that a market traded. */
const TRADED = ['daily-prices', 'institutional-positioning'] as const
const MOST_NAMED = 10

/** Suffix of a day that the exchange has not announced yet. */
export const FORECAST_SUFFIX = '（依規則推算，尚未公告）'

export interface DayFindings {
  readonly faults: readonly BatchFault[]
  readonly notices: readonly BatchFault[]
}

/**
 * Reports rows on closed days, and closed days on which rows show trades. Rows on a day with a
 * forecast closure cause only a warning.
 */
export async function checkOpenDays(workspace: Workspace, batch: Batch, served: ServedReleases, incoming: Relation): Promise<DayFindings> {
  const days = { ...batch, served, incoming }
  const found =
    batch.dataset.slug === CALENDAR ? { faults: await contradictions(workspace, days), notices: [] } : await closedDays(workspace, days)
  return { faults: found.faults.filter(({ rule }) => !batch.accept.includes(rule)), notices: found.notices }
}

interface Days extends Batch {
  readonly served: ServedReleases
  readonly incoming: Relation
}

interface MarketDay {
  readonly source: number
  readonly name: string
  readonly day: string
  readonly rows: number
}

/**
 * Reports rows on closed days. Without a calendar, only Sundays count as closed, because sessions
 * that make up for a holiday were held on Saturdays. Sparse datasets are exempt, because company
 * events occur on any day.
 */
async function closedDays(workspace: Workspace, { dataset, served, incoming }: Days): Promise<DayFindings> {
  const { cadence, date } = dataset
  if (cadence.every !== 'trading_day' || cadence.sparse || date === undefined) return { faults: [], notices: [] }
  const calendar = await calendarOf(workspace, served)
  const closed = (await marketDays(workspace, incoming, marketOf(dataset), date, 'true')).filter(
    ({ name, day }) => !(calendar.get(name)?.open ?? !isSunday(day)),
  )
  const why = ({ name, day }: MarketDay): Words => {
    const reason = calendar.get(name)?.reason
    const [en, zh] = isSunday(day) ? ['a Sunday', '星期日'] : ['closed', '休市']
    return { en: `${name} (${reason ?? en})`, zh: `${name}（${reason ?? zh}）` }
  }
  const isForetold = ({ name }: MarketDay): boolean => calendar.get(name)?.reason?.endsWith(FORECAST_SUFFIX) === true
  const findings = (rule: string, days: readonly MarketDay[], words: (names: Words) => Words): readonly BatchFault[] =>
    bySource(days).map(([source, some]) => {
      const samples = some.slice(0, 5).map(({ name }) => name)
      const { en, zh } = words(inWords(some.map(why)))
      return { rule, source, column: date, count: rowsOf(some), samples, message: en, message_zh: zh }
    })
  return {
    faults: findings(
      'closed_day',
      closed.filter(one => !isForetold(one)),
      names => ({
        en: `The market did not trade on ${names.en}. Check the dates of the rows, or pass --accept closed_day if it did.`,
        zh: `市場於 ${names.zh}並未交易；請檢查資料列的日期，若確有交易，請以 --accept closed_day 放行。`,
      }),
    ),
    notices: findings('foretold_closed_day', closed.filter(isForetold), names => ({
      en: `The rows include ${names.en}, which the calendar expects to be closed. Publish the calendar that the exchange announced.`,
      zh: `資料含有交易日曆推算為休市的日期：${names.zh}。請依交易所公告更新交易日曆。`,
    })),
  }
}

/** Returns SQL of the market of a row. A dataset without a market column covers one market. */
const marketOf = ({ columns, coverage }: Dataset): string => ('market' in columns ? quote('market') : literal(coverage.markets[0] ?? ''))

async function contradictions(workspace: Workspace, { synthetic, served, incoming }: Days): Promise<readonly BatchFault[]> {
  const closed = await marketDays(workspace, incoming, quote('market'), 'date', 'NOT is_open')
  const traded = new Map<string, string>()
  for (const slug of TRADED) {
    const release = await served.alike(slug, synthetic)
    for (const slice of Object.keys(release?.spans.slices ?? {})) traded.set(slice, slug)
  }
  return bySource(closed.filter(({ name }) => traded.has(name))).map(([source, days]) => {
    const tradedDays = inWords(days.map(({ name }) => ({ en: `${name} (${traded.get(name)})`, zh: `${name}（${traded.get(name)}）` })))
    return {
      rule: 'contradicts_rows',
      source,
      column: 'is_open',
      count: rowsOf(days),
      samples: days.slice(0, 5),
      message: `The calendar marks days as closed that have served rows: ${tradedDays.en}. Check the days, or pass --accept contradicts_rows if the rows are wrong.`,
      message_zh: `交易日曆載明休市，該日卻有已提供的資料列：${tradedDays.zh}；請檢查該日，若資料列有誤，請以 --accept contradicts_rows 放行。`,
    }
  })
}

async function marketDays(
  { session }: Workspace,
  incoming: Relation,
  market: string,
  date: string,
  where: string,
): Promise<readonly MarketDay[]> {
  const rows = await session.rows(
    `SELECT "_source"::INTEGER AS source, ${market} || ' ' || ${quote(date)}::VARCHAR AS name, ${quote(date)}::VARCHAR AS day, count(*)::INTEGER AS rows
     FROM ${incoming} WHERE ${where} GROUP BY ALL ORDER BY day, name`,
  )
  return rows as unknown as readonly MarketDay[]
}

/** Samples are checked against the calendar too, because calendar days are facts. */
async function calendarOf(workspace: Workspace, served: ServedReleases): Promise<CalendarDays['named']> {
  const calendar = await served.of(CALENDAR).catch(() => undefined)
  return calendar ? (await calendarDays(workspace, calendar)).named : new Map()
}

const bySource = (days: readonly MarketDay[]) => [...Map.groupBy(days, ({ source }) => source)]
const rowsOf = (days: readonly MarketDay[]): number => days.reduce((sum, { rows }) => sum + rows, 0)

function inWords(days: readonly Words[]): Words {
  const [first, more] = [days.slice(0, MOST_NAMED), days.length - MOST_NAMED]
  return {
    en: first.map(({ en }) => en).join(', ') + (more > 0 ? ` and ${more} more days` : ''),
    zh: first.map(({ zh }) => zh).join('、') + (more > 0 ? `等，另有 ${more} 日` : ''),
  }
}
