import { type Column, type Dataset, derivedColumns, storedColumns } from '../../catalog/index.ts'
import { nearest } from '../../src/core/index.ts'
import { quote, type Session } from '../../src/engine/index.ts'
import { columnsGiven, type Relation } from '../publish/index.ts'
import { keptFor, type Mapping } from './mapping.ts'
import { TICKER_TO_MARKET } from './units.ts'
import { fitting } from './value-forms.ts'

export interface Proposal {
  readonly kept: readonly string[]
  readonly map: readonly string[]
  /**
   * Required columns that the file seems to lack, with the allowed values if known. With `map` as
   * the value of `--map`, the column is computed from another column. Null if not possible.
   */
  readonly missing: readonly { readonly column: string; readonly values: readonly string[]; readonly map: string | null }[]
  /** File columns without a match. */
  readonly unplaced: readonly string[]
  /**
   * Dataset columns that would be empty in every row. An unmatched file column may belong to one of
   * these columns.
   */
  readonly empty: readonly string[]
  /** Same as `unplaced` if no dataset column would be empty. These columns can be ignored. */
  readonly ignore: readonly string[]
  readonly mapping: Pick<Mapping, 'dataset' | 'about' | 'ignore'> & {
    readonly columns: Readonly<Record<string, string | { readonly from: string; readonly units: readonly string[] }>>
  }
}

const SAMPLE = 500

export interface Named {
  readonly relation: Relation
  /** Dataset columns whose values have another type in the file. */
  readonly mistyped: readonly string[]
  /** The applied mapping, which the proposal includes. */
  readonly mapping?: Mapping | undefined
  readonly dataDir: string
}

/**
 * Matches columns of the file to columns of the dataset, by names, Chinese labels, spelling and
 * values. Null if no match is likely.
 */
export async function proposeMapping(
  session: Session,
  dataset: Dataset,
  { relation, mistyped, mapping, dataDir }: Named,
): Promise<Proposal | null> {
  const given = await columnsGiven(session, relation)
  const derived = derivedColumns(dataset)
  const ours = storedColumns(dataset).filter(name => !given.has(name) && !derived.includes(name))
  const theirs = [...given.keys()].filter(name => dataset.columns[name] === undefined)
  const values = await valuesOf(session, relation, [...theirs, ...mistyped])
  const likely = [...chosen(candidates(dataset, ours, theirs, values)), ...mistyped.flatMap(name => converting(dataset, name, values))]
  if (likely.length === 0) return null
  const pairs = alikeCommas(dataset, likely)
  const taken = new Set(pairs.map(({ from }) => from))
  const found = new Set(pairs.map(({ to }) => to))
  const unplaced = theirs.filter(name => !taken.has(name))
  const empty = ours.filter(name => !found.has(name) && allowedOf(dataset, name).length === 0)
  const ignore = empty.length === 0 ? unplaced : []
  const columns = pairs.map(({ from, to, units }) => [to, units.length === 0 ? from : { from, units }] as const)
  return {
    kept: mapping ? [] : keptFor(dataset, dataDir, given),
    map: pairs.map(({ from, to, units }) => `${from}=${to}${units.length === 0 ? '' : `:${units.join('+')}`}`),
    missing: ours
      .filter(name => !found.has(name) && !dataset.columns[name]!.nullable)
      .map(column => ({ column, values: allowedOf(dataset, column), map: marketByTicker(column, pairs) })),
    unplaced,
    empty,
    ignore,
    mapping: {
      dataset: dataset.slug,
      about: 'Proposed by twmd check. Review every line.',
      ...mapping,
      columns: { ...mapping?.columns, ...Object.fromEntries(columns) },
      ignore: [...(mapping?.ignore ?? []), ...ignore],
    },
  }
}

/** Returns an option that determines the market from the ticker. Null for other columns. */
function marketByTicker(column: string, pairs: readonly Candidate[]): string | null {
  const ticker = pairs.find(({ to }) => to === 'ticker')
  return column === 'market' && ticker ? `${ticker.from}=market:${TICKER_TO_MARKET}` : null
}

const COMMAS = 'commas→number'

/**
 * Converts thousands separators in all numeric columns if one column has them. Files use separators
 * in all numeric columns or in none.
 */
function alikeCommas({ columns }: Dataset, pairs: readonly Candidate[]): readonly Candidate[] {
  if (!pairs.some(({ units }) => units.includes(COMMAS))) return pairs
  const isNumber = (name: string): boolean => columns[name]!.type === 'number' || columns[name]!.type === 'integer'
  return pairs.map(pair => (isNumber(pair.to) && !pair.units.includes(COMMAS) ? { ...pair, units: [...pair.units, COMMAS] } : pair))
}

type Values = ReadonlyMap<string, readonly string[]>

async function valuesOf(session: Session, relation: Relation, names: readonly string[]): Promise<Values> {
  if (names.length === 0) return new Map()
  const texts = names.map(name => `${quote(name)}::VARCHAR AS ${quote(name)}`)
  const rows = await session.rows(`SELECT ${texts.join(', ')} FROM ${relation} LIMIT ${SAMPLE}`)
  const valuesIn = (name: string): readonly string[] => rows.map(row => row[name]).flatMap(value => (value === null ? [] : [String(value)]))
  return new Map(names.map(name => [name, valuesIn(name)]))
}

/** Returns conversions that fit the column's type. */
function converting(dataset: Dataset, name: string, values: Values): readonly Candidate[] {
  const units = fitting(dataset.columns[name]!, { name, values: values.get(name)!, pattern: patternOf(dataset, name), allowed: [] }) ?? []
  return units.length > 0 ? [{ from: name, to: name, units, score: 1 }] : []
}

