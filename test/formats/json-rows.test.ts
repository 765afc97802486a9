import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Column, type ColumnType, STORED } from '../../catalog/index.ts'
import { random } from '../../ingest/samples/random.ts'
import { type Engine, openEngine, type Session } from '../../src/engine/index.ts'
import { encodeJsonRows, type RowSet } from '../../src/formats/index.ts'

let dir = ''
let engine: Engine
let session: Session
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twmd-encode-'))
  engine = await openEngine({ threads: 1, memoryLimit: '500MB', spillTo: dir })
  session = await engine.connect()
})
afterAll(async () => {
  session.close()
  engine.close()
  await rm(dir, { recursive: true })
})

const TYPES: readonly ColumnType[] = ['text', 'number', 'integer', 'boolean', 'date', 'timestamp', 'json']
const COLUMNS = Object.fromEntries(TYPES.map(type => [type, { type, doc: '', zh: '' } satisfies Column]))

const ALPHABETS = [
  'a',
  'abcXYZ 019',
  '公債殖利率台積電',
  '😀🏳️‍🌈𠮷',
  'a"b\\c',
  'a\n\t\r\b\f\u0000\u0001\u001f',
  'a\u007f\u0085\u2028\u2029',
  'é\u0301ß"',
]
const NUMBERS = [
  ...[0, -0, 1, -1, 0.1, 0.0001, 0.00005, 0.00001, 1e-7, 1e21, 1e20, 123456789.12345, 1.0005, -0.0001, -0.5, 4.35, 1.005, 2.675],
  ...[
    999_999_999.9999,
    1_000_000_000,
    999_999_999.99995,
    1e9 + 0.0001,
    2 ** 31,
    2 ** 31 - 0.5,
    2 ** 53,
    -(2 ** 53),
    2 ** 53 + 2,
    1e13,
    1e16,
  ],
  ...[5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, -1.2345678901234568e-300, 0.1 + 0.2, 214_748.3647, 214_748.3648],
]
const INTEGERS = [
  0,
  1,
  -1,
  9,
  10,
  99,
  100,
  2 ** 31 - 1,
  2 ** 31,
  2 ** 32,
  2 ** 32 - 1,
  -(2 ** 31),
  -(2 ** 32) - 1,
  2 ** 53,
  -(2 ** 53),
  2 ** 53 - 1,
]

/** One random value of a type, as text that DuckDB casts. */
function value(type: ColumnType, next: () => number): string {
  const whole = (below: number): number => Math.floor(next() * below)
  const pick = <T>(list: readonly T[]): T => list[whole(list.length)]!
  const text = (): string => {
    const letters = [...pick(ALPHABETS)]
    return Array.from({ length: pick([0, 1, 3, 4, 11, 12, 13, 14, 40, 300]) }, () => pick(letters)).join('')
  }
  const anyDouble = (): number => {
    const bits = new DataView(new ArrayBuffer(8))
    bits.setUint32(0, whole(2 ** 32))
    bits.setUint32(4, whole(2 ** 32))
    return Number.isFinite(bits.getFloat64(0)) ? bits.getFloat64(0) : 0
  }
  const at = (): Date => new Date(Date.UTC(1900, 0, 1) + whole(300 * 365 * 86_400_000))
  const make: Record<ColumnType, () => string> = {
    text,
    number: () => {
      const made = pick([() => pick(NUMBERS), anyDouble, () => whole(1e9) / 10_000, () => -whole(1e6) / 100, () => next() * 1e3])()
      return Object.is(made, -0) ? '-0.0' : String(made)
    },
    integer: () => String(pick([() => pick(INTEGERS), () => whole(1e6) - 5e5, () => whole(2 ** 53)])()),
    boolean: () => String(next() < 0.5),
    date: () => at().toISOString().slice(0, 10),
    timestamp: () => pick([() => at().toISOString(), () => `${at().toISOString().slice(0, 19)}.000Z`])(),
    json: () =>
      JSON.stringify(
        pick<() => unknown>([
          () => null,
          () => [],
          () => ({}),
          () => [text()],
          () => ({ [text()]: { deep: [1.5, null, text()] } }),
          () => text(),
        ])(),
      ),
  }
  return make[type]()
}

/** A column of random values: some absent, runs of one value as neighbours in real data have them. */
function column(type: ColumnType, rows: number, next: () => number): readonly (string | null)[] {
  const [absent, repeat] = [next() < 0.3 ? 0 : next(), next()]
  const cells: (string | null)[] = []
  for (let row = 0; row < rows; row++) {
    if (row > 0 && next() < repeat) cells.push(cells[row - 1]!)
    else cells.push(next() < absent ? null : value(type, next))
  }
  return cells
}

async function stage(seed: number): Promise<void> {
  const next = random(String(seed))
  const rows = 1 + Math.floor(next() * 5_000)
  await session.run(`CREATE OR REPLACE TABLE texts (${TYPES.map(type => `${type}_ VARCHAR`).join(', ')}, n VARCHAR)`)
  await session.append('texts', [...TYPES.map(type => column(type, rows, next)), Array.from({ length: rows }, (_, row) => String(row))])
  const typed = TYPES.map(type => `${type}_::${STORED[type]} AS "${type}"`).join(', ')
  await session.run(`CREATE OR REPLACE TABLE cells AS SELECT ${typed}, n::INTEGER AS n FROM texts`)
  await session.run(`COPY (FROM cells ORDER BY n) TO '${dir}/cells.parquet' (ROW_GROUP_SIZE 2048)`)
}

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
  beforeAll(() => stage(seed))

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

it('writes every notable number as JSON.stringify does', async () => {
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

it('writes every whole number up to 2^53 exactly', async () => {
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

it('writes no rows as nothing', async () => {
  expect(await encoded(`SELECT ${NAMES} FROM cells WHERE n < 0`)).toBe('')
})

it('keeps a byte-order mark at the head of a text, which the client drops', async () => {
  const list = ['\ufeff', '\ufeffa', '\ufeff"', `\ufeff${'公'.repeat(20)}`, `a\ufeff${'b'.repeat(20)}`, '\ufeff\ufeffabcdefghijklm', '']
  await session.run('CREATE OR REPLACE TABLE marked (text VARCHAR, n VARCHAR)')
  await session.append('marked', [list, list.map((_, index) => String(index))])
  const { chunks } = await session.read({ text: 'SELECT text FROM marked ORDER BY n::INTEGER', values: [] })
  const bytes = await joined(COLUMNS, ['text'], { chunks, rows: list.length, more: false, position: new Map() })
  expect(bytes).toBe(list.map(text => JSON.stringify({ text })).join(','))
})
