import { type Column, type ColumnType, type Dataset, derivedColumns, STORED } from '../../../catalog/index.ts'
import { nearest, type Words } from '../../../src/core/index.ts'
import { literal, quote, type Session } from '../../../src/engine/index.ts'
import { type Batch, type BatchFault, MOST_SAMPLES, rowAt } from './batch.ts'
import { columnsOf, createTable, type Relation, whereAny } from './relations.ts'

/** Larger integers may not be exact in JSON. */
const EXACT = 2 ** 53

/** Significant digits of a double. Readers round longer numbers. */
export const MOST_DIGITS = 17

/** True for numbers with more digits than a double can represent. */
export const isRounded = (text: string): string =>
  `CASE WHEN length(${text}) > ${MOST_DIGITS}
     THEN length(trim(replace(regexp_replace(${text}, '[eE].*$|[+\\s-]', '', 'g'), '.', ''), '0')) > ${MOST_DIGITS} ELSE false END`

/** True for decimal digits. A cast would also accept `1_000`, and would convert `true` to 1. */
const isDecimal = (text: string): string => `regexp_full_match(${text}, '\\s*[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?\\s*')`

const exactDouble = (text: string): string => `CASE WHEN ${isDecimal(text)} AND NOT ${isRounded(text)} THEN TRY_CAST(${text} AS DOUBLE) END`

/** Converts text by type. Invalid text becomes NULL; nothing is rounded or guessed. */
const FROM_TEXT: Readonly<Record<ColumnType, (text: string) => string>> = {
  text: text => text,
  // pandas and polars write a day as midnight.
  date: text =>
    `CASE WHEN regexp_full_match(${text}, '\\d{4}-\\d{2}-\\d{2}([ T]00:00:00(\\.0+)?Z?)?') THEN TRY_CAST(left(${text}, 10) AS DATE) END`,
  // A cast to TIMESTAMP silently drops the offset, so the text needs an offset and is cast to
  // TIMESTAMPTZ.
  timestamp: text =>
    `CASE WHEN regexp_matches(${text}, ':\\d\\d(\\.\\d+)? ?(Z|[+-]\\d\\d(:?\\d\\d)?)$') THEN TRY_CAST(${text} AS TIMESTAMPTZ) END`,
  number: exactDouble,
  // A cast would round 1.5 to 2.
  integer: text => `CASE WHEN ${exactDouble(text)} = TRY_CAST(${text} AS BIGINT) THEN TRY_CAST(${text} AS BIGINT) END`,
  boolean: text => `TRY_CAST(${text} AS BOOLEAN)`,
  // The engine's JSON accepts NaN, trailing commas, duplicate keys and huge numbers. The text is
  // rewritten, so that equal values have equal texts.
  json: text =>
    `CASE WHEN json_valid(${text}) THEN CASE WHEN NOT regexp_matches(${outsideStrings(text)}, '(?i)nan|inf')
       AND NOT ${hasNumber(text, number => `(${isRounded(number)}) OR NOT coalesce(isfinite(TRY_CAST(${number} AS DOUBLE)), false)`)}
       AND NOT ${doublesKey(text)} THEN json(${text})::VARCHAR END END`,
}

/** Replaces all strings in valid JSON by empty ones. */
const outsideStrings = (json: string): string => `regexp_replace(${json}, '"(\\\\.|[^"\\\\])*"', '""', 'g')`

/** True if a number in valid JSON meets the condition. */
const hasNumber = (json: string, condition: (number: string) => string): string =>
  `len(list_filter(regexp_extract_all(${outsideStrings(json)}, '[0-9][0-9.eE+-]*'), lambda number: ${condition('number')})) > 0`

/** True if an object has a duplicate key at any depth. Fails on text that is not JSON. */
const doublesKey = (json: string): string =>
  `(SELECT count(*) > count(DISTINCT (parent, key)) FROM json_tree(CASE WHEN json_valid(${json}) THEN ${json} END))`

export interface Given {
  readonly name: string
  readonly type: ColumnType
  readonly typed: string
  /** Original value as text, for reports. */
  readonly text: string
}

export type GivenColumns = ReadonlyMap<string, string>

/** @param from a relation, or a query in parentheses */
export async function columnsGiven(session: Session, from: string): Promise<GivenColumns> {
  const rows = await session.rows(`DESCRIBE SELECT * FROM ${from}`)
  const columns = new Map(rows.map(row => [String(row['column_name']), String(row['column_type'])]))
  columns.delete('_source')
  return columns
}

export const derivedGiven = ({ dataset }: Batch, given: GivenColumns): readonly string[] =>
  derivedColumns(dataset).filter(name => given.has(name))

