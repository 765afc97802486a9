import { expect } from 'vitest'
import { type ColumnType, crossSections, type Dataset, loadCatalog, pathOf, type Row, rangeColumns, served } from '../../catalog/index.ts'
import { rowsOf, type SamplesServed } from './samples-served.ts'

const catalog = await loadCatalog()

/** Computed datasets that have no sample rows, because no sample price reaches its limit. */
const WITHOUT_ROWS: ReadonlySet<string> = new Set(['limit-moves'])

/** Every read and cross-section of datasets with samples that an API key can read. */
export const READS: readonly Dataset[] = [...served(catalog), ...crossSections(catalog)].filter(({ slug }) => !WITHOUT_ROWS.has(slug))

/** Reads and cross-sections of these datasets. */
export const readsOf = (slugs: readonly string[]): readonly Dataset[] => READS.filter(({ slug }) => slugs.includes(slug))

/** Path of a read's profile. */
const profilePath = ({ slug, sectionOf }: Dataset): string => `/v2/datasets/${sectionOf ? `${slug}/cross-section` : slug}/profile`

const isNumeric = (type: ColumnType): boolean => type === 'number' || type === 'integer'
const bytesOf = (value: unknown): Buffer => Buffer.from(String(value))

/** Compares two values like the engine: numbers by value, all others by their stored bytes. */
const compare = (type: ColumnType, first: unknown, other: unknown): number =>
  isNumeric(type) || type === 'boolean' ? Number(first) - Number(other) : Buffer.compare(bytesOf(first), bytesOf(other))

/**
 * The first row that differs, or undefined. Reporting one row is much cheaper than reporting both
 * lists.
 */
function firstDifference(found: readonly Row[], wanted: readonly Row[]): unknown {
  const [first, other] = [asText(found), asText(wanted)]
  const position = first.findIndex((row, index) => row !== other[index])
  if (position < 0 && first.length === other.length) return undefined
  return position < 0 ? { rows: first.length, wanted: other.length } : { at: position, found: first[position], wanted: other[position] }
}

const asText = (rows: readonly Row[]): readonly string[] => rows.map(row => JSON.stringify(row))

/**
 * Reads a dataset sorted by every column in both directions. Checks that every row occurs once,
 * that the order is right and that nulls are last. JSON columns are not compared.
 */
export async function checkSorting(samples: SamplesServed, dataset: Dataset): Promise<void> {
  const url = `${pathOf(dataset)}?${await samples.required(dataset)}`
  const whole = await samples.allPages(`${url}&limit=400`)
  const wanted = asText(whole).toSorted().join()
  expect.soft(whole.length, `rows of ${url}`).toBeGreaterThan(0)
  const limit = Math.max(1, Math.ceil(whole.length / 3))
  for (const [name, { type }] of Object.entries(dataset.columns)) {
    for (const [sort, sign] of [
      [name, 1],
      [`-${name}`, -1],
    ] as const) {
      const cell = `${url}&limit=${limit}&sort=${sort}`
      const rows = await samples.allPages(cell)
      expect.soft(asText(rows).toSorted().join() === wanted, `${cell} has every row once`).toBe(true)
      if (type === 'json') continue
      const values = rows.map(row => row[name])
      const filled = values.filter(value => value !== null)
      expect
        .soft(
          values.slice(filled.length).filter(value => value !== null),
          `values after nulls in ${cell}`,
        )
        .toEqual([])
      const wrong = filled.slice(1).findIndex((value, at) => sign * compare(type, value, filled[at]) < 0)
      expect.soft(wrong < 0 ? [] : filled.slice(wrong, wrong + 2), `neighbours out of order in ${cell}`).toEqual([])
    }
  }
}

const numbersOf = (rows: readonly Row[], column: string): readonly number[] =>
  rows.map(row => row[column]).filter((value): value is number => typeof value === 'number')

/**
 * Reads a dataset by ranges of every numeric column: in pages, as NDJSON, as a dry run and as a
 * profile.
 */
export async function checkRanges({ s, key, required, allPages }: SamplesServed, dataset: Dataset): Promise<void> {
  const query = await required(dataset)
  const url = `${pathOf(dataset)}?${query}`
  const whole = await allPages(`${url}&limit=2000`)
  for (const column of rangeColumns(dataset)) {
    const values = [...new Set(numbersOf(whole, column))].sort((a, b) => a - b)
    const [low = 0, last = 0] = [values[Math.floor(values.length / 4)], values[Math.floor((3 * values.length) / 4)]]
    const high = last > low ? last : low + 1
    const cases: readonly (readonly [range: string, isIn: (value: number) => boolean])[] = [
      [`${low}..${high}`, value => value >= low && value <= high],
      [`${low}..`, value => value >= low],
      [`..${high}`, value => value <= high],
      [`..<${high}`, value => value < high],
      [`${low}..${low}`, value => value === low],
    ]
    const inRange = (isIn: (value: number) => boolean) => whole.filter(row => typeof row[column] === 'number' && isIn(row[column]))
    for (const [text, isIn] of cases) {
      const cell = `${url}&${new URLSearchParams({ range: `${column}:${text}` })}`
      const expected = inRange(isIn)
      const rows = await allPages(`${cell}&limit=${Math.max(1, Math.ceil(expected.length / 2))}`)
      expect.soft(firstDifference(rows, expected), `first wrong row of ${cell}`).toBeUndefined()
      const dry = (await s.get(`${cell}&limit=100000&dry_run=true`, key)).json()
      expect.soft(dry, `dry run of ${cell}`).toMatchObject({ rows: expected.length, would_be_refused: false })
    }
    const range = new URLSearchParams({ range: `${column}:${low}..<${high}` })
    const { length } = inRange(value => value >= low && value < high)
    const lines = (await s.get(`${url}&${range}&limit=100000&format=ndjson`, key)).body.split('\n').filter(Boolean)
    expect.soft(lines.length, `ndjson lines of ${url}&${range}`).toBe(length)
    const profile = (await s.get(`${profilePath(dataset)}?${query}&${range}`, key)).json()
    expect.soft([profile.row_count, profile.filters?.range], `profile of ${url}&${range}`).toEqual([length, range.get('range')])
  }
}

