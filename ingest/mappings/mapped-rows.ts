import type { Column, Dataset } from '../../catalog/index.ts'
import { fromParts, literal, quote, type Session } from '../../src/engine/index.ts'
import { bodyRefused } from '../formats/index.ts'
import { columnsGiven, createServedReleases, createTable, type GivenColumns, type Workspace, whichColumns } from '../publish/index.ts'
import { foreignNames, type MappedColumn, type Mapping } from './mapping.ts'
import { converted, MARKET_TABLE, TICKER_TO_MARKET } from './units.ts'

/** True if several rows of the file add up to one row of the dataset (long form). */
export const isLong = ({ columns }: Mapping): boolean => Object.values(columns).some(({ where }) => where !== undefined)

/**
 * Returns the dataset's columns, keyed by the names in a foreign file. Readers use the types to
 * read codes as text.
 */
export const foreignColumns = ({ columns }: Dataset, mapping: Mapping): Readonly<Record<string, Column>> => {
  const named = Object.entries(mapping.columns).map(([ours, { from }]) => [from, columns[ours]!] as const)
  const own = Object.entries(columns).filter(([name]) => !Object.hasOwn(mapping.columns, name))
  return Object.fromEntries([...own, ...named])
}

/**
 * Creates the table for `ticker→market` from the served securities. Does nothing for other
 * mappings.
 *
 * @throws Refusal body_refused if no securities are served
 */
export async function createMarketTable(workspace: Workspace, { columns }: Mapping): Promise<void> {
  if (!Object.values(columns).some(({ units }) => units.includes(TICKER_TO_MARKET))) return
  const served = await createServedReleases(workspace).of('securities')
  if (!served || served.manifest.parts.length === 0)
    throw bodyRefused('reference_missing', {
      en: `The conversion ${TICKER_TO_MARKET} reads the dataset securities, which has no release. Publish it first, for example with twmd ingest isin.`,
      zh: `換算 ${TICKER_TO_MARKET} 須查詢 securities 資料集，該資料集尚未發布。請先發布，例如執行 twmd ingest isin。`,
    })
  const { name, ticker, market } = MARKET_TABLE
  const parts = fromParts(served.manifest.parts.map(served.pathOf))
  await createTable(workspace.session, name, `SELECT ticker AS ${ticker}, market AS ${market} FROM ${parts}`)
}

/**
 * Returns a SELECT statement with the dataset's column names. Columns without a mapping keep their
 * names. Later checks refuse unknown names.
 *
 * @param rows SELECT statement for the file's rows
 * @throws Refusal body_refused if a mapped column is missing or two columns get the same name; in
 * long form also for duplicate or unknown rows, or if a total differs from its parts
 */
export async function mappedRows(session: Session, dataset: Dataset, mapping: Mapping, rows: string): Promise<string> {
  const columns = await columnsGiven(session, `(${rows})`)
  requireColumns(mapping, columns)
  const targets = Object.entries(mapping.columns)
  const used = new Set([...foreignNames(mapping), ...mapping.ignore])
  const left = [...columns.keys()].filter(name => !used.has(name))
  const made = new Set([...targets.map(([ours]) => ours), ...Object.keys(mapping.constants)])
  const clashing = left.filter(name => made.has(name))
  if (clashing.length > 0)
    throw bodyRefused(
      'unknown_column',
      {
        en: `The file has ${clashing.join(', ')}, but another column is mapped to the same name. Map the file's own column to another name, or ignore it.`,
        zh: `檔案已有 ${clashing.join('、')} 欄位，卻有另一欄位對應至同一名稱；請將檔案原有的欄位改對應至其他名稱，或將其忽略。`,
      },
      { column: clashing[0]! },
    )
  const constants = Object.entries(mapping.constants).map(([ours, value]) => `${literal(String(value))} AS ${quote(ours)}`)
  const includedRows = `SELECT * FROM (${rows}) WHERE NOT coalesce(${isAmong(mapping.leave_out)}, false)`
  if (isLong(mapping)) return longRows(session, targets, { constants, left, kept: includedRows })
  const cells = targets.map(([ours, column]) => `${cellOf(column, dataset.columns[ours]!, columns)} AS ${quote(ours)}`)
  return `SELECT ${[...left.map(quote), ...cells, ...constants].join(', ')} FROM (${includedRows})`
}

function requireColumns(mapping: Mapping, columns: GivenColumns): void {
  const absent = foreignNames(mapping).filter(name => !columns.has(name))
  if (absent.length === 0) return
  throw bodyRefused(
    'missing_column',
    {
      en: `The mapping needs ${absent.join(', ')}, which the file does not have${whichColumns(absent[0]!, [...columns.keys()]).en}`,
      zh: `欄位對應需要 ${absent.join('、')}，檔案卻沒有此欄位${whichColumns(absent[0]!, [...columns.keys()]).zh}`,
    },
    { column: absent[0]! },
  )
}

/** Returns an SQL condition. The condition is false if no columns are listed. */
const isAmong = (where: Readonly<Record<string, readonly string[]>>): string =>
  Object.entries(where)
    .map(([name, values]) => `trim(${quote(name)}::VARCHAR) IN (${values.map(literal).join(', ')})`)
    .join(' AND ') || 'false'

/** Returns SQL of a cell. A typed column without conversions keeps its type. */
function cellOf({ from, units, less }: MappedColumn, { type }: Column, given: GivenColumns): string {
  if (less !== undefined) return difference(from, less, units)
  // Some tools write a day as midnight.
  if (type === 'date' && /^TIMESTAMP/.test(given.get(from)!) && units.length === 0) return converted(textOf(from), ['western→date'])
  return units.length === 0 ? quote(from) : converted(textOf(from), units)
}

const textOf = (name: string): string => `${quote(name)}::VARCHAR`

