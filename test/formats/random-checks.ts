import { expect } from 'vitest'
import type { Column, Format, Row } from '../../catalog/index.ts'
import type { Chunk, Session } from '../../src/engine/index.ts'
import { ENCODERS, type EncodeOptions, encodeJsonRows, type Frame, type RowSet } from '../../src/formats/index.ts'
import { inMemory } from './memory-vectors.ts'
import { parsers } from './parsing.ts'
import { COLUMNS, stageCells, TYPES } from './random-rows.ts'

export const FRAME: Frame = ['{"dataset_id":"cells","data":[', '],"known_gaps":["nothing, 沒有"]}']

export function rowSet(
  chunks: readonly Chunk[],
  names: readonly string[] = TYPES,
  columns: Readonly<Record<string, Column>> = COLUMNS,
): RowSet {
  const rows = chunks.reduce((sum, chunk) => sum + chunk.rows, 0)
  return { columns, names, page: { chunks, rows, more: false, position: new Map() } }
}

export const encoded = async (format: Format, rows: RowSet, options?: EncodeOptions): Promise<Buffer> =>
  Buffer.concat([...(await ENCODERS[format].encode(rows, FRAME, options))])

const rowsOf = async (rows: RowSet): Promise<readonly Row[]> => JSON.parse(String(await encoded('json', rows))).data

export const selected = (where = ''): string => `SELECT ${TYPES.map(type => `"${type}"`).join(', ')} FROM cells ${where} ORDER BY n`

export async function chunksOf(session: Session, text: string): Promise<readonly Chunk[]> {
  const { chunks } = await session.read({ text, values: [], once: true })
  return chunks
}

/** The rows without negative zeros, because JSON has only one zero. */
const unsigned = (rows: readonly Row[]): readonly Row[] => JSON.parse(JSON.stringify(rows))

/** Reads random rows back from a format and compares them with the JSON rows. */
export async function checkReadBack(
  session: Session,
  dir: string,
  format: Exclude<Format, 'json'>,
  seeds: readonly number[],
): Promise<void> {
  for (const seed of seeds) {
    await stageCells(session, seed)
    const rows = rowSet(await chunksOf(session, selected()))
    const [found, wanted] = [unsigned(await parsers(session, dir)[format](await encoded(format, rows), COLUMNS)), await rowsOf(rows)]
    const wrong = found.findIndex((row, at) => JSON.stringify(row) !== JSON.stringify(wanted[at]))
    const cells = wrong < 0 ? found.length : { found: found[wrong], wanted: wanted[wrong] }
    expect.soft(cells, `seed ${seed}, row ${wrong}`).toEqual(wanted.length)
  }
}

/**
 * Compares the bytes encoded from rows in memory, at several row and bit offsets, with the bytes
 * encoded from the engine's rows.
 */
export async function checkMemory(session: Session, format: Format, seeds: readonly number[]): Promise<void> {
  for (const seed of seeds) {
    await stageCells(session, seed)
    const chunks = await chunksOf(session, selected('WHERE n % 7 <> 2'))
    const bytes = await encoded(format, rowSet(chunks))
    for (const from of [0, 1, 8, 13]) {
      const isEqual = (await encoded(format, rowSet(inMemory(chunks, TYPES, from)))).equals(bytes)
      expect.soft(isEqual, `seed ${seed}, offset ${from}`).toBe(true)
    }
  }
}

/** Compares the bytes encoded from the same rows in chunks of different sizes. */
export async function checkChunks(session: Session, dir: string, format: Format, seeds: readonly number[]): Promise<void> {
  for (const seed of seeds) {
    await stageCells(session, seed)
    await session.run(`COPY (FROM cells ORDER BY n) TO '${dir}/cells.parquet' (ROW_GROUP_SIZE 2048)`)
    const all = await chunksOf(session, `SELECT * EXCLUDE n FROM '${dir}/cells.parquet' WHERE n % 3 = 1`)
    const sorted = await chunksOf(session, `SELECT * EXCLUDE n FROM '${dir}/cells.parquet' WHERE n % 3 = 1 ORDER BY n`)
    const [first, other] = [await encoded(format, rowSet(all, TYPES)), await encoded(format, rowSet(sorted, TYPES))]
    expect.soft(first.equals(other), `seed ${seed}`).toBe(true)
  }
}

/** Compares JSON rows from tables and files with JSON.stringify of the engine's own values. */
export async function checkJsonRows(session: Session, dir: string, seeds: readonly number[]): Promise<void> {
  for (const seed of seeds) {
    await stageCells(session, seed)
    await session.run(`COPY (FROM cells ORDER BY n) TO '${dir}/cells.parquet' (ROW_GROUP_SIZE 2048)`)
    for (const [name, from] of sources(dir)) {
      const wanted = (await own(session, from())).map(row => JSON.stringify(row)).join(',')
      expect.soft(firstDifference(await jsonRows(session, from()), wanted), `seed ${seed}, ${name}`).toBeUndefined()
    }
  }
}

/** The rows as the engine's own client returns them, converted to our notation. */
export async function own(session: Session, from: string): Promise<readonly object[]> {
  const shown = "replace(strftime(timestamp + INTERVAL 8 HOUR, '%Y-%m-%dT%H:%M:%S.%g+08:00'), '.000+', '+') AS timestamp"
  const rows = await session.rows(`SELECT * REPLACE (integer::DOUBLE AS integer, ${shown}) FROM (${from})`)
  return rows.map(row => ({ ...row, json: row['json'] === null ? null : JSON.parse(String(row['json'])) }))
}

/** The names of the columns of every type, for SELECT. */
export const NAMES = TYPES.map(type => `"${type}"`).join(', ')
const sources = (dir: string) =>
  [
    ['a table', () => `SELECT ${NAMES} FROM cells ORDER BY n`],
    ['a file', () => `SELECT ${NAMES} FROM '${dir}/cells.parquet'`],
    ['a sorted file', () => `SELECT ${NAMES} FROM '${dir}/cells.parquet' ORDER BY text, n LIMIT 3000 OFFSET 3`],
    ['a filtered file', () => `SELECT ${NAMES} FROM '${dir}/cells.parquet' WHERE n % 3 = 1`],
  ] as const

/**
 * JSON rows of a query, joined like in a body.
 *
 * @param count number of rows to write
 */
export async function jsonRows(session: Session, from: string, count: (found: number) => number = found => found): Promise<string> {
  const { chunks } = await session.read({ text: from, values: [] })
  const found = chunks.reduce((sum, chunk) => sum + chunk.rows, 0)
  const page = { chunks, rows: count(found), more: false, position: new Map() }
  return String(Buffer.concat(await encodeJsonRows({ columns: COLUMNS, names: TYPES, page })))
}

/**
 * The first position at which two texts differ, with the text that follows. Undefined if they are
 * equal.
 */
function firstDifference(found: string, wanted: string): unknown {
  if (found === wanted) return undefined
  let position = 0
  while (found[position] === wanted[position]) position++
  return { at: position, found: found.slice(position, position + 80), wanted: wanted.slice(position, position + 80) }
}
