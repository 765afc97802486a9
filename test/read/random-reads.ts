import { expect, vi } from 'vitest'
import { type Dataset, pathOf, type Row, rangeColumns, served } from '../../catalog/index.ts'
import { quote, trade, weekdays } from '../fixtures/publish/rows.ts'
import { service, type TestService } from '../support.ts'
import { dice, picker } from './dice.ts'

/** Number of concurrent reads. */
const AT_ONCE = 8

const chance = dice(7)
const pick = picker(chance)

const TICKERS = [...Array.from({ length: 12 }, (_, index) => String(1_101 + index)), '2330', '00632R', '2881A']
const DAYS = weekdays('2025-10-01', 120)
const RISKS = ['attention', 'disposition', 'altered_trading', 'managed_stock', 'suspension']
const REASONS = ['連續三個營業日累積漲幅異常', '', 'a "quoted", one\nover two lines', '𠮷野家與臺灣', 'x'.repeat(90), '\ufeffmark']

const trades = (days: readonly string[]): readonly Row[] =>
  days.flatMap(day =>
    // Some tickers do not trade every day, and one is listed later.
    TICKERS.filter(ticker => chance() > 0.1 && (ticker !== '2881A' || day > '2026-01-05')).map(ticker =>
      trade(ticker, day, Math.round((chance() - 0.5) * (ticker === '2330' ? 9e12 : 9e6)), { dealer_net_buy: Math.round(chance() * 300) }),
    ),
  )
const quotes = (days: readonly string[]): readonly Row[] =>
  days.flatMap(day => TICKERS.flatMap(ticker => (chance() > 0.2 ? [quote(ticker, day, Math.round(chance() * 1e13))] : [])))
const risks = (days: readonly string[]): readonly Row[] =>
  days.flatMap(event_date =>
    ['2330', '1101', '5483'].flatMap(symbol =>
      RISKS.filter(() => chance() < 0.3).map(risk_type => ({
        symbol,
        event_date,
        risk_type,
        description: pick(REASONS),
        source_role: 'official',
        lineage: JSON.stringify({ authority: pick(['TWSE', 'TPEx']), note: pick(REASONS) }),
      })),
    ),
  )

/**
 * A service with base parts, an appended part and revised days. The engine answers reads until the
 * cached columns are refreshed.
 */
async function serviceWithHistory(room: Room): Promise<TestService> {
  const s = await service({ inMemory: false, indexed: false, ...room })
  const publish = async (slug: string, rows: readonly Row[]): Promise<void> => {
    const { faults } = await s.publish(slug, rows, { accept: ['row_count_drift'] })
    expect(faults).toEqual([])
  }
  await publish('daily-prices', quotes(DAYS))
  await publish('institutional-positioning', trades(DAYS.slice(0, -3)))
  await publish('company-risk-events', risks(DAYS.slice(0, -3)))
  for (const day of DAYS.slice(-3)) await publish('institutional-positioning', trades([day]))
  await publish('company-risk-events', risks(DAYS.slice(-40)))
  await publish('institutional-positioning', trades([DAYS[40]!]))
  return s
}

/** A random order by one to three columns, some of them descending. */
const sortOf = ({ columns }: Dataset): string =>
  [...new Set([0, 1, 2].slice(0, 1 + Math.floor(chance() * 3)).map(() => pick(Object.keys(columns))))]
    .map(name => (chance() < 0.5 ? `-${name}` : name))
    .join(',')

/**
 * Random ranges of one or two numeric columns. The bounds are values of the rows. Some ranges have
 * no lower or upper bound.
 */
function rangeOf(dataset: Dataset, valuesOf: (column: string) => readonly string[]): string {
  const names = [...new Set([0, 1].slice(0, 1 + Math.floor(chance() * 2)).map(() => pick(rangeColumns(dataset))))]
  return names
    .map(name => {
      const values = valuesOf(name)
      const [low, high] = [pick(values), pick(values)].map(Number).toSorted((a, b) => a - b)
      if (low === undefined || Number.isNaN(low)) return `${name}:0..`
      const form = chance()
      return form < 0.25 ? `${name}:${low}..` : form < 0.5 ? `${name}:..<${high}` : `${name}:${low}..${high}`
    })
    .join(',')
}

