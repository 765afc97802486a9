import { type Child, startChild } from './child.ts'
import { folderOf, type Size, SLUG, shuffled, tickersOf } from './data.ts'
import type { LongAnswer, LongOrder } from './long-reader.ts'
import { openReader, type Reader } from './reader.ts'
import type { Served, Watched } from './server.ts'
import { type Goal, type Line, median, quantile } from './table.ts'

export const LONG_ROWS = 100_000
/** 50 tickers with 3,300 days have more rows than one answer can contain. */
const NAMED = 50
const MANY_ROWS = 1_000_000
const MIB = 2 ** 20

interface Form {
  readonly name: string
  readonly query: string
  readonly goals: {
    readonly rate?: Goal
    readonly firstByte?: Goal
    readonly held?: Goal
    readonly ratio?: Goal
  }
}

export const FORMS: readonly [Form, ...Form[]] = [
  { name: 'JSON', query: '', goals: { rate: { atLeast: 250 }, firstByte: { atMost: 20 }, held: { atMost: 15 } } },
  { name: 'Arrow', query: '&format=arrow', goals: { held: { atMost: 15 }, ratio: { atLeast: 2 } } },
  { name: 'CSV', query: '&format=csv', goals: {} },
  { name: 'Parquet', query: '&format=parquet', goals: {} },
]

/**
 * Measures answers of 100,000 rows.
 *
 * @param rounds number of long answers per format
 * @param points number of point reads during long answers
 */
export async function measureLong(size: Size, [rounds, points]: readonly [number, number]): Promise<readonly Line[]> {
  const [server, caller] = [startChild('server.ts'), startChild('long-reader.ts')]
  try {
    const { url, keys } = await server.ask<Served>('start', folderOf(size))
    await server.ask('rest')
    const orders = (form: Form, turn: number): LongOrder => ({ url, path: pathOf(size, form, turn), key: keys[turn % keys.length]! })
    const reader = openReader({ url, keys })
    await reader.read(tickersOf(size)[0]!)
    // Measures memory before the process has sent any long answer.
    const lines: Line[] = [await measureGrowth(turn => orders(FORMS[0], turn), server, caller)]
    lines.push(...(await measureForms(orders, rounds, server, caller)))
    lines.push(...(await measureBeside(reader, size, points, turn => orders(FORMS[0], turn), caller)))
    reader.close()
    const peak = await server.ask<number>('peak')
    return [
      ...lines,
      { name: 'server memory at its peak over all of that, RSS', measured: peak / MIB, unit: 'MiB', goal: { atMost: 1_024 } },
    ]
  } finally {
    await Promise.all([server.stop(), caller.stop()])
  }
}

/** Other tickers in each round, so that no answer is cached. */
export function pathOf(size: Size, { query }: Form, turn: number): string {
  const tickers = shuffled(tickersOf(size))
  const named = Array.from(
    { length: NAMED },
    (_, index) => tickers[(turn * NAMED + index + Math.floor((turn * NAMED) / tickers.length)) % tickers.length]!,
  )
  return `/v2/datasets/${SLUG}?symbol=${named}&limit=${LONG_ROWS}${query}`
}

async function measureForms(
  orders: (form: Form, turn: number) => LongOrder,
  rounds: number,
  server: Child,
  caller: Child,
): Promise<readonly Line[]> {
  const seen = FORMS.map(form => ({ form, answers: [] as LongAnswer[], held: 0 }))
  for (const { form } of seen) await caller.ask('read', orders(form, 0))
  for (let round = 1; round <= rounds; round++) {
    for (let place = 0; place < seen.length; place++) {
      const one = seen[(round + place) % seen.length]!
      await server.ask('watch')
      one.answers.push(await caller.ask<LongAnswer>('read', orders(one.form, round)))
      one.held = Math.max(one.held, (await server.ask<Watched>('watched')).heldMs)
    }
  }
  const took = ({ answers }: (typeof seen)[number]): number => median(answers.map(({ ms }) => ms))
  return seen.flatMap(one => {
    const { name, goals } = one.form
    const rate = median(one.answers.map(({ bytes, ms }) => bytes / 1e3 / ms))
    const perSecond = (ms: number): number => (LONG_ROWS / ms) * 1e3
    return [
      lineOf(`${LONG_ROWS.toLocaleString('en')} rows as ${name}`, rate, 'MB/s', goals.rate),
      ...(one === seen[0]
        ? []
        : [{ ...lineOf('  against JSON', perSecond(took(one)), 'rows/s', goals.ratio), against: perSecond(took(seen[0]!)) }]),
      lineOf('  to the last byte, p50', took(one), 'ms'),
      lineOf('  to the first byte, p50', median(one.answers.map(({ firstByteMs }) => firstByteMs)), 'ms', goals.firstByte),
      lineOf('  longest that the event loop was held', one.held, 'ms', goals.held),
    ]
  })
}

type Orders = (turn: number) => LongOrder

/** Measures point reads with and without concurrent long answers. */
async function measureBeside(reader: Reader, size: Size, points: number, orders: Orders, caller: Child): Promise<readonly Line[]> {
  const tickers = shuffled(tickersOf(size))
  const [idle, during]: [number[], number[]] = [[], []]
  for (let block = 0; block < BLOCKS; block++) {
    for (const times of [idle, during]) {
      if (times === during) await caller.ask('keepReading', orders(block))
      for (let index = 0; index < points / BLOCKS; index++) {
        const { ms } = await reader.read(tickers[(block * points + index) % tickers.length]!)
        times.push(ms)
      }
      if (times === during) await caller.ask('stopReading')
    }
  }
  const name = 'point read, while a long answer streams / idle'
  return [
    { name: `${name}, p99`, measured: quantile(during, 0.99), against: quantile(idle, 0.99), unit: 'ms', goal: { atMost: 3 } },
    { name: '  p50', measured: median(during), against: median(idle), unit: 'ms' },
  ]
}

const BLOCKS = 4

async function measureGrowth(orders: Orders, server: Child, caller: Child): Promise<Line> {
  await server.ask('watch')
  for (let rows = 0; rows < MANY_ROWS; rows += LONG_ROWS) await caller.ask('read', orders(rows / LONG_ROWS))
  const { rssBefore, rssPeak } = await server.ask<Watched>('watched')
  return lineOf(`server memory over ${MANY_ROWS.toLocaleString('en')} rows sent, growth of RSS`, (rssPeak - rssBefore) / MIB, 'MiB', {
    atMost: 128,
  })
}

const lineOf = (name: string, measured: number, unit: string, goal?: Goal): Line => ({ name, measured, unit, ...(goal && { goal }) })
