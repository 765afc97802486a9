import type { Column } from '../../catalog/index.ts'
import { literal } from '../../src/engine/index.ts'

/** Text that cannot be converted is unchanged, so that later checks refuse it. */
interface Conversion {
  readonly name: string
  readonly fits: (column: Column) => boolean
  readonly sql: (text: string) => string
}

/** A decimal number that publication accepts. */
const DECIMAL = String.raw`\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*`

/** Multiplies by a power of ten. Only the exponent changes, so long numbers stay exact. */
const times = (power: number) => (text: string) => {
  const [digits, exponent] = [
    `regexp_extract(${text}, '^[^eE]+')`,
    `coalesce(TRY_CAST(regexp_extract(${text}, '[eE](.*)$', 1) AS INTEGER), 0)`,
  ]
  return `CASE WHEN regexp_full_match(${text}, ${literal(DECIMAL)}) THEN trim(${digits}) || 'e' || (${exponent} + ${power}) ELSE ${text} END`
}
const scaled = (name: string, power: number, unit: Column['unit']): Conversion => ({
  name,
  fits: column => column.unit === unit,
  sql: times(power),
})
/** Removes a percent sign. */
const unsigned = (text: string): string => `regexp_replace(${text}, '\\s*[%％]\\s*$', '')`
const isDate = ({ type }: Column): boolean => type === 'date'
const isText = ({ type }: Column): boolean => type === 'text'
const isNumber = ({ type }: Column): boolean => type === 'number' || type === 'integer'

/** Returns SQL of a date. The pattern's groups are year, month and day. */
const dated = (text: string, pattern: string, year: (part: string) => string): string => {
  const part = (group: number): string => `regexp_extract(trim(${text}), ${literal(`^${pattern}$`)}, ${group})`
  return `printf('%04d-%02d-%02d', ${year(`${part(1)}::INTEGER`)}, ${part(2)}::INTEGER, ${part(3)}::INTEGER)`
}

const matches = (text: string, pattern: string): string => `regexp_full_match(trim(${text}), ${literal(pattern)})`

const ROC = ['(\\d{1,3})[/.\\-年](\\d{1,2})[/.\\-月](\\d{1,2})日?', '(\\d{2,3})(\\d{2})(\\d{2})'] as const
const WESTERN = ['(\\d{4})[/.\\-年](\\d{1,2})[/.\\-月](\\d{1,2})日?(?:[ T]00:00:00(?:\\.0+)?Z?)?', '(\\d{4})(\\d{2})(\\d{2})'] as const

const days = (patterns: readonly string[], year: (part: string) => string) => (text: string) =>
  `CASE ${patterns.map(pattern => `WHEN ${matches(text, pattern)} THEN ${dated(text, pattern, year)}`).join(' ')} ELSE ${text} END`

/** Names that sources use for the two markets. */
const MARKETS = {
  TWSE: ['TWSE', 'TSE', 'SII', 'L', '上市', '集中市場'],
  TPEX: ['TPEX', 'OTC', 'O', '上櫃', '櫃買'],
} as const

/** Conversion that reads the table from `createMarketTable`. */
export const TICKER_TO_MARKET = 'ticker→market'
/** Table with the market of each security. No file can have these column names. */
export const MARKET_TABLE = { name: 'security_markets', ticker: '_security', market: '_security_market' } as const

const CONVERSIONS: readonly Conversion[] = [
  scaled('lots→shares', 3, 'shares'),
  scaled('thousand→shares', 3, 'shares'),
  scaled('thousand→TWD', 3, 'TWD'),
  scaled('million→TWD', 6, 'TWD'),
  scaled('hundred-million→TWD', 8, 'TWD'),
  scaled('TWD→thousand', -3, 'TWD thousand'),
  scaled('million→thousand', 3, 'TWD thousand'),
  { ...scaled('percent→ratio', -2, 'ratio'), sql: text => times(-2)(unsigned(text)) },
  { name: 'percent→number', fits: ({ unit }) => unit === 'percent', sql: text => unsigned(text) },
  scaled('ratio→percent', 2, 'percent'),
  // Only commas between groups of three digits are removed. 1,5 may be a decimal number.
  {
    name: 'commas→number',
    fits: isNumber,
    sql: text =>
      `CASE WHEN ${matches(text, '[+-]?\\d{1,3}(,\\d{3})+(\\.\\d*)?')} THEN replace(trim(${text}), ',', '') ELSE trim(${text}) END`,
  },
  {
    name: 'dash→absent',
    fits: ({ nullable }) => nullable === true,
    sql: text => `CASE WHEN NOT ${matches(text, '-+|N/A|')} THEN ${text} END`,
  },
  { name: 'roc→date', fits: isDate, sql: days(ROC, part => `${part} + 1911`) },
  { name: 'western→date', fits: isDate, sql: days(WESTERN, part => part) },
  {
    name: 'market→code',
    fits: isText,
    sql: text =>
      `CASE ${Object.entries(MARKETS)
        .map(([code, words]) => `WHEN upper(trim(${text})) IN (${words.map(literal).join(', ')}) THEN ${literal(code)}`)
        .join(' ')} ELSE ${text} END`,
  },
  {
    name: TICKER_TO_MARKET,
    fits: isText,
    sql: text =>
      `coalesce((SELECT ${MARKET_TABLE.market} FROM ${MARKET_TABLE.name} WHERE ${MARKET_TABLE.ticker} = upper(trim(${text}))), ${text})`,
  },
  { name: 'trim', fits: isText, sql: text => `trim(${text}, ' 　')` },
]

const BY_NAME: ReadonlyMap<string, Conversion> = new Map(CONVERSIONS.map(conversion => [conversion.name, conversion]))

export const UNITS: readonly string[] = [...BY_NAME.keys()]

/**
 * Returns the usual name of a conversion. Undefined if unknown. The arrow may be written `->` or
 * `>`.
 */
export function unitNamed(text: string): string | undefined {
  const name = text.replace(/->|>/, '→')
  return BY_NAME.has(name) ? name : undefined
}

export const fits = (unit: string, column: Column): boolean => BY_NAME.get(unit)!.fits(column)

/** Applies conversions to an SQL text, in order. */
export const converted = (text: string, units: readonly string[]): string =>
  units.reduce((sql, unit) => BY_NAME.get(unit)!.sql(`(${sql})`), text)
