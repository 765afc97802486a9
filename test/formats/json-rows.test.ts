import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { encodeJsonRows, type RowSet } from '../../src/formats/index.ts'
import { openSession } from '../fixtures/formats/session.ts'
import { COLUMNS, INTEGERS, NUMBERS, stageCells, TYPES } from './random-rows.ts'

const { dir, session, close } = await openSession()
afterAll(close)

/** The rows as the engine's own client gives them, in our notation. */
async function own(from: string): Promise<readonly object[]> {
  const shown = "replace(strftime(timestamp + INTERVAL 8 HOUR, '%Y-%m-%dT%H:%M:%S.%g+08:00'), '.000+', '+') AS timestamp"
  const rows = await session.rows(`SELECT * REPLACE (integer::DOUBLE AS integer, ${shown}) FROM (${from})`)
  return rows.map(row => ({ ...row, json: row['json'] === null ? null : JSON.parse(String(row['json'])) }))
}

const joined = async (columns: RowSet['columns'], names: RowSet['names'], page: RowSet['page']): Promise<string> =>
  String(Buffer.concat(await encodeJsonRows({ columns, names, page })))

async function encoded(from: string, rows: (found: number) => number = found => found): Promise<string> {
  const { chunks } = await session.read({ text: from, values: [] })
  const found = chunks.reduce((sum, chunk) => sum + chunk.rows, 0)
  return joined(COLUMNS, TYPES, { chunks, rows: rows(found), more: false, position: new Map() })
}

const NAMES = TYPES.map(type => `"${type}"`).join(', ')
const SOURCES = [
  ['a table', () => `SELECT ${NAMES} FROM cells ORDER BY n`],
  ['a file', () => `SELECT ${NAMES} FROM '${dir}/cells.parquet'`],
  ['a sorted file', () => `SELECT ${NAMES} FROM '${dir}/cells.parquet' ORDER BY text, n LIMIT 3000 OFFSET 3`],
  ['a filtered file', () => `SELECT ${NAMES} FROM '${dir}/cells.parquet' WHERE n % 3 = 1`],
] as const

describe.each([1, 2, 3, 4, 5, 6, 7, 8])('random rows %i', seed => {
  beforeAll(async () => {
    await stageCells(session, seed)
    await session.run(`COPY (FROM cells ORDER BY n) TO '${dir}/cells.parquet' (ROW_GROUP_SIZE 2048)`)
  })

  it.each(SOURCES)('from %s are written as JSON.stringify writes the engine’s own values', async (_, from) => {
    expect(await encoded(from())).toBe((await own(from())).map(row => JSON.stringify(row)).join(','))
  })

  it('are JSON, and stop where the page stops', async () => {
    const from = SOURCES[0][1]()
    const half = (found: number): number => found >> 1
    const rows = await own(from)
    expect(JSON.parse(`[${await encoded(from, half)}]`)).toEqual(JSON.parse(JSON.stringify(rows.slice(0, half(rows.length)))))
  })
})

it('JSON rows write notable numbers as JSON.stringify does', async () => {
  const list = [...NUMBERS, ...NUMBERS.map(number => -number), ...Array.from({ length: 40_000 }, (_, index) => (index - 20_000) / 10_000)]
  await session.run('CREATE OR REPLACE TABLE notable (text VARCHAR, n VARCHAR)')
  await session.append('notable', [
    list.map(number => (Object.is(number, -0) ? '-0.0' : String(number))),
    list.map((_, index) => String(index)),
  ])
  const { chunks } = await session.read({ text: 'SELECT text::DOUBLE FROM notable ORDER BY n::INTEGER', values: [] })
  const bytes = await joined(COLUMNS, ['number'], { chunks, rows: list.length, more: false, position: new Map() })
  expect(bytes).toBe(list.map(number => `{"number":${JSON.stringify(number)}}`).join(','))
})

it('JSON rows write whole numbers up to 2^53 exactly', async () => {
  const list = [
    ...INTEGERS,
    ...Array.from({ length: 53 }, (_, bit) => [2 ** bit, -(2 ** bit) + 1, 2 ** bit + 1]).flat(),
    ...Array.from({ length: 16 }, (_, ten) => 10 ** ten),
  ]
  await session.run('CREATE OR REPLACE TABLE whole (text VARCHAR, n VARCHAR)')
  await session.append('whole', [list.map(String), list.map((_, index) => String(index))])
  const { chunks } = await session.read({ text: 'SELECT text::BIGINT FROM whole ORDER BY n::INTEGER', values: [] })
  const bytes = await joined(COLUMNS, ['integer'], { chunks, rows: list.length, more: false, position: new Map() })
  expect(bytes).toBe(list.map(number => `{"integer":${JSON.stringify(number)}}`).join(','))
})

it('JSON rows of an empty page are an empty text', async () => {
  expect(await encoded(`SELECT ${NAMES} FROM cells WHERE n < 0`)).toBe('')
})

it('JSON rows keep a byte-order mark at the start of a text', async () => {
  const list = ['\ufeff', '\ufeffa', '\ufeff"', `\ufeff${'公'.repeat(20)}`, `a\ufeff${'b'.repeat(20)}`, '\ufeff\ufeffabcdefghijklm', '']
  await session.run('CREATE OR REPLACE TABLE marked (text VARCHAR, n VARCHAR)')
  await session.append('marked', [list, list.map((_, index) => String(index))])
  const { chunks } = await session.read({ text: 'SELECT text FROM marked ORDER BY n::INTEGER', values: [] })
  const bytes = await joined(COLUMNS, ['text'], { chunks, rows: list.length, more: false, position: new Map() })
  expect(bytes).toBe(list.map(text => JSON.stringify({ text })).join(','))
})
