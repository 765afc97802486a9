import type { CatalogDataset, DatasetSchema } from '../../../clients/typescript/src/index.ts'
import { type Range, rangesIn } from '../../parts/range-text.ts'

/** A dataset with one row per security and day. */
export interface Screened {
  readonly slug: string
  readonly date: string
  /** Column with the day of announcement. Null if rows are public on the day that they describe. */
  readonly knownAt: string | null
  /** Maximum age of a security's newest row, in days. */
  readonly window: number
}

/** Maximum age of the newest row in days, by update schedule. */
const WINDOWS: Readonly<Record<CatalogDataset['cadence'], number>> = { trading_day: 14, week: 21, month: 75, quarter: 250, on_change: 0 }

const DAY = /(^|_)(date|end)$/

/** Undefined if the dataset does not have one row per security and day. */
export function screenedBy({ slug, grain, cadence }: CatalogDataset, schema?: DatasetSchema): Screened | undefined {
  const [key, date, more] = grain
  const window = WINDOWS[cadence]
  if (key !== 'ticker' || date === undefined || more !== undefined || window === 0 || !DAY.test(date)) return undefined
  return { slug, date, knownAt: schema?.as_of.known_at ?? null, window }
}

export interface Condition extends Range {
  readonly slug: string
}

/** Parses conditions such as `valuation.pe_ratio:..15,monthly-revenue.yoy_pct:20..`. */
export const conditionsIn = (text: string): readonly Condition[] =>
  rangesIn(text).flatMap(range => {
    const [slug, column] = range.column.split('.')
    return slug && column ? [{ ...range, slug, column }] : []
  })

const IDENTIFIER = /^[a-z_][a-z0-9_]*$/
const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d{1,3})?$/

const dayBefore = (day: string, days: number): string => new Date(Date.parse(day) - days * 86_400_000).toISOString().slice(0, 10)

/** Name of the result's column with the days of a dataset's rows. */
export const dayColumnOf = (slug: string): string => `${slug.replaceAll('-', '_')}_day`

export const columnOf = ({ slug, column }: Pick<Condition, 'slug' | 'column'>): string => `${slug.replaceAll('-', '_')}_${column}`

/**
 * Returns the SQL of a screen: the newest rows of each security that meet all conditions. Null if
 * there is no usable condition. Omits rows that were announced after `day`.
 *
 * @param order column of the result, with `-` for descending order
 */
export function screenSql(
  day: string,
  conditions: readonly Condition[],
  datasets: readonly Screened[],
  order: string,
  limit: number,
): string | null {
  const usable = conditions.filter(
    ({ slug, column, from, to }) =>
      datasets.some(dataset => dataset.slug === slug) && IDENTIFIER.test(column) && [from, to].every(end => end === '' || NUMBER.test(end)),
  )
  if (usable.length === 0 || !/^\d{4}-\d{2}-\d{2}$/.test(day)) return null
  const used = datasets.filter(({ slug }) => usable.some(one => one.slug === slug))
  const sources = used.map(dataset => {
    const table = dataset.slug.replaceAll('-', '_')
    const columns = [...new Set(usable.filter(({ slug }) => slug === dataset.slug).map(({ column }) => column))]
    const known = dataset.knownAt === null ? '' : ` AND ${dataset.knownAt} <= '${day}'`
    return `${table}_newest AS (
  SELECT ticker, ${dataset.date} AS ${dayColumnOf(dataset.slug)}, ${columns.map(column => `${column} AS ${table}_${column}`).join(', ')}
  FROM ${table}
  WHERE ${dataset.date} >= '${dayBefore(day, dataset.window)}' AND ${dataset.date} <= '${day}'${known}
  QUALIFY row_number() OVER (PARTITION BY ticker ORDER BY ${dataset.date} DESC) = 1
)`
  })
  const [first, ...rest] = used.map(({ slug }) => `${slug.replaceAll('-', '_')}_newest`)
  const names = [...new Set(usable.map(columnOf))]
  const wanted = order.replace(/^-/, '')
  const sorted = names.includes(wanted) || wanted === 'ticker' ? wanted : names[0]!
  return `WITH ${sources.join(', ')}
SELECT ticker, s.name, s.industry, ${[...names, ...used.map(({ slug }) => dayColumnOf(slug))].join(', ')}
FROM ${first}
${rest.map(name => `JOIN ${name} USING (ticker)\n`).join('')}LEFT JOIN securities AS s USING (ticker)
WHERE ${usable.flatMap(boundsOf).join(' AND ') || 'true'}
ORDER BY ${sorted}${order.startsWith('-') ? ' DESC NULLS LAST' : ''}, ticker
LIMIT ${limit}`
}

function boundsOf(condition: Condition): readonly string[] {
  const { from, to, below } = condition
  const name = columnOf(condition)
  return [...(from === '' ? [] : [`${name} >= ${from}`]), ...(to === '' ? [] : [`${name} ${below ? '<' : '<='} ${to}`])]
}