interface Candidate {
  readonly from: string
  readonly to: string
  readonly units: readonly string[]
  readonly score: number
}

const LEAST = 0.5

function candidates(dataset: Dataset, ours: readonly string[], theirs: readonly string[], values: Values): readonly Candidate[] {
  return theirs.flatMap(from =>
    ours.flatMap(to => {
      const column = dataset.columns[to]!
      const units = fitting(column, {
        name: from,
        values: values.get(from)!,
        pattern: patternOf(dataset, to),
        allowed: allowedOf(dataset, to),
      })
      if (units === undefined) return []
      const score = Math.max(likeness(from, to, column, ours), onlyByValues(dataset, to, from, values))
      return score >= LEAST ? [{ from, to, units, score }] : []
    }),
  )
}

/** Returns the most likely pairs, at most one per column. */
function chosen(pairs: readonly Candidate[]): readonly Candidate[] {
  const [froms, tos] = [new Set<string>(), new Set<string>()]
  return pairs
    .toSorted((a, b) => b.score - a.score)
    .filter(({ from, to }) => {
      if (froms.has(from) || tos.has(to)) return false
      froms.add(from)
      tos.add(to)
      return true
    })
}

/** Other services' names, without capitals and punctuation. */
const OTHERWISE: Readonly<Record<string, readonly string[]>> = {
  ticker: ['stockid', 'stockno', 'stockcode', 'symbol', 'code', 'securitycode', 'dataid', '股票代號', '證券代號', '代號', '公司代號'],
  symbol: ['stockid', 'stockno', 'stockcode', 'ticker', 'code', '股票代號', '證券代號', '代號', '公司代號'],
  trade_date: ['date', 'day', 'tradingdate', 'datadate', '日期', '交易日', '交易日期', '資料日期'],
  event_date: ['date', 'day', '日期', '公布日期'],
  market: ['exchange', 'type', 'board', '市場', '市場別', '上市別'],
  name: ['stockname', 'companyname', 'securityname', '名稱', '證券名稱', '股票名稱', '公司名稱', '公司簡稱'],
  open: ['openprice', 'openingprice', '開盤價', '開盤'],
  high: ['max', 'highprice', 'highestprice', 'highest', '最高價', '最高'],
  low: ['min', 'lowprice', 'lowestprice', 'lowest', '最低價', '最低'],
  close: ['closeprice', 'closingprice', 'last', '收盤價', '收盤'],
  volume: ['tradingvolume', 'vol', 'tradevolume', 'capacity', '成交股數', '成交量', '成交張數'],
  turnover: ['tradingmoney', 'amount', 'tradevalue', 'value', '成交金額', '成交值'],
  trades: ['tradingturnover', 'transaction', 'transactions', '成交筆數', '筆數'],
  pe_ratio: ['pe', 'per', 'priceearnings', 'priceearningsratio', '本益比'],
  pb_ratio: ['pb', 'pbr', 'pricebook', 'pricebookratio', '股價淨值比', '淨值比'],
  dividend_yield: ['yield', 'dy', 'yieldrate', '殖利率'],
  foreign_net_buy: ['foreignbuysell', 'foreignnet', 'foreigndiff', '外資買賣超', '外資買賣超股數', '外陸資買賣超股數'],
  investment_trust_net_buy: ['investmenttrustbuysell', 'trustbuysell', 'trustnet', 'sitcbuysell', '投信買賣超', '投信買賣超股數'],
  dealer_net_buy: ['dealerbuysell', 'dealernet', 'dealerdiff', '自營商買賣超', '自營商買賣超股數'],
}

/** Returns a name in lower case, without punctuation, spaces and text in brackets. */
const bare = (name: string): string =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[(（[].*?[)）\]]/g, '')
    .replace(/[\s_.\-:/]/g, '')

function likeness(from: string, to: string, { zh }: Column, ours: readonly string[]): number {
  const name = bare(from)
  if (name === '') return 0
  if (name === bare(to) || name === bare(zh)) return 1
  if ((OTHERWISE[to] ?? []).includes(name)) return 0.9
  if (/\p{Script=Han}/u.test(name)) return bare(zh).includes(name) || name.includes(bare(zh)) ? 0.7 : 0
  if ((name.length > 4 && bare(to).endsWith(name)) || (name.length > 3 && name.includes(bare(to)))) return 0.6
  // Short words are similar by chance.
  return name.length > 4 && nearest(name, ours.map(bare)) === bare(to) ? 0.6 : 0
}

/**
 * Scores a pair by its values only. The column must be the only one with days, or the only one
 * whose values are all allowed.
 */
function onlyByValues(dataset: Dataset, to: string, from: string, values: Values): number {
  const column = dataset.columns[to]!
  const allowed = allowedOf(dataset, to)
  const fits = (name: string): boolean => fitting(column, { name, values: values.get(name)!, pattern: undefined, allowed }) !== undefined
  if (column.type !== 'date' && allowed.length === 0) return 0
  if (column.type === 'date' && to !== dataset.date) return 0
  const able = [...values.keys()]
    .filter(name => dataset.columns[name] === undefined)
    .filter(name => values.get(name)!.length > 0 && fits(name))
  return able.length === 1 && able[0] === from ? LEAST : 0
}

const patternOf = ({ filters }: Dataset, name: string): string | undefined =>
  Object.values(filters).find(({ column, op, pattern }) => column === name && pattern !== undefined && (op === 'eq' || op === 'in'))
    ?.pattern

/** Returns the values that rules allow in a column. Empty if no rule restricts the column. */
const allowedOf = ({ rules = [] }: Dataset, name: string): readonly string[] =>
  rules.flatMap(rule => ('values' in rule && rule.column === name ? rule.values.map(String) : []))
