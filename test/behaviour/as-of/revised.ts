import { expect } from 'vitest'
import { pathOf, type Row } from '../../../catalog/index.ts'
import { quarter } from '../../fixtures/fields/quarterly.ts'
import { quote, trade } from '../../fixtures/publish/rows.ts'
import { type ServiceOptions, service } from '../../support.ts'

/** A dataset that is published twice, with one changed value. */
export interface Revised {
  readonly slug: string
  /** Filter of a read that returns the changed row. */
  readonly query: string
  /** Filter of the cross-section with the row. Null if the dataset has none. */
  readonly section: string | null
  readonly column: string
  readonly before: unknown
  readonly after: unknown
  readonly first: readonly Row[]
  readonly second: readonly Row[]
}

/**
 * Day of the first publication in Taipei. `SECOND_DAY` is that of the revision. Both are at 20:00.
 */
export const FIRST_DAY = '2026-06-30'
export const SECOND_DAY = '2026-07-01'
/** Day on which the test reads. */
export const TODAY = '2026-07-02'

const DAY = '2026-06-29'

/** A service with revised datasets. */
export async function revisedService(options: ServiceOptions = {}) {
  let now = new Date(`${FIRST_DAY}T12:00:00Z`)
  const s = await service({ ...options, examples: false, now: () => now })
  const example = (slug: string, values: Row): Row => ({ ...(s.dataset(slug).example[0] as Row), ...values })
  const revised = (
    slug: string,
    query: string,
    section: string | null,
    column: string,
    [before, after]: readonly [unknown, unknown],
    row: Row,
  ) => ({ slug, query, section, column, before, after, first: [{ ...row, [column]: before }], second: [{ ...row, [column]: after }] })
  const datasets: readonly Revised[] = [
    revised('institutional-positioning', 'symbol=2330', `date=${DAY}`, 'foreign_net_buy', [100, 250], trade('2330', DAY, 0)),
    revised('daily-prices', 'symbol=2330', `date=${DAY}`, 'trades', [1, 7], quote('2330', DAY, 1_000)),
    revised(
      'bond-yield-curve',
      'symbol=10Y',
      `date=${DAY}`,
      'yield_rate',
      [1.5, 1.75],
      example('bond-yield-curve', { tenor_label: '10Y', trade_date: DAY, as_of: DAY }),
    ),
    revised('earnings', 'symbol=2330', null, 'eps', [10.5, 11], quarter('2026-Q1', 1, '2026-05-14')),
    revised('securities-firm-master', 'symbol=9997', null, 'chairman', ['甲', '乙'], example('securities-firm-master', {})),
  ]
  const ids = new Map<string, readonly [first: string, second: string]>()
  const publish = async (slug: string, rows: readonly Row[], day: string): Promise<string> => {
    now = new Date(`${day}T12:00:00Z`)
    const { release, faults } = await s.publish(slug, rows, { accept: ['closed_day', 'row_count_drift'] })
    expect(faults).toEqual([])
    return release!
  }
  const servedOf = (slug: string): string => s.releases.current(s.dataset(slug)).id
  for (const { slug, first } of datasets) await publish(slug, first, FIRST_DAY)
  // Publishing prices also publishes datasets that are derived from them.
  const firstIds = new Map(datasets.map(({ slug }) => [slug, servedOf(slug)]))
  for (const { slug, second } of datasets) await publish(slug, second, SECOND_DAY)
  for (const { slug } of datasets) ids.set(slug, [firstIds.get(slug)!, servedOf(slug)])
  now = new Date(`${TODAY}T12:00:00Z`)
  return {
    ...s,
    datasets,
    readPath: (slug: string): string => pathOf(s.dataset(slug)),
    /** Ids of both releases of a dataset. */
    releasesOf: (slug: string): readonly [first: string, second: string] => ids.get(slug)!,
    publishOn: publish,
    setTime(time: string): void {
      now = new Date(time)
    },
  }
}

export type RevisedService = Awaited<ReturnType<typeof revisedService>>

/** Rows of a JSON body, whatever its envelope. */
export const rowsOf = (body: { readonly data?: readonly Row[]; readonly envelope?: { readonly data?: readonly Row[] } }): readonly Row[] =>
  body.data ?? body.envelope?.data ?? []
