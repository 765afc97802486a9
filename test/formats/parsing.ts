import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type RecordBatch, tableFromIPC } from 'apache-arrow'
import { parse } from 'csv-parse/sync'
import type { Column, Format, Row } from '../../catalog/index.ts'
import { taipeiText } from '../../src/core/index.ts'
import { literal, quote, type Session } from '../../src/engine/index.ts'

type Columns = Readonly<Record<string, Column>>

/**
 * Parses the rows of a body in a format other than JSON. Uses an independent reader and returns
 * JSON values.
 */
export type Parse = (body: Buffer, columns: Columns) => readonly Row[] | Promise<readonly Row[]>

const day = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/**
 * A nested value of Arrow or Parquet in its JSON form: without the members that are null, or the
 * text of `_json` if there is one.
 */
export function jsonOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(jsonOf)
  if (typeof value !== 'object' || value === null) return value
  if ('_json' in value && typeof value._json === 'string') return JSON.parse(value._json)
  return Object.fromEntries(Object.entries(value).flatMap(([name, member]) => (member === null ? [] : [[name, jsonOf(member)]])))
}

function csvRows(body: Buffer, columns: Columns): readonly Row[] {
  const records = parse(body, {
    bom: true,
    columns: true,
    skip_empty_lines: false,
    cast: (text, { quoting, header }) => (header ? text : text === '' && !quoting ? null : text),
  }) as readonly Readonly<Record<string, string | null>>[]
  const value = (name: string, text: string | null): unknown => {
    const { type } = columns[name]!
    if (text === null || type === 'text' || type === 'date' || type === 'timestamp') return text
    return JSON.parse(text)
  }
  return records.map(record => Object.fromEntries(Object.entries(record).map(([name, text]) => [name, value(name, text)])))
}

function arrowRows(body: Buffer, columns: Columns): readonly Row[] {
  const cell = (batch: RecordBatch, name: string, row: number): unknown => {
    const value = batch.getChild(name)!.get(row)
    const { type, shape } = columns[name]!
    if (value === null || type === 'text' || type === 'number' || type === 'boolean') return value
    if (shape) return jsonOf(JSON.parse(JSON.stringify(value)))
    if (type === 'date') return day(Number(value))
    if (type === 'timestamp') return taipeiText(Math.round(Number(value) * 1_000))
    return type === 'integer' ? Number(value) : JSON.parse(value)
  }
  const { batches, schema } = tableFromIPC(body)
  const names = schema.fields.map(({ name }) => name)
  return batches.flatMap(batch =>
    Array.from({ length: batch.numRows }, (_, row) => Object.fromEntries(names.map(name => [name, cell(batch, name, row)]))),
  )
}

/** SQL of a column with which DuckDB's client returns values in our notation. */
const SHOWN: Partial<Record<Column['type'], (name: string) => string>> = {
  integer: name => `${name}::DOUBLE`,
  date: name => `${name}::VARCHAR`,
  timestamp: name => `epoch_us(${name})::DOUBLE`,
}

async function parquetRows(session: Session, dir: string, body: Buffer, columns: Columns): Promise<readonly Row[]> {
  const file = join(dir, `answer-${Math.random().toString(36).slice(2)}.parquet`)
  await writeFile(file, body)
  const described = await session.rows(`DESCRIBE FROM ${literal(file)}`)
  const names = described.map(({ column_name: name }) => String(name))
  const show = (name: string): string => {
    const { type, shape } = columns[name]!
    return shape ? `to_json(${quote(name)})::VARCHAR` : (SHOWN[type] ?? String)(quote(name))
  }
  const shown = names.map(name => `${show(name)} AS ${quote(name)}`)
  const rows = await session.rows(`SELECT ${shown.join(', ')} FROM ${literal(file)}`)
  const value = (name: string, cell: unknown): unknown => {
    const { type, shape } = columns[name]!
    if (cell === null) return null
    if (shape) return jsonOf(JSON.parse(String(cell)))
    if (type === 'timestamp') return taipeiText(Number(cell))
    return type === 'json' ? JSON.parse(String(cell)) : cell
  }
  return rows.map(row => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, value(name, cell)])))
}

/**
 * A parser for each format.
 *
 * @param dir folder for files that DuckDB reads
 */
export const parsers = (session: Session, dir: string): Readonly<Record<Exclude<Format, 'json'>, Parse>> => ({
  ndjson: body =>
    String(body)
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line)),
  csv: csvRows,
  arrow: arrowRows,
  parquet: (body, columns) => parquetRows(session, dir, body, columns),
})