export interface Profiled {
  readonly name: string
  readonly type: ColumnType
  readonly count: number
  readonly nulls: number
  readonly distinct: number
  readonly min: unknown
  readonly max: unknown
  readonly histogram: readonly { readonly from: number | string; readonly to: number | string; readonly count: number }[] | null
  readonly top: readonly { readonly value: unknown; readonly count: number }[] | null
  readonly others: { readonly values: number; readonly count: number } | null
}

/**
 * Counts of each value, highest count first. Equal counts are ordered by the bytes of the value.
 */
function frequencies(values: readonly unknown[]) {
  const counts = [...Map.groupBy(values, value => value)].map(([value, { length }]) => ({ value, count: length }))
  return counts.sort((a, b) => b.count - a.count || Buffer.compare(bytesOf(a.value), bytesOf(b.value)))
}

/** Compares the profile of a column with these rows. */
export function checkColumn(profile: Profiled, rows: readonly Row[], cell = profile.name): void {
  const { type, name } = profile
  const values = rows.map(row => row[name])
  const filled =
    type === 'json' ? values.filter(value => value !== null).map(value => JSON.stringify(value)) : values.filter(value => value !== null)
  const counts = { count: filled.length, nulls: values.length - filled.length, distinct: new Set(filled).size }
  expect.soft(profile, `counts of ${cell}`).toMatchObject(counts)
  if (type === 'json') {
    expect.soft(profile, `JSON column ${cell}`).toMatchObject({ min: null, max: null, histogram: null, top: null, others: null })
    return
  }
  const sorted = filled.toSorted((a, b) => compare(type, a, b))
  expect.soft([profile.min, profile.max], `min and max of ${cell}`).toEqual([sorted[0] ?? null, sorted.at(-1) ?? null])
  const isListed = type === 'text' || type === 'boolean'
  const all = frequencies(filled)
  expect.soft(profile.top, `top of ${cell}`).toEqual(isListed ? all.slice(0, 20) : null)
  const rest = all.slice(20)
  const others = isListed ? { values: rest.length, count: rest.reduce((sum, { count }) => sum + count, 0) } : null
  expect.soft(profile.others, `others of ${cell}`).toEqual(others)
  const bins = profile.histogram
  if (!(isNumeric(type) || type === 'date') || filled.length === 0) return expect.soft(bins, `histogram of ${cell}`).toBeNull()
  expect.soft(bins!.length, `bins of ${cell}`).toBeLessThanOrEqual(20)
  for (const [index, { from, to, count }] of bins!.entries()) {
    expect.soft(from < to, `bin ${index} of ${cell} is not empty`).toBe(true)
    if (index > 0) expect.soft(from, `start of bin ${index} of ${cell}`).toBe(bins![index - 1]!.to)
    const inBin = filled.filter(value => (value as number) >= (from as number) && (value as number) < (to as number))
    expect.soft(count, `count of bin ${index} of ${cell}`).toBe(inBin.length)
  }
  expect
    .soft(
      bins!.reduce((sum, { count }) => sum + count, 0),
      `sum of the bins of ${cell}`,
    )
    .toBe(filled.length)
}

/** Compares the profile of a read with its rows, in every column. */
export async function checkProfile({ s, key, required }: SamplesServed, dataset: Dataset): Promise<void> {
  const query = await required(dataset)
  const read = await s.get(`${pathOf(dataset)}?${query}&limit=100000`, key)
  const cell = `${profilePath(dataset)}?${query}`
  const response = await s.get(cell, key)
  expect([cell, response.statusCode, response.statusCode === 200 ? '' : response.body]).toEqual([cell, 200, ''])
  const [rows, body] = [rowsOf(read.json()), response.json()]
  expect.soft(rows.length, `rows of ${cell}`).toBeGreaterThan(0)
  expect
    .soft(body, `body of ${cell}`)
    .toMatchObject({ dataset: dataset.id, row_count: rows.length, empty_reason: null, release: read.headers['x-release'] })
  expect
    .soft(
      body.data.map(({ name }: Profiled) => name),
      `columns of ${cell}`,
    )
    .toEqual(Object.keys(dataset.columns))
  for (const column of body.data as readonly Profiled[]) checkColumn(column, rows, `${column.name} in ${cell}`)
  for (const name of ['x-release', 'x-data-as-of', 'x-warnings', 'x-known-gaps', 'x-credits-charged'])
    expect.soft(response.headers[name], `${name} of ${cell}`).toEqual(read.headers[name])
}
