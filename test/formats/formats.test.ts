import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tableFromIPC } from 'apache-arrow'
import { afterAll, expect, it } from 'vitest'
import { type Column, FORMATS, type Row } from '../../catalog/index.ts'
import { literal } from '../../src/engine/index.ts'
import { ENCODERS, valueRows } from '../../src/formats/index.ts'
import { openSession } from '../fixtures/formats/session.ts'
import { inMemory } from './memory-vectors.ts'
import { FITTING, NESTED, UNFITTING, WHOLE } from './nested-rows.ts'
import { parsers } from './parsing.ts'
import { checkChunks, checkMemory, checkReadBack, chunksOf, encoded, FRAME, rowSet, selected } from './random-checks.ts'
import { COLUMNS, stageCells, TYPES } from './random-rows.ts'

const { dir, session, close } = await openSession()
afterAll(close)

const SEEDS = [1]
const OTHERS = FORMATS.filter(format => format !== 'json')
const read = (text: string) => chunksOf(session, text)

it.each(OTHERS)('random rows read back from %s equal the rows of JSON', format => checkReadBack(session, dir, format, SEEDS))

it.each(FORMATS)('%s has the same bytes from memory as from the engine, at any row and bit offset', format =>
  checkMemory(session, format, SEEDS),
)

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

it('Arrow and Parquet metadata contain the envelope and the meaning of each column', async () => {
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

const NESTED_NAMES = Object.keys(NESTED)
const nested = (rows: readonly Row[]) => valueRows(NESTED, rows)

it.each(['arrow', 'parquet'] as const)('%s sends arrays and objects as LIST and STRUCT, and every value reads back', async format => {
  const rows = [...FITTING, ...UNFITTING, ...Array.from({ length: 3_000 }, (_, row) => FITTING[row % 5]!)]
  const found = await parsers(session, dir)[format](await encoded(format, nested(rows)), NESTED)
  // The parser omits members that are null.
  expect(found.map(({ object }) => object)).toEqual(rows.map(({ object }) => object))
  expect(found.map(({ list }) => list)).toEqual(
    rows.map(({ list }) => (UNFITTING.some(row => row['list'] === list) ? [JSON.stringify(list)] : list)),
  )
})

it("nested values that do not fit their column's type are null in Arrow and Parquet; only such rows have a value in _json", async () => {
  const table = tableFromIPC(await encoded('arrow', nested([...FITTING, ...UNFITTING])))
  const objects = [...table.getChild('object')!].map(value => JSON.parse(JSON.stringify(value)))
  expect(objects.slice(0, FITTING.length).every(value => value === null || value._json === null)).toBe(true)
  const [more, types, list] = objects.slice(FITTING.length)
  expect(more).toEqual({ ...WHOLE, _json: JSON.stringify(UNFITTING[0]!['object']) })
  expect(types).toMatchObject({ flag: true, name: null, size: -1.5, tags: null, source: { day: '1' } })
  expect(list).toEqual({ flag: null, name: null, size: null, tags: null, source: null, _json: '["a"]' })
})

it.each(['arrow', 'parquet'] as const)(
  '%s has the same nested bytes for rows from the engine, from memory and from plain values',
  async format => {
    const values = FITTING.map(({ object, list }) => `(${sqlOf(object)}, ${sqlOf(list)})`).join(', ')
    const chunks = await read(`SELECT * FROM (VALUES ${values}) AS t(object, list)`)
    const bytes = await encoded(format, rowSet(chunks, NESTED_NAMES, NESTED))
    expect(bytes.equals(await encoded(format, nested(FITTING)))).toBe(true)
    for (const from of [0, 1, 13])
      expect
        .soft(bytes.equals(await encoded(format, rowSet(inMemory(chunks, ['json', 'json'], from), NESTED_NAMES, NESTED))), `${from}`)
        .toBe(true)
  },
)

const sqlOf = (value: unknown): string => (value === null ? 'NULL' : literal(JSON.stringify(value)))

it('the types of nested columns are the same with and without rows, and metadata names their encoding', async () => {
  const types = {
    object: 'Struct<{flag:Bool, name:Utf8, size:Float64, tags:List<Utf8>, source:Struct<{day:Utf8}>, _json:Utf8}>',
    list: 'List<Utf8>',
  }
  for (const rows of [[], FITTING]) {
    const { fields, metadata } = tableFromIPC(await encoded('arrow', nested(rows))).schema
    expect(Object.fromEntries(fields.map(({ name, type }) => [name, String(type)]))).toEqual(types)
    expect(metadata.get('twmd.nested')).toBe('list_struct')
    const file = join(dir, `nested-${rows.length}.parquet`)
    await writeFile(file, await encoded('parquet', nested(rows)))
    const described = await session.rows(`DESCRIBE FROM ${literal(file)}`)
    expect(described.map(({ column_type: type }) => type)).toEqual([
      'STRUCT(flag BOOLEAN, "name" VARCHAR, size DOUBLE, tags VARCHAR[], "source" STRUCT("day" VARCHAR), _json VARCHAR)',
      'VARCHAR[]',
    ])
    const [mark] = await session.rows(
      `SELECT decode(value) AS value FROM parquet_kv_metadata(${literal(file)}) WHERE decode(key) = 'twmd.nested'`,
    )
    expect(mark).toEqual({ value: 'list_struct' })
  }
})

it('answers without nested columns have no twmd.nested in their metadata', async () => {
  await stageCells(session, 11)
  const rows = rowSet(await read(selected()))
  expect(tableFromIPC(await encoded('arrow', rows)).schema.metadata.has('twmd.nested')).toBe(false)
  const file = join(dir, 'not-nested.parquet')
  await writeFile(file, await encoded('parquet', rows))
  const keys = await session.rows(`SELECT decode(key) AS key FROM parquet_kv_metadata(${literal(file)})`)
  expect(keys.map(({ key }) => key)).toEqual(['twmd', 'twmd.columns'])
})

it('the Parquet encoder yields one piece per column of a row group', async () => {
  const names = Array.from({ length: 10 }, (_, index) => `n${index}`)
  const columns = Object.fromEntries(names.map(name => [name, COLUMNS['integer']!]))
  const rows = Array.from({ length: 8_000 }, (_, row) => Object.fromEntries(names.map(name => [name, row])))
  const pieces = [...(await ENCODERS.parquet.encode(valueRows(columns, rows), FRAME))]
  expect(pieces).toHaveLength(2 * names.length + 1)
})
