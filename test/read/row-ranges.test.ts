import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import type { Grant } from '../../src/core/index.ts'
import type { Session } from '../../src/engine/index.ts'
import { planRead, type ReadPlan } from '../../src/read/index.ts'
import { selectRows } from '../../src/read/select-rows.ts'
import type { Release } from '../../src/releases/index.ts'
import { trade, weekdays } from '../fixtures/publish/rows.ts'
import { service, type TestService } from '../support.ts'

const SLUG = 'institutional-positioning'
const grant: Grant = { accountId: 'acct', keyId: 'key', plan: 'max', rowLimit: 100_000 }
/** Reads of each release. */
const READS = Number(process.env['TWMD_READS'] ?? 120)

/** The same numbers from 0 to 1 on every run. */
function dice(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}
const chance = dice(11)
const pick = <T>(values: readonly T[]): T => values[Math.floor(chance() * values.length)]!

const TICKERS = [...Array.from({ length: 900 }, (_, index) => String(1_101 + index)), '00632R', '2881A', '911608']
/** Sessions until May 29th, and those of June. */
const [PAST, JUNE] = [weekdays('2026-02-02', 85), weekdays('2026-06-01', 22)]
const DAYS = [...PAST, ...JUNE]

/** Not every ticker is traded every day, and some not before June. */
const trades = (days: readonly string[], tickers: readonly string[], share: number): readonly Row[] =>
  days.flatMap(day =>
    tickers
      .filter(ticker => chance() < share && (day >= JUNE[0]! || !ticker.endsWith('7')))
      .map(ticker => trade(ticker, day, Math.round((chance() - 0.5) * 9e6), { dealer_net_buy: Math.round(chance() * 300) })),
  )

let s: TestService
let session: Session
beforeAll(async () => {
  s = await service({ examples: false, inMemory: false, indexed: false })
  session = await s.engine.connect()
  await publish(trades(PAST, TICKERS, 0.9))
}, 120_000)
afterAll(async () => {
  session.close()
  await s.close()
})

async function publish(rows: readonly Row[]): Promise<void> {
  const { faults } = await s.publish(SLUG, rows, { accept: ['row_count_drift'] })
  expect(faults).toEqual([])
}

const current = (): Release => s.releases.current(s.dataset(SLUG))
const rowsOfRole = (role: string): number =>
  current()
    .manifest.parts.filter(part => part.role === role)
    .reduce((sum, { rows }) => sum + rows, 0)

function randomPlan(): ReadPlan {
  const params: Record<string, string> = {}
  params['symbol'] = Array.from({ length: chance() < 0.7 ? 1 : 1 + Math.floor(chance() ** 3 * 50) }, () => pick(TICKERS)).join(',')
  const [from, to] = [pick(DAYS), pick(DAYS)].sort()
  if (chance() < 0.3) params['start_date'] = from!
  if (chance() < 0.3) params['end_date'] = to!
  if (chance() < 0.5) params['limit'] = String(1 + Math.floor(chance() ** 2 * 400))
  if (chance() < 0.3) params['offset'] = String(Math.floor(chance() ** 2 * 200))
  if (chance() < 0.4) params['sort_order'] = pick(['asc', 'desc'])
  if (chance() < 0.2) params['sort_by'] = pick(s.dataset(SLUG).sortable)
  return planRead(s.dataset(SLUG), current(), params, grant)
}

const USED = 'file_row_number'

/** The rows of a plan, and whether row numbers were used. */
async function answer(plan: ReadPlan) {
  const { text, values } = selectRows(plan, plan.columns)
  return { rows: await session.rows(text, values), used: text.includes(USED) }
}

/** The same plan over a release that does not say where rows lie. */
const plain = (plan: ReadPlan): ReadPlan => ({ ...plan, release: { ...plan.release!, spans: { base: {}, delta: {} } } })

/** @returns how many of the reads used row numbers */
async function compare(): Promise<number> {
  let count = 0
  for (let read = 0; read < READS; read++) {
    const plan = randomPlan()
    if (plan.parts.length === 0) continue
    const [found, wanted] = [await answer(plan), await answer(plain(plan))]
    expect(wanted.used).toBe(false)
    expect([plan.sent, found.rows]).toEqual([plan.sent, wanted.rows])
    if (found.used) count++
  }
  return count
}

describe('rows found by their numbers are those that the keys alone select', () => {
  it('in a release published at once', async () => {
    expect(rowsOfRole('delta')).toBe(0)
    expect(await compare()).toBeGreaterThan(0.7 * READS)
  }, 120_000)

  it('after days were appended, few and many', async () => {
    await publish(trades(JUNE.slice(0, 2), TICKERS, 0.95))
    expect(rowsOfRole('delta')).toBeLessThan(2_000)
    expect(await compare()).toBeGreaterThan(0.7 * READS)
    await publish(trades(JUNE.slice(2, 21), TICKERS, 0.98))
    expect(rowsOfRole('delta')).toBeGreaterThan(16_384)
    expect(await compare()).toBeGreaterThan(0.7 * READS)
  }, 120_000)

  it('after days long ago were revised and added to', async () => {
    await publish(trades([PAST[3]!, PAST[40]!], TICKERS, 1))
    expect(await compare()).toBeGreaterThan(0.7 * READS)
  }, 120_000)

  it('after what was appended was folded in', async () => {
    await publish(trades(['2026-07-01'], TICKERS, 0.9))
    expect(rowsOfRole('delta')).toBe(0)
    expect(await compare()).toBeGreaterThan(0.7 * READS)
  }, 120_000)
})

describe('a read of one ticker', () => {
  const query = `/v2/datasets/${SLUG}?symbol=1102&limit=5`

  it('asks the engine for no more rows than it may answer', async () => {
    const asked = vi.spyOn(s.pool, 'read')
    const { statusCode } = await s.get(query, s.keyOn('max'))
    const [{ text, values }] = asked.mock.calls[0]!
    asked.mockRestore()
    expect([statusCode, text.includes(USED)]).toEqual([200, true])
    const [first, last] = values.slice(1, 3).map(Number)
    expect(last! - first!).toBe(5)
  })

  it('reads the whole part where the spans do not add up to its rows', async () => {
    const plan = planRead(s.dataset(SLUG), current(), { symbol: '1102' }, grant)
    const { base, delta } = current().spans
    const [from, to, rows] = base['1102']!
    const release: Release = { ...current(), spans: { base: { ...base, '1102': [from, to, rows - 1] }, delta } }
    expect((await answer(plan)).used).toBe(true)
    expect((await answer({ ...plan, release })).used).toBe(false)
  })
})
