import { afterAll, expect, it } from 'vitest'
import { encodeJsonRows, type RowSet } from '../../src/formats/index.ts'
import { openSession } from '../fixtures/formats/session.ts'
import { checkJsonRows, jsonRows, NAMES, own } from './random-checks.ts'
import { COLUMNS, INTEGERS, NUMBERS, stageCells } from './random-rows.ts'

const { dir, session, close } = await openSession()
afterAll(close)

const joined = async (columns: RowSet['columns'], names: RowSet['names'], page: RowSet['page']): Promise<string> =>
  String(Buffer.concat(await encodeJsonRows({ columns, names, page })))

it('JSON rows of random values equal JSON.stringify of the engine’s values, from tables and files', () =>
  checkJsonRows(session, dir, [1, 2]))

it('JSON rows stop at the end of the page', async () => {
  await stageCells(session, 1)
  const from = `SELECT ${NAMES} FROM cells ORDER BY n`
  const half = (found: number): number => found >> 1
  const rows = await own(session, from)
  expect(JSON.parse(`[${await jsonRows(session, from, half)}]`)).toEqual(JSON.parse(JSON.stringify(rows.slice(0, half(rows.length)))))
})

it('JSON rows write edge-case numbers as JSON.stringify does', async () => {
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
  await stageCells(session, 1)
  expect(await jsonRows(session, `SELECT ${NAMES} FROM cells WHERE n < 0`)).toBe('')
})

it('JSON rows keep a byte-order mark at the start of a text', async () => {
  const list = ['\ufeff', '\ufeffa', '\ufeff"', `\ufeff${'公'.repeat(20)}`, `a\ufeff${'b'.repeat(20)}`, '\ufeff\ufeffabcdefghijklm', '']
  await session.run('CREATE OR REPLACE TABLE marked (text VARCHAR, n VARCHAR)')
  await session.append('marked', [list, list.map((_, index) => String(index))])
  const { chunks } = await session.read({ text: 'SELECT text FROM marked ORDER BY n::INTEGER', values: [] })
  const bytes = await joined(COLUMNS, ['text'], { chunks, rows: list.length, more: false, position: new Map() })
  expect(bytes).toBe(list.map(text => JSON.stringify({ text })).join(','))
})
