import { type Catalog, type ColumnType, type Computation, type Dataset, derivedColumns, storedColumns } from '../../catalog/index.ts'
import type { Words } from '../../src/core/index.ts'
import { quote, type Session } from '../../src/engine/index.ts'
import { noRowsOf } from './input-changes.ts'

/** A dataset whose rows are computed by SQL. */
export type Computed = Dataset & { readonly from: Computation }

export const isComputed = (dataset: Dataset): dataset is Computed => dataset.from !== undefined

export const viewName = (slug: string): string => slug.replaceAll('-', '_')

/** Returns the statement with its inputs as subqueries. The statement can read nothing else. */
export const statementOver = ({ from: { inputs } }: Computed, sql: string, rowsOf: (slug: string) => string): string =>
  `WITH ${inputs.map(slug => `${quote(viewName(slug))} AS NOT MATERIALIZED (SELECT * FROM ${rowsOf(slug)})`).join(', ')} SELECT * FROM (${sql}\n)`

export const computedColumns = (dataset: Dataset): readonly string[] =>
  storedColumns(dataset).filter(name => !derivedColumns(dataset).includes(name))

const WHOLE_NUMBER = /^U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)$/
/** SQL types that each column type accepts, and the cast to the stored type. */
const ACCEPTED: Readonly<Record<ColumnType, readonly [types: RegExp, cast: string]>> = {
  text: [/^(VARCHAR|ENUM\(.*\))$/, 'VARCHAR'],
  date: [/^DATE$/, 'DATE'],
  timestamp: [/^TIMESTAMP( WITH TIME ZONE)?$/, 'TIMESTAMP'],
  number: [/^(U?(TINYINT|SMALLINT|INTEGER|BIGINT|HUGEINT)|FLOAT|DOUBLE|DECIMAL\(.*\))$/, 'DOUBLE'],
  integer: [WHOLE_NUMBER, 'BIGINT'],
  boolean: [/^BOOLEAN$/, 'BOOLEAN'],
  json: [/^(VARCHAR|JSON)$/, 'VARCHAR'],
}

/** Describes the fault in the declared SQL. Undefined if there is none. Reads no data. */
export async function declarationFault(session: Session, catalog: Catalog, dataset: Computed): Promise<Words | undefined> {
  const { sql, lookback } = dataset.from
  const fault = await statementFault(session, catalog, dataset, ['from.sql', sql])
  return fault || !lookback?.lastDay ? fault : statementFault(session, catalog, dataset, ['from.lookback.lastDay', lookback.lastDay])
}

async function statementFault(
  session: Session,
  catalog: Catalog,
  dataset: Computed,
  [property, sql]: readonly [name: string, sql: string],
): Promise<Words | undefined> {
  const { slug } = dataset
  let returned: ReadonlyMap<string, string>
  try {
    const rows = await session.rows(`DESCRIBE ${statementOver(dataset, sql, name => noRowsOf(catalog.get(name)!))}`)
    returned = new Map(rows.map(row => [String(row['column_name']), String(row['column_type'])]))
  } catch (error) {
    const [line = ''] = (error instanceof Error ? error.message : String(error)).split('\n')
    const reason = line.replace('Failed to extract statements: ', '').replace(/[.!]$/, '')
    return { en: `${slug}.ts: the SQL of ${property} does not run: ${reason}.`, zh: `${slug}.ts：${property} 的 SQL 無法執行：${reason}。` }
  }
  const declared = computedColumns(dataset)
  const [extra, absent] = [[...returned.keys()].filter(name => !declared.includes(name)), declared.filter(name => !returned.has(name))]
  if (extra.length > 0)
    return {
      en: `${slug}.ts: the SQL of ${property} returns columns that the dataset does not declare: ${extra.join(', ')}.`,
      zh: `${slug}.ts：${property} 的 SQL 回傳資料集未宣告的欄位：${extra.join('、')}。`,
    }
  if (absent.length > 0)
    return {
      en: `${slug}.ts: the SQL of ${property} does not return the declared columns ${absent.join(', ')}.`,
      zh: `${slug}.ts：${property} 的 SQL 未回傳宣告的欄位 ${absent.join('、')}。`,
    }
  const wrong = declared.find(name => !ACCEPTED[dataset.columns[name]!.type][0].test(returned.get(name)!))
  if (wrong === undefined) return undefined
  const { type } = dataset.columns[wrong]!
  const [sqlType, cast] = [returned.get(wrong)!, ACCEPTED[type][1]]
  return {
    en: `${slug}.ts: the SQL of ${property} returns ${wrong} as ${sqlType}, but the dataset declares it as ${type}; cast it to ${cast}.`,
    zh: `${slug}.ts：${property} 的 SQL 回傳的 ${wrong} 為 ${sqlType}，資料集宣告為 ${type}；請轉換為 ${cast}。`,
  }
}

export function typed(dataset: Dataset, name: string): string {
  const { type } = dataset.columns[name]!
  const value = `${quote(name)}::${ACCEPTED[type][1]}`
  // Publication refuses times without a zone. Stored times are in UTC.
  return `${type === 'timestamp' ? `(${value} AT TIME ZONE 'UTC')` : value} AS ${quote(name)}`
}
