import { cpSync } from 'node:fs'
import { quarter } from '../../fixtures/fields/quarterly.ts'
import { openTestWorkspace, publishRows } from '../../support.ts'
import { type Bounds, scaled } from './case.ts'

/** Number of companies, and of quarters per company, at full scale. */
const [COMPANIES, QUARTERS] = [1_000, 20]
/** Number of entities per query. */
const OF_A_QUERY = 100
/** Minimum number of companies, so that queries can vary their entities. */
const LEAST = 2 * OF_A_QUERY
/**
 * Days of the releases, in order. The first release has all rows. Each later release restates the
 * newest quarter of every company.
 */
const FIRST = '2026-07-02'
const RESTATED = ['2026-07-06', '2026-07-08', '2026-07-10', '2026-07-14', '2026-07-16', '2026-07-20', '2026-07-22', '2026-07-24']
/** A day on which the first release was the newest. */
const AS_OF = '2026-07-03'

const tickerOf = (company: number): string => String(1_101 + company)
const periodOf = (index: number): string => `${2021 + Math.floor((index + 1) / 4)}-Q${1 + ((index + 1) % 4)}`
const announcedIn = (period: string): string => {
  const [year, season] = period.split('-Q').map(Number) as [number, number]
  return season === 4 ? `${year + 1}-03-30` : `${year}-${['05', '08', '11'][season - 1]}-14`
}

/**
 * Copies the example rows and publishes several releases that restate quarterly figures of many
 * companies.
 */
export async function publishRestated(bounds: Pick<Bounds, 'examples' | 'scale'>, dir: string): Promise<void> {
  cpSync(bounds.examples, dir, { recursive: true })
  const companies = Array.from({ length: Math.max(LEAST, scaled(bounds, COMPANIES)) }, (_, company) => tickerOf(company))
  const periods = Array.from({ length: QUARTERS }, (_, index) => periodOf(index))
  const newest = periods.at(-1)!
  let day = FIRST
  const workspace = await openTestWorkspace(dir, () => new Date(`${day}T12:00:00Z`))
  const publish = async (rows: Parameters<typeof publishRows>[3]): Promise<void> => {
    const { status, faults } = await publishRows(workspace, dir, workspace.catalog.get('earnings')!, rows, { accept: ['row_count_drift'] })
    if (status !== 'published') throw new Error(`the quarters were ${status}: ${JSON.stringify(faults)}`)
  }
  await publish(companies.flatMap(ticker => periods.map((period, at) => quarter(period, 1 + at, announcedIn(period), ticker))))
  for (const [index, restated] of RESTATED.entries()) {
    day = restated
    await publish(companies.map(ticker => quarter(newest, 2 + QUARTERS + index, announcedIn(newest), ticker)))
  }
  workspace.close()
}

/**
 * An as-of query on the day of the first release. Consecutive queries use different sets of a
 * hundred companies.
 */
export const asOfQueries = (index: number): string => {
  const ids = Array.from({ length: OF_A_QUERY }, (_, at) => tickerOf((index * 7 + at) % LEAST))
  return `/v2/query?entity_type=company&entity_ids=${ids.join(',')}&fields=earnings.eps,earnings.revenue&as_of_date=${AS_OF}`
}