/** A batch in the declared types, with `_source`. Missing columns are NULL. */
export interface Typed {
  /** Null if the columns are wrong. Includes rows with type faults. */
  readonly incoming: Relation | null
  readonly faults: readonly BatchFault[]
  readonly given: readonly Given[]
}

/** Converts a batch to the declared types. `checkTypes` reports the failures. */
export async function typeBatch(session: Session, { dataset, relation }: Batch, columns: GivenColumns): Promise<Typed> {
  const faults = columnFaults(dataset, columns)
  if (faults.length > 0) return { incoming: null, faults, given: [] }
  const given = Object.keys(dataset.columns)
    .filter(name => columns.has(name))
    .map(name => give(dataset, name, columns.get(name)!))
  const select = columnsOf(dataset).map(name => {
    const known = given.find(column => column.name === name)
    return `${known ? known.typed : `NULL::${STORED[dataset.columns[name]!.type]}`} AS ${quote(name)}`
  })
  // Virtual columns (computed when read) are only compared, not stored.
  const computed = given.filter(({ name }) => !columnsOf(dataset).includes(name)).map(({ name, typed }) => `${typed} AS ${quote(name)}`)
  const incoming = await createTable(
    session,
    'incoming',
    `SELECT "_source"::INTEGER AS "_source", ${[...select, ...computed].join(', ')} FROM ${relation}`,
  )
  return { incoming, faults: [], given }
}

export function columnFaults({ slug, columns }: Dataset, found: GivenColumns): readonly BatchFault[] {
  const declared = Object.keys(columns)
  const extra = [...found.keys()].filter(name => columns[name] === undefined)
  const filled = ({ nullable, derived, virtual }: Column): boolean => nullable === true || derived !== undefined || virtual !== undefined
  const absent = declared.filter(name => !found.has(name) && !filled(columns[name]!))
  const fault = (rule: string, names: readonly string[], { en, zh }: Words): readonly BatchFault[] =>
    names.length === 0 ? [] : [{ source: null, count: names.length, samples: [], rule, column: names[0]!, message: en, message_zh: zh }]
  return [
    ...fault('unknown_column', extra, unknownColumns(slug, extra, declared)),
    ...fault('missing_column', absent, {
      en:
        absent.length === 1
          ? `The file does not have the column ${absent[0]}, which ${slug} requires.`
          : `The file does not have the columns ${absent.join(', ')}, which ${slug} requires.`,
      zh: `檔案缺少 ${slug} 必填的 ${absent.join('、')} 欄位。`,
    }),
  ]
}

function unknownColumns(slug: string, names: readonly string[], known: readonly string[]): Words {
  const [first = ''] = names
  if (names.length < 2) {
    const { en, zh } = whichColumns(first, known)
    return { en: `${slug} has no column ${first}${en}`, zh: `${slug} 沒有 ${first} 欄位${zh}` }
  }
  const guesses = names.map(name => [name, nearest(name, known)] as const)
  return {
    en: `${slug} has no columns ${guesses.map(([name, guess]) => (guess ? `${name} (did you mean ${guess}?)` : name)).join(', ')}; twmd check proposes a mapping. Available columns: ${known.join(', ')}.`,
    zh: `${slug} 沒有 ${guesses.map(([name, guess]) => (guess ? `${name}（您是指 ${guess} 嗎？）` : name)).join('、')} 欄位；twmd check 會建議對應方式。可用的欄位為 ${known.join('、')}。`,
  }
}

/** Suggests the most similar known column. */
function meantColumn(name: string, known: readonly string[]): Words {
  const guess = nearest(name, known)
  return guess ? { en: `; did you mean ${guess}?`, zh: `；您是指 ${guess} 嗎？` } : { en: '.', zh: '。' }
}

/** Suggests a column, and lists all known ones. */
export function whichColumns(name: string, known: readonly string[]): Words {
  const { en, zh } = meantColumn(name, known)
  return { en: `${en} Available columns: ${known.join(', ')}.`, zh: `${zh}可用的欄位為 ${known.join('、')}。` }
}

