import { type Column, type ColumnType, STORED } from '../../catalog/index.ts'
import { random } from '../../ingest/samples/random.ts'
import type { Session } from '../../src/engine/index.ts'

export const TYPES: readonly ColumnType[] = ['text', 'number', 'integer', 'boolean', 'date', 'timestamp', 'json']
export const COLUMNS = Object.fromEntries(TYPES.map(type => [type, { type, doc: '', docZh: '', zh: '' } satisfies Column]))

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
export const NUMBERS = [
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
export const INTEGERS = [
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
  const randomTime = (): Date => new Date(Date.UTC(1900, 0, 1) + whole(300 * 365 * 86_400_000))
  const make: Record<ColumnType, () => string> = {
    text,
    number: () => {
      const made = pick([() => pick(NUMBERS), anyDouble, () => whole(1e9) / 10_000, () => -whole(1e6) / 100, () => next() * 1e3])()
      return Object.is(made, -0) ? '-0.0' : String(made)
    },
    integer: () => String(pick([() => pick(INTEGERS), () => whole(1e6) - 5e5, () => whole(2 ** 53)])()),
    boolean: () => String(next() < 0.5),
    date: () => randomTime().toISOString().slice(0, 10),
    timestamp: () => pick([() => randomTime().toISOString(), () => `${randomTime().toISOString().slice(0, 19)}.000Z`])(),
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

/** A column of random values with missing values and runs of equal values, as in real data. */
export function column(type: ColumnType, rows: number, next: () => number): readonly (string | null)[] {
  const [absent, repeat] = [next() < 0.3 ? 0 : next(), next()]
  const cells: (string | null)[] = []
  for (let row = 0; row < rows; row++) {
    if (row > 0 && next() < repeat) cells.push(cells[row - 1]!)
    else cells.push(next() < absent ? null : value(type, next))
  }
  return cells
}

/** Stages up to 5,000 random rows of every type in the table `cells`, in the order of `n`. */
export async function stageCells(session: Session, seed: number): Promise<void> {
  const next = random(String(seed))
  const rows = 1 + Math.floor(next() * 5_000)
  await session.run(`CREATE OR REPLACE TABLE texts (${TYPES.map(type => `${type}_ VARCHAR`).join(', ')}, n VARCHAR)`)
  await session.append('texts', [...TYPES.map(type => column(type, rows, next)), Array.from({ length: rows }, (_, row) => String(row))])
  const typed = TYPES.map(type => `${type}_::${STORED[type]} AS "${type}"`).join(', ')
  await session.run(`CREATE OR REPLACE TABLE cells AS SELECT ${typed}, n::INTEGER AS n FROM texts`)
}