/** Random reads of a dataset by key, with values that exist and values that do not. */
function reads(dataset: Dataset, rows: readonly Row[], count: number): readonly string[] {
  const valuesOf = (column: string): readonly string[] => [
    ...new Set(
      rows
        .map(row => row[column])
        .filter(value => value != null)
        .map(String),
    ),
  ]
  const keyParam = Object.entries(dataset.filters).find(([, { column, op }]) => column === dataset.key && (op === 'eq' || op === 'in'))
  if (!keyParam) return []
  const others = Object.entries(dataset.filters).filter(([name]) => name !== keyParam[0])
  const existing = valuesOf(dataset.key!)
  return Array.from({ length: count }, () => {
    const params = new URLSearchParams()
    const many = keyParam[1].op === 'in' ? 1 + Math.floor(chance() ** 3 * Math.min(50, existing.length)) : 1
    params.set(keyParam[0], [...new Set(Array.from({ length: many }, () => pick(existing)))].join(','))
    for (const [name, { column, op, values, example }] of others) {
      if (chance() > 0.3) continue
      if (op === 'latest' || op === 'period') params.set(name, op === 'latest' ? 'true' : pick(['2025', '2025Q4', '2026Q1']))
      else params.set(name, pick([...(values ?? valuesOf(column)), ...(example === undefined ? [] : [example])]))
    }
    if (chance() < 0.6) params.set('limit', String(1 + Math.floor(chance() ** 2 * 400)))
    if (chance() < 0.3) params.set('offset', String(Math.floor(chance() ** 2 * 200)))
    if (chance() < 0.25 && rangeColumns(dataset).length > 0) params.set('range', rangeOf(dataset, valuesOf))
    if (chance() < 0.15) params.set('sort', sortOf(dataset))
    else {
      if (chance() < 0.3) params.set('sort_order', pick(['asc', 'desc']))
      if (chance() < 0.2) params.set('sort_by', pick(dataset.sortable))
    }
    if (chance() < 0.2)
      params.set(
        'columns',
        Object.keys(dataset.columns)
          .filter(() => chance() < 0.5)
          .join(',') || dataset.key!,
      )
    if (chance() < 0.1 && dataset.envelope.kind === 'A-bare') params.set('envelope', 'full')
    return `${pathOf(dataset)}?${params}`
  })
}

/** Status, headers and body of each read, without the request id. */
async function answers(s: TestService, key: string, urls: readonly string[]): Promise<readonly string[]> {
  const found: string[] = []
  for (let from = 0; from < urls.length; from += AT_ONCE) {
    const several = await Promise.all(urls.slice(from, from + AT_ONCE).map(url => s.get(url, key)))
    for (const { statusCode, body, headers } of several) {
      found.push(`${statusCode} ${headers['link']} ${headers['x-empty-reason']} ${body.replaceAll(String(headers['x-request-id']), 'ID')}`)
    }
  }
  return found
}

/** Size of the cache for rows in bytes, and whether the other datasets have their example rows. */
export interface Room {
  readonly examples?: boolean
  readonly cacheBytes: number
}

/**
 * Compares random reads from cached rows with reads by the engine, byte by byte.
 *
 * @param state the counter of parts that must be cached, and its minimum share
 * @param engineShare maximum share of reads that use the engine
 */
export async function checkRandomReads(
  room: Room,
  count: number,
  { state: name, least, engineShare }: { readonly state: 'whole' | 'newest'; readonly least: number; readonly engineShare: number },
): Promise<void> {
  const s = await serviceWithHistory(room)
  try {
    const key = s.keyOn('max')
    const datasets = served(s.catalog).filter(dataset => dataset.key !== undefined && s.releases.served(dataset))
    const urls: string[] = []
    for (const dataset of datasets) {
      const weight = ['institutional-positioning', 'company-risk-events'].includes(dataset.slug) ? 0.3 : 0.4 / (datasets.length - 2)
      urls.push(...reads(dataset, await allRows(s, dataset), Math.ceil(weight * count)))
    }
    const engine = await answers(s, key, urls)
    expect(engine.filter(answer => answer.startsWith('200')).length).toBeGreaterThan(0.7 * urls.length)
    await s.columns.refresh()
    const state = s.columns.state()
    expect(state[name]).toBeGreaterThanOrEqual(least * state.parts)
    const read = vi.spyOn(s.pool, 'read')
    for (const [index, answer] of (await answers(s, key, urls)).entries())
      expect([urls[index], answer]).toEqual([urls[index], engine[index]])
    const engineReads = read.mock.calls.length
    read.mockRestore()
    expect(engineReads).toBeLessThan(engineShare * urls.length)
  } finally {
    await s.close()
  }
}

/** The published rows of a dataset. */
async function allRows(s: TestService, dataset: Dataset): Promise<readonly Row[]> {
  const release = s.releases.current(dataset)
  const files = release.manifest.parts.map(part => `'${release.pathOf(part)}'`)
  const session = await s.engine.connect()
  try {
    const rows = await session.rows(`SELECT * FROM read_parquet([${files}])`)
    return rows.length > 0 ? rows : dataset.example
  } finally {
    session.close()
  }
}
