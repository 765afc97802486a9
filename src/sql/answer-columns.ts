import type { ResultColumn } from '../engine/index.ts'
import type { AnswerColumn } from './wire.ts'

export interface SentColumn extends AnswerColumn {
  /** SQL expression of the value. `#1` is the first column of the query. */
  readonly expression: string
}

/** Converts columns to types that answers support, with unique names. */
export function sentColumns(columns: readonly ResultColumn[]): readonly SentColumn[] {
  const names = new Set<string>()
  return columns.map(({ name, type: sqlType }, index) => {
    let unique = name
    for (let suffix = 1; names.has(unique); suffix++) unique = `${name}_${suffix}`
    names.add(unique)
    const { type, expression } = sentAs(sqlType, `#${index + 1}`, unique)
    return { name: unique, type, sqlType, expression }
  })
}

const MOST = Number.MAX_SAFE_INTEGER

function sentAs(sqlType: string, value: string, name: string): Pick<SentColumn, 'type' | 'expression'> {
  if (/\[\d*\]$|^(STRUCT|MAP|UNION|VARIANT)\b|^JSON$/.test(sqlType)) return { type: 'json', expression: `to_json(${value})::VARCHAR` }
  if (/^(DECIMAL|DOUBLE|FLOAT)\b/.test(sqlType))
    return { type: 'number', expression: `CASE WHEN isfinite(${value}::DOUBLE) THEN ${value}::DOUBLE END` }
  if (/^U?(TINYINT|SMALLINT|INTEGER)$/.test(sqlType) && sqlType !== 'UINTEGER') return { type: 'integer', expression: `${value}::BIGINT` }
  if (/^(UINTEGER|U?BIGINT|U?HUGEINT)$/.test(sqlType))
    return {
      type: 'integer',
      expression: within(
        `${value} BETWEEN -${MOST} AND ${MOST}`,
        `${value}::BIGINT`,
        value,
        `An integer of ${name} exceeds 2^53. Cast it to DOUBLE or VARCHAR.`,
      ),
    }
  if (sqlType === 'BOOLEAN') return { type: 'boolean', expression: value }
  if (sqlType === 'DATE')
    return { type: 'date', expression: within(`${value} BETWEEN '0001-01-01'::DATE AND '9999-12-31'::DATE`, value, value, OUTSIDE(name)) }
  if (sqlType === 'TIMESTAMP WITH TIME ZONE' || sqlType === 'TIMESTAMPTZ') {
    const isInside = `${value} BETWEEN '0001-01-02'::TIMESTAMPTZ AND '9999-12-30'::TIMESTAMPTZ`
    return { type: 'timestamp', expression: within(isInside, value, value, OUTSIDE(name)) }
  }
  return { type: 'text', expression: `${value}::VARCHAR` }
}

const OUTSIDE = (name: string): string => `A date of ${name} is outside of the years 1 to 9999. Cast it to VARCHAR.`

/** Raises an error if a value is out of range. The error message contains no value. */
const within = (condition: string, result: string, value: string, message: string): string =>
  `CASE WHEN ${value} IS NULL THEN NULL WHEN ${condition} THEN ${result} ELSE error('${message.replaceAll("'", "''")}') END`
