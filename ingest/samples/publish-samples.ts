import { createHash } from 'node:crypto'
import type { Catalog, Dataset, Row } from '../../catalog/index.ts'
import { scheduleOf } from '../../src/calendar/index.ts'
import { taipeiDay } from '../../src/core/index.ts'
import { isTradingDay } from '../calendar/index.ts'
import { publishAdjusted, publishComputed } from '../derive/index.ts'
import { calendarOf } from '../intake/index.ts'
import {
  createServedReleases,
  createStaging,
  type Outcome,
  publish,
  publishInOrder,
  stagedColumns,
  stageRows,
  type TradingCalendar,
  type Workspace,
} from '../publish/index.ts'
import { bondCurve } from './bond-curve.ts'
import { cashFlow } from './cash-flow.ts'
import { foreignHolding, marginTrading, securitiesLending, valuation } from './daily.ts'
import { companyEarnings, earnings, segments } from './earnings.ts'
import { capitalChanges, exRights, exRightsDetails } from './events.ts'
import { branches, firms } from './firms.ts'
import { indices, marketIndices } from './indices.ts'
import { monthlyRevenue } from './monthly-revenue.ts'
import { positioning, quotes } from './quotes.ts'
import { riskEvents } from './risk-events.ts'
import { scaledExamples } from './scaled-examples.ts'
import { shareholderDistribution } from './shareholders.ts'
import { themes } from './themes.ts'
import { companyNames, etfRegister, listedSecurities } from './tickers.ts'

/**
 * Functions that generate synthetic rows, keyed by dataset. Rows have stored columns only, and
 * JSON columns are values, not text. The day `until` determines all rows, and no row has a later
 * date. A later `until` does not change the rows of earlier days.
 */
export const SAMPLES: Readonly<Record<string, (until: string) => readonly Row[]>> = {
  'all-segments': segments,
  'bond-yield-curve': bondCurve,
  'broker-branch-reference': branches,
  'capital-changes': capitalChanges,
  'cash-flow': cashFlow,
  'company-earnings': companyEarnings,
  'company-names': companyNames,
  'company-risk-events': riskEvents,
  'daily-prices': quotes,
  earnings,
  'etf-register': etfRegister,
  'ex-rights': exRights,
  'ex-rights-details': exRightsDetails,
  'foreign-holding': foreignHolding,
  'index-classification': indices,
  'institutional-positioning': positioning,
  'listed-securities': listedSecurities,
  'margin-trading': marginTrading,
  'market-indices': marketIndices,
  'monthly-revenue': monthlyRevenue,
  'securities-firm-master': firms,
  'securities-lending': securitiesLending,
  'shareholder-distribution': shareholderDistribution,
  'theme-taxonomy': themes,
  valuation,
}

/** Returns the samples, keyed by dataset: from `SAMPLES`, or from the dataset's example rows. */
function samplesOf(catalog: Catalog): ReadonlyMap<string, (until: string) => readonly Row[]> {
  const scaled = [...catalog.values()].filter(({ sample }) => sample !== undefined)
  return new Map([
    ...Object.entries(SAMPLES),
    ...scaled.map(dataset => [dataset.slug, (until: string) => scaledExamples(dataset, until)] as const),
  ])
}

/** Samples from which adjusted prices are computed. */
const ADJUSTED_FROM = ['daily-prices', 'ex-rights', 'capital-changes']

/** The calendar contains facts, so it has no synthetic rows. */
const CALENDAR = 'trading-calendar'

/**
 * Returns the datasets that have samples but no release. Empty if a dataset other than the
 * calendar has real rows or cannot be read, because samples are never mixed with real rows.
 */
export async function samplesMissing(workspace: Workspace): Promise<readonly string[]> {
  const releases = createServedReleases(workspace)
  const sampled = [...workspace.catalog.values()].filter(({ slug }) => slug !== CALENDAR)
  const kinds = await Promise.all(
    sampled.map(async dataset => {
      const served = await releases.of(dataset.slug).catch(() => 'unreadable' as const)
      return [
        dataset.slug,
        served === undefined ? 'none' : served !== 'unreadable' && served.manifest.synthetic ? 'samples' : 'real',
      ] as const
    }),
  )
  const kind = new Map(kinds)
  return [...kind.values()].includes('real') ? [] : [...samplesOf(workspace.catalog).keys()].filter(slug => kind.get(slug) === 'none')
}

/**
 * Returns the newest day of each sample: the last day whose rows were due at `now`. Datasets that
 * are not daily get the earliest newest day of the daily datasets.
 */
export function sampleDays(catalog: Catalog, now: Date): (slug: string) => string {
  const days = new Map(
    [...samplesOf(catalog).keys()].flatMap(slug => {
      const cadence = catalog.get(slug)?.cadence
      if (cadence?.every !== 'trading_day') return []
      return [[slug, scheduleOf(cadence, day => !isTradingDay(day)).dueBy(now)!.covers] as const]
    }),
  )
  const all = [...days.values()].sort()[0] ?? taipeiDay(now)
  return slug => days.get(slug) ?? all
}

/**
 * Publishes synthetic rows, two datasets at a time. Manifests and responses mark these rows as
 * synthetic.
 *
 * @param until function that returns the newest day of a dataset's sample
 * @param progress called before each dataset, with its slug, the number of datasets started before,
 * and the number of all datasets
 * @throws Error if a sample fails the dataset's checks
 */
export async function publishSamples(
  workspace: Workspace,
  slugs: readonly string[],
  until: (slug: string) => string,
  progress: (slug: string, before: number, total: number) => void,
): Promise<void> {
  const calendar = await calendarOf(workspace)
  let begun = 0
  let failure: { readonly error: unknown } | undefined
  // Any two samples fit into memory.
  const waiting = slugs.map(slug => ({ slug, rows: 0 }))
  await publishInOrder(workspace, waiting, async (slug, lane) => {
    if (failure) return
    progress(slug, begun++, slugs.length)
    await publishSample(lane, lane.catalog.get(slug)!, until(slug), calendar).catch(error => {
      failure ??= { error }
    })
  })
  if (failure) throw failure.error
  const adjusted = slugs.some(slug => ADJUSTED_FROM.includes(slug)) ? await publishAdjusted(workspace, calendar) : []
  for (const { dataset, outcome } of await publishComputed(workspace, calendar, [...slugs, ...adjusted.map(({ dataset }) => dataset)]))
    refuseFaulty(dataset, outcome)
}

async function publishSample(workspace: Workspace, dataset: Dataset, last: string, calendar: TradingCalendar): Promise<void> {
  const { slug } = dataset
  const rows = samplesOf(workspace.catalog).get(slug)!(last)
  const columns = stagedColumns(dataset, rows)
  const relation = await createStaging(workspace.session, 'raw', columns)
  await stageRows(workspace.session, dataset, relation, columns, 0, rows)
  const sha256 = createHash('sha256').update(`${slug} ${last}`).digest('hex')
  const sources = [{ name: `synthetic sample until ${last}`, sha256, bytes: 0, read_as: 'sample', url: null }]
  const outcome = await publish(workspace, { dataset, relation, sources, synthetic: true, accept: [], sourceBySource: false, calendar })
  refuseFaulty(slug, outcome)
}

function refuseFaulty(slug: string, { status, faults }: Outcome): void {
  if (status === 'refused') throw new Error(`The sample of ${slug} was refused: ${faults.map(({ message }) => message).join(' ')}`)
}
