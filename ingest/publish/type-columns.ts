import { type ColumnType, type Dataset, derivedColumns, STORED } from '../../catalog/index.ts'
import { quote, type Session } from '../../src/engine/index.ts'
import type { Batch, BatchFault } from './batch.ts'
import { columnsOf, createTable, type Relation } from './relations.ts'

/** Largest integer a JSON number carries exactly. */
const EXACT = 2 ** 53

/** A text column as its declared type, NULL where the text is not one. Spelled so that nothing is rounded or guessed. */
const FROM_TEXT: Readonly<Record<ColumnType, (text: string) => string>> = {
  text: text => text,
  date: text => `CASE WHEN regexp_full_match(${text}, '\\d{4}-\\d{2}-\\d{2}') THEN TRY_CAST(${text} AS DATE) END`,
  // A cast to TIMESTAMP silently drops the offset, so the text must have one and is cast to TIMESTAMPTZ.
  timestamp: text =>
    `CASE WHEN regexp_matches(${text}, ':\\d\\d(\\.\\d+)? ?(Z|[+-]\\d\\d(:?\\d\\d)?)$') THEN TRY_CAST(${text} AS TIMESTAMPTZ)::TIMESTAMP END`,
  number: text => `TRY_CAST(${text} AS DOUBLE)`,
  // A cast alone would round 1.5 to 2.
  integer: text => `CASE WHEN TRY_CAST(${text} AS DOUBLE) = TRY_CAST(${text} AS BIGINT) THEN TRY_CAST(${text} AS BIGINT) END`,
  boolean: text => `TRY_CAST(${text} AS BOOLEAN)`,
  // The engine's JSON takes NaN, Infinity and a last comma, which no client reads; rewritten, the same value is always the same text.
  json: text =>
    `CASE WHEN json_valid(${text}) THEN CASE WHEN NOT regexp_matches(${outsideStrings(text)}, '(?i)nan|inf') THEN json(${text})::VARCHAR END END`,
}

/** SQL of valid JSON with its strings blanked out. */
const outsideStrings = (json: string): string => `regexp_replace(json(${json})::VARCHAR, '"(\\\\.|[^"\\\\])*"', '', 'g')`

interface Given {
  readonly name: string
  readonly type: ColumnType
  /** Expression over the batch's relation. */
  readonly typed: string
  /** Text of what was given, for reports. */
  readonly text: string
}

/** Columns of a batch's relation with the engine's type of each, `_source` left out. */
export type GivenColumns = ReadonlyMap<string, string>

export async function columnsGiven(session: Session, { relation }: Batch): Promise<GivenColumns> {
  const rows = await session.rows(`DESCRIBE ${relation}`)
  const given = new Map(rows.map(row => [String(row['column_name']), String(row['column_type'])]))
  given.delete('_source')
  return given
}

/** Names of the derived columns that the batch brings values for. */
export const derivedGiven = ({ dataset }: Batch, given: GivenColumns): readonly string[] =>
  derivedColumns(dataset).filter(name => given.has(name))

/**
 * The batch in declared columns and types, `_source` kept, columns not given NULL.
 *
 * @returns no relation where the columns are wrong; rows of sources with faults of type are in the relation all the same
 */
export async function typeBatch(
  session: Session,
  { dataset, relation }: Batch,
  columns: GivenColumns,
): Promise<{ readonly incoming: Relation | null; readonly faults: readonly BatchFault[] }> {
  const columnFaults = wrongColumns(dataset, columns)
  if (columnFaults.length > 0) return { incoming: null, faults: columnFaults }
  const given = columnsOf(dataset)
    .filter(name => columns.has(name))
    .map(name => give(dataset, name, columns.get(name)!))
  const select = columnsOf(dataset).map(name => {
    const known = given.find(column => column.name === name)
    return `${known ? known.typed : `NULL::${STORED[dataset.columns[name]!.type]}`} AS ${quote(name)}`
  })
  const incoming = await createTable(session, 'incoming', `SELECT "_source"::INTEGER AS "_source", ${select.join(', ')} FROM ${relation}`)
  return { incoming, faults: await typeFaults(session, relation, given) }
}

function wrongColumns({ slug, columns }: Dataset, found: GivenColumns): readonly BatchFault[] {
  const extra = [...found.keys()].filter(name => columns[name] === undefined)
  const absent = Object.keys(columns).filter(name => !found.has(name) && !columns[name]!.nullable && columns[name]!.derived === undefined)
  const whole = { source: null, count: 1, samples: [] }
  return [
    ...extra.map(name => ({
      ...whole,
      rule: 'unknown_column',
      column: name,
      message: `${slug} has no column ${name}; its columns are ${Object.keys(columns).join(', ')}.`,
    })),
    ...absent.map(name => ({
      ...whole,
      rule: 'missing_column',
      column: name,
      message: `The column ${name} of ${slug} is not in the file; it may not be left out.`,
    })),
  ]
}

function give({ columns }: Dataset, name: string, sqlType: string): Given {
  const { type } = columns[name]!
  // A number or a list turned into text is a code that no source wrote; a time without a zone is ambiguous.
  if ((type === 'text' && !/^(VARCHAR|ENUM)/.test(sqlType)) || (type === 'timestamp' && sqlType === 'TIMESTAMP')) {
    return { name, type, typed: `NULL::${STORED[type]}`, text: `${quote(name)}::VARCHAR` }
  }
  const column = quote(name)
  if (sqlType === STORED[type] && type !== 'json') return { name, type, typed: column, text: `${column}::VARCHAR` }
  const nested = /^(STRUCT|MAP|JSON)|\[\]$/.test(sqlType)
  const text = nested ? `to_json(${column})::VARCHAR` : `${column}::VARCHAR`
  return { name, type, typed: FROM_TEXT[type](text), text }
}

async function typeFaults(session: Session, relation: Relation, given: readonly Given[]): Promise<readonly BatchFault[]> {
  const broken = given.map(
    ({ name, typed, text, type }) => `SELECT "_source"::INTEGER AS source, '${name}' AS name, '${type}' AS type, count(*)::INTEGER AS count,
      to_json(list(DISTINCT ${text})[:5])::VARCHAR AS samples FROM ${relation} WHERE ${text} IS NOT NULL AND ${beyond(type, typed)} GROUP BY 1`,
  )
  const rows = await session.rows(broken.join(' UNION ALL '))
  return rows.map(row => ({
    rule: 'type',
    source: Number(row['source']),
    column: String(row['name']),
    count: Number(row['count']),
    samples: JSON.parse(String(row['samples'])),
    message: `${row['count']} values of ${row['name']} are not ${NAMED[row['type'] as ColumnType]}.`,
  }))
}

/** True for a value that was given but is not one of its type. */
function beyond(type: ColumnType, typed: string): string {
  if (type === 'number') return `(${typed} IS NULL OR NOT isfinite(${typed}))`
  if (type === 'integer') return `(${typed} IS NULL OR ${typed} NOT BETWEEN -${EXACT} AND ${EXACT})`
  // Parquet can hold years that our text form cannot: 20260, or infinity.
  if (type === 'date' || type === 'timestamp') return `(${typed} IS NULL OR ${typed} NOT BETWEEN '0001-01-01' AND '9999-12-31')`
  return `${typed} IS NULL`
}

const NAMED: Readonly<Record<ColumnType, string>> = {
  text: 'text',
  date: 'days written YYYY-MM-DD',
  timestamp: 'timestamps in RFC 3339 with an offset',
  number: 'finite numbers',
  integer: 'whole numbers within ±2^53',
  boolean: 'true or false',
  json: 'valid JSON',
}
