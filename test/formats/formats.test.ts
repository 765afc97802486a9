import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tableFromIPC } from 'apache-arrow'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Column, FORMATS, type Format, type Row } from '../../catalog/index.ts'
import type { Chunk } from '../../src/engine/index.ts'
import { ENCODERS, type EncodeOptions, type Frame, type RowSet, valueRows } from '../../src/formats/index.ts'
import { openSession } from '../fixtures/formats/session.ts'
import { inMemory } from './memory-vectors.ts'
import { parsers } from './parsing.ts'
import { COLUMNS, stageCells, TYPES } from './random-rows.ts'

const { dir, session, close } = await openSession()
afterAll(close)

const FRAME: Frame = ['{"dataset_id":"cells","data":[', '],"known_gaps":["nothing, 沒有"]}']
const OTHERS = FORMATS.filter(format => format !== 'json')

function rowSet(chunks: readonly Chunk[], names: readonly string[] = TYPES, columns: Readonly<Record<string, Column>> = COLUMNS): RowSet {
  const rows = chunks.reduce((sum, chunk) => sum + chunk.rows, 0)
  return { columns, names, page: { chunks, rows, more: false, position: new Map() } }
}

const encoded = async (format: Format, rows: RowSet, options?: EncodeOptions): Promise<Buffer> =>
  Buffer.concat([...(await ENCODERS[format].encode(rows, FRAME, options))])

const rowsOf = async (rows: RowSet): Promise<readonly Row[]> => JSON.parse(String(await encoded('json', rows))).data

const selected = (where = ''): string => `SELECT ${TYPES.map(type => `"${type}"`).join(', ')} FROM cells ${where} ORDER BY n`

async function read(text: string): Promise<readonly Chunk[]> {
  const { chunks } = await session.read({ text, values: [], once: true })
  return chunks
}

const parsed = async (format: Exclude<Format, 'json'>, rows: RowSet): Promise<readonly Row[]> =>
  parsers(session, dir)[format](await encoded(format, rows), COLUMNS)

/** JSON has one zero. */
const unsigned = (rows: readonly Row[]): readonly Row[] => JSON.parse(JSON.stringify(rows))

describe.each([1, 2, 3, 4, 5, 6])('random rows %i', seed => {
  beforeAll(() => stageCells(session, seed))

  it.each(OTHERS)('read back from %s are those of JSON, cell by cell', async format => {
    const rows = rowSet(await read(selected()))
    expect(unsigned(await parsed(format, rows))).toEqual(await rowsOf(rows))
  })

  it.each(FORMATS)('are the same bytes of %s from memory, whatever row and bit they begin at', async format => {
    const chunks = await read(selected('WHERE n % 7 <> 2'))
    const bytes = await encoded(format, rowSet(chunks))
    for (const from of [0, 1, 8, 13]) expect((await encoded(format, rowSet(inMemory(chunks, TYPES, from)))).equals(bytes)).toBe(true)
  })

  it.each(FORMATS)('are the same bytes of %s however they are cut into chunks', async format => {
    await session.run(`COPY (FROM cells ORDER BY n) TO '${dir}/cells.parquet' (ROW_GROUP_SIZE 2048)`)
    const all = await read(`SELECT * EXCLUDE n FROM '${dir}/cells.parquet' WHERE n % 3 = 1`)
    const sorted = await read(`SELECT * EXCLUDE n FROM '${dir}/cells.parquet' WHERE n % 3 = 1 ORDER BY n`)
    expect(
      (await encoded(format, rowSet(all, Object.keys(COLUMNS)))).equals(await encoded(format, rowSet(sorted, Object.keys(COLUMNS)))),
    ).toBe(true)
  })
})

it.each(OTHERS)('an empty body in %s has all columns', async format => {
  const rows = rowSet(await read(selected('WHERE n < 0')))
  const body = await encoded(format, rows)
  expect(await parsers(session, dir)[format](body, COLUMNS)).toEqual([])
  if (format === 'csv') expect(String(body)).toBe(`${TYPES.join(',')}\r\n`)
  if (format === 'arrow') expect(tableFromIPC(body).schema.names).toEqual(TYPES)
})

const text = (name: string, words: string): Column => ({ type: 'text', doc: words, docZh: '說明。', zh: name })