function give({ columns }: Dataset, name: string, sqlType: string): Given {
  const { type } = columns[name]!
  // A cast would turn a number or list into a text that no source wrote. A time without a zone is
  // ambiguous.
  if ((type === 'text' && !/^(VARCHAR|ENUM\(.*\))$/.test(sqlType)) || (type === 'timestamp' && sqlType === 'TIMESTAMP')) {
    return { name, type, typed: `NULL::${STORED[type]}`, text: `${quote(name)}::VARCHAR` }
  }
  const column = quote(name)
  if (sqlType === STORED[type] && type !== 'json') return { name, type, typed: column, text: `${column}::VARCHAR` }
  const nested = /^(STRUCT|MAP|JSON)|\[\]$/.test(sqlType)
  const value = nested ? `to_json(${column})::VARCHAR` : `${column}::VARCHAR`
  // JSON null counts as an empty cell.
  const text = type === 'json' ? `CASE WHEN NOT regexp_full_match(${value}, '\\s*null\\s*') THEN ${value} END` : value
  return { name, type, typed: FROM_TEXT[type](text), text }
}

/** Reports values that could not be converted. Samples are the first different values. */
export async function checkTypes(session: Session, batch: Batch, columns: readonly Given[]): Promise<readonly BatchFault[]> {
  const brokenColumns = await whereAny(session, batch.relation, columns, isBroken)
  if (brokenColumns.length === 0) return []
  const broken = brokenColumns.map(({ name, text, type, ...column }) => {
    const values = `SELECT "_source" AS source, ${text} AS value, ${isLong(type, text)} AS long, row_number() OVER () - 1 AS place, ${isBroken({ name, text, type, ...column })} AS broken FROM ${batch.relation}`
    return `SELECT source::INTEGER AS source, ${literal(name)} AS name, '${type}' AS type, long, sum(times)::INTEGER AS count,
      to_json(arg_min({'at': place, 'value': value}, place, ${MOST_SAMPLES}))::VARCHAR AS samples
      FROM (SELECT source, long, value, min(place) AS place, count(*) AS times FROM (${values}) WHERE broken GROUP BY ALL) GROUP BY 1, 4`
  })
  return (await session.rows(broken.join(' UNION ALL '))).map(row => {
    const [name, source] = [String(row['name']), Number(row['source'])]
    const samples = JSON.parse(String(row['samples'])) as readonly { readonly at: number; readonly value: string }[]
    const expected = NAMED[row['type'] as ColumnType]
    const fault = row['long'] === true ? TOO_LONG : { en: `are not ${expected.en}`, zh: `並非${expected.zh}` }
    return {
      rule: row['long'] === true ? 'digits' : 'type',
      source,
      column: name,
      count: Number(row['count']),
      samples: samples.map(({ at, value }) => ({ ...rowAt(batch, source, at), [name]: value })),
      message: `${row['count']} values of ${name} ${fault.en}.`,
      message_zh: `${name} 有 ${row['count']} 個值${fault.zh}。`,
    }
  })
}

const isBroken = ({ type, text, typed }: Given): string => `${text} IS NOT NULL AND ${beyond(type, typed)}`

/** True for a number that only has too many digits. */
const isLong = (type: ColumnType, text: string): string => (type === 'number' ? `(${isDecimal(text)} AND ${isRounded(text)})` : 'false')

export const TOO_LONG: Words = {
  en: `have more than ${MOST_DIGITS} digits and would be rounded; round them at the source`,
  zh: `超過 ${MOST_DIGITS} 位數，讀取時會四捨五入而失去精確度；請先於來源四捨五入`,
}

/** True if a converted value is NULL or out of range. */
function beyond(type: ColumnType, typed: string): string {
  if (type === 'number') return `(${typed} IS NULL OR NOT isfinite(${typed}))`
  if (type === 'integer') return `(${typed} IS NULL OR ${typed} NOT BETWEEN -${EXACT} AND ${EXACT})`
  // Parquet has infinite days, and years that `YYYY-MM-DD` cannot represent.
  if (type === 'date' || type === 'timestamp') return `(${typed} IS NULL OR ${typed} NOT BETWEEN '0001-01-01' AND '9999-12-31')`
  return `${typed} IS NULL`
}

const NAMED: Readonly<Record<ColumnType, Words>> = {
  text: { en: 'text', zh: '文字' },
  date: { en: 'dates in the form YYYY-MM-DD', zh: 'YYYY-MM-DD 格式的日期' },
  timestamp: { en: 'RFC 3339 timestamps with an offset', zh: '含時區的 RFC 3339 時間' },
  number: { en: 'finite numbers', zh: '有限的數值' },
  integer: { en: 'whole numbers within ±2^53', zh: '±2^53 以內的整數' },
  boolean: { en: 'true or false', zh: ' true 或 false' },
  json: {
    en: `valid JSON with finite numbers of at most ${MOST_DIGITS} digits and no duplicate keys`,
    zh: `有效的 JSON（數值須為有限值、至多 ${MOST_DIGITS} 位數，且鍵不得重複）`,
  },
}
