import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tableFromIPC } from 'apache-arrow'
import { afterAll, expect, it } from 'vitest'
import { type Column, FORMATS } from '../../catalog/index.ts'
import { ENCODERS, valueRows } from '../../src/formats/index.ts'
import { openSession } from '../fixtures/formats/session.ts'
import { parsers } from './parsing.ts'
import { checkChunks, checkMemory, checkReadBack, chunksOf, encoded, FRAME, rowSet, selected } from './random-checks.ts'
import { COLUMNS, stageCells, TYPES } from './random-rows.ts'

const { dir, session, close } = await openSession()
afterAll(close)

const SEEDS = [1]
const OTHERS = FORMATS.filter(format => format !== 'json')
const read = (text: string) => chunksOf(session, text)

it.each(OTHERS)('random rows read back from %s equal those of JSON', format => checkReadBack(session, dir, format, SEEDS))

it.each(FORMATS)('%s from memory has the bytes of the engine, at any row and bit offset', format => checkMemory(session, format, SEEDS))

it.each(FORMATS)('%s has the same bytes for any chunk sizes', format => checkChunks(session, dir, format, SEEDS))

it.each(OTHERS)('an empty body in %s has all columns', async format => {
  await stageCells(session, 1)
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