it('CSV quotes only where needed, distinguishes empty text from null, and leaves formulas unchanged', async () => {
  const chunks = await read(
    `SELECT * FROM (VALUES ('a', 'b'), ('a,b', 'a"b'), (E'a\\nb', E'a\\rb'), ('', NULL), (NULL, ' x '), ('=1+1', '公債殖利率曲線與，逗號')) AS t(a, b)`,
  )
  const columns = { a: text('a', ''), b: text('b', '') }
  const lines = ['a,b', 'a,b', '"a,b","a""b"', '"a\nb","a\rb"', '"",', ', x ', '=1+1,公債殖利率曲線與，逗號', '']
  expect(String(await encoded('csv', rowSet(chunks, ['a', 'b'], columns)))).toBe(lines.join('\r\n'))
  expect(String(await encoded('csv', rowSet(chunks, ['a'], columns)))).toBe('a\r\na\r\n"a,b"\r\n"a\nb"\r\n""\r\n""\r\n=1+1\r\n')
  expect((await encoded('csv', rowSet(chunks, ['a'], columns), { bom: true })).subarray(0, 6)).toEqual(Buffer.from('\ufeffa\r\n'))
})

it('Arrow and Parquet metadata hold the envelope and the meaning of each column', async () => {
  await stageCells(session, 9)
  const columns = { ...COLUMNS, number: { ...COLUMNS['number']!, unit: 'TWD', zh: '金額', doc: 'Amount.', docZh: '金額。' } as const }
  const rows = rowSet(await read(selected()), TYPES, columns)
  const { metadata, fields } = tableFromIPC(await encoded('arrow', rows)).schema
  const meaning = { type: 'number', unit: 'TWD', label_zh: '金額', description: 'Amount.', description_zh: '金額。' }
  expect(metadata.get('twmd')).toBe(FRAME.join(''))
  expect(Object.fromEntries(fields.find(({ name }) => name === 'number')!.metadata)).toEqual(meaning)
  const file = join(dir, 'described.parquet')
  await writeFile(file, await encoded('parquet', rows))
  const found = await session.rows(`SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata('${file}')`)
  const values = Object.fromEntries(found.map(({ key, value }) => [key, value]))
  expect(values['twmd']).toBe(FRAME.join(''))
  expect(JSON.parse(String(values['twmd.columns'])).number).toEqual(meaning)
})

it('Arrow and Parquet columns have the types of the catalog', async () => {
  await stageCells(session, 10)
  const rows = rowSet(await read(selected()))
  const { fields } = tableFromIPC(await encoded('arrow', rows)).schema
  expect(Object.fromEntries(fields.map(({ name, type }) => [name, String(type)]))).toEqual({
    text: 'Utf8',
    number: 'Float64',
    integer: 'Int64',
    boolean: 'Bool',
    date: 'Date32<DAY>',
    timestamp: 'Timestamp<MICROSECOND, Asia/Taipei>',
    json: 'Utf8',
  })
  const file = join(dir, 'types.parquet')
  await writeFile(file, await encoded('parquet', rows))
  const described = await session.rows(`DESCRIBE FROM '${file}'`)
  expect(Object.fromEntries(described.map(({ column_name: name, column_type: type }) => [name, type]))).toEqual({
    text: 'VARCHAR',
    number: 'DOUBLE',
    integer: 'BIGINT',
    boolean: 'BOOLEAN',
    date: 'DATE',
    timestamp: 'TIMESTAMP WITH TIME ZONE',
    json: 'VARCHAR',
  })
  const chunks = await session.rows(
    `SELECT path_in_schema AS name, compression, stats_min_value IS NOT NULL AS measured FROM parquet_metadata('${file}')`,
  )
  expect(new Set(chunks.map(({ compression }) => compression))).toEqual(new Set(['ZSTD']))
  expect(chunks.filter(({ measured }) => measured).length).toBeGreaterThan(0)
})

it('the Parquet encoder yields one piece per column of a row group', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `n${index}`)
  const columns = Object.fromEntries(names.map(name => [name, COLUMNS['integer']!]))
  const rows = Array.from({ length: 8_000 }, (_, row) => Object.fromEntries(names.map(name => [name, row])))
  const pieces = [...(await ENCODERS.parquet.encode(valueRows(columns, rows), FRAME))]
  expect(pieces).toHaveLength(2 * names.length + 1)
})