const exact = (text: string): string => `TRY_CAST(${text} AS DECIMAL(38, 10))`

/**
 * Subtracts exactly, with ten decimals. Text that is not a number stays unchanged. Later checks
 * refuse such text.
 */
function difference(from: string, less: string, units: readonly string[]): string {
  const [a, b] = [from, less].map(name => converted(textOf(name), units))
  const taken = `${exact(a!)} - ${exact(b!)}`
  return `CASE WHEN ${a} IS NOT NULL AND ${b} IS NOT NULL THEN coalesce((${taken})::VARCHAR, CASE WHEN ${exact(a!)} IS NULL THEN ${a} ELSE ${b} END) END`
}

interface Long {
  readonly constants: readonly string[]
  readonly left: readonly string[]
  readonly kept: string
}

/** Adds up several rows of the file to one row of the dataset, without rounding. */
async function longRows(
  session: Session,
  targets: readonly (readonly [ours: string, column: MappedColumn])[],
  { constants, left, kept }: Long,
): Promise<string> {
  const keys = targets.filter(([, { where }]) => where === undefined)
  const sums = targets.filter(([, { where }]) => where !== undefined)
  const keyed = keys.map(([ours, column]) => `${converted(textOf(column.from), column.units)} AS ${quote(ours)}`)
  const marked = sums.map(
    ([, { from, less, units, where, total = {} }], index) =>
      `CASE WHEN ${isAmong(where!)} OR ${isAmong(total)} THEN ${less === undefined ? converted(textOf(from), units) : difference(from, less, units)} END AS "_${index}",
      coalesce(${isAmong(total)}, false) AS "_total${index}"`,
  )
  const among = sums.map(([, { where, total = {} }]) => `coalesce(${isAmong(where!)} OR ${isAmong(total)}, false)`).join(' OR ')
  const names = [...new Set(sums.flatMap(([, { where, total }]) => Object.keys({ ...where, ...total })))]
  const base = `SELECT ${[...keyed, ...marked, ...left.map(quote), `${among} AS "_taken"`, `concat_ws(' ', ${names.map(name => `trim(${textOf(name)})`).join(', ')}) AS "_named"`].join(', ')} FROM (${kept})`
  const by = [...keys.map(([ours]) => ours), ...left].map(quote).join(', ')
  await refuseUnknown(session, base, names)
  await refuseDoubled(session, base, by, names)
  for (const [index, [ours, { total }]] of sums.entries()) if (total) await refuseOtherTotal(session, base, by, { ours, ...sumsOf(index) })
  const added = sums.map(([ours], index) => {
    const cell = `"_${index}"`
    const bad = `${cell} IS NOT NULL AND ${exact(cell)} IS NULL`
    const { parts, total } = sumsOf(index)
    return `CASE WHEN count(*) FILTER (${bad}) > 0 THEN min(${cell}) FILTER (${bad}) ELSE coalesce(${parts}, ${total})::VARCHAR END AS ${quote(ours)}`
  })
  return `SELECT ${[by, ...added, ...constants].join(', ')} FROM (${base}) GROUP BY ${by}`
}

/** Returns two sums: of the partial rows, and of the total rows. A sum without rows is null. */
const sumsOf = (index: number) => ({
  parts: `sum(${exact(`"_${index}"`)}) FILTER (NOT "_total${index}")`,
  total: `sum(${exact(`"_${index}"`)}) FILTER ("_total${index}")`,
})

async function refuseOtherTotal(
  session: Session,
  base: string,
  by: string,
  { ours, parts, total }: ReturnType<typeof sumsOf> & { readonly ours: string },
): Promise<void> {
  const [found] = await session.rows(
    `SELECT concat_ws(' ', ${by}) AS row, ${parts}::DOUBLE AS parts, ${total}::DOUBLE AS total FROM (${base}) GROUP BY ${by} HAVING ${parts} <> ${total} LIMIT 1`,
  )
  if (!found) return
  throw bodyRefused(
    'total_differs',
    {
      en: `${found['row']}: the partial rows of ${ours} add up to ${found['parts']}, but the total row has ${found['total']}. Remove the total row or the partial rows, whichever is wrong.`,
      zh: `${found['row']} 的 ${ours} 分項加總為 ${found['parts']}，合計列則為 ${found['total']}；請移除有誤的分項列或合計列。`,
    },
    { column: ours },
  )
}

async function refuseUnknown(session: Session, base: string, names: readonly string[]): Promise<void> {
  const found = await session.rows(`SELECT DISTINCT "_named" AS named FROM (${base}) WHERE NOT "_taken" ORDER BY 1 LIMIT 5`)
  if (found.length === 0) return
  const values = found.map(({ named }) => String(named)).join(', ')
  throw bodyRefused(
    'unknown_value',
    {
      en: `Rows have ${values} in ${names.join(', ')}, which the mapping does not cover. Add them to "where" or "leave_out" of the mapping.`,
      zh: `資料列的 ${names.join('、')} 為 ${values}，欄位對應未涵蓋；請加入欄位對應的 where 或 leave_out。`,
    },
    { column: names[0]! },
  )
}

async function refuseDoubled(session: Session, base: string, by: string, names: readonly string[]): Promise<void> {
  const [found] = await session.rows(
    `SELECT "_named" AS named, concat_ws(' ', ${by}) AS row FROM (${base}) GROUP BY "_named", ${by} HAVING count(*) > 1 LIMIT 1`,
  )
  if (!found) return
  throw bodyRefused(
    'grain',
    {
      en: `Two rows have ${found['named']} for ${found['row']}. Keep the correct one.`,
      zh: `兩筆資料列都有 ${found['row']} 的 ${found['named']}；請保留正確的一筆。`,
    },
    { column: names[0]! },
  )
}
