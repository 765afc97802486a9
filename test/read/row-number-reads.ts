import { expect } from 'vitest'
import type { Row } from '../../catalog/index.ts'
import { planRead, type ReadLimits, type ReadParams, type ReadPlan } from '../../src/read/index.ts'
import { selectRows } from '../../src/read/select-rows.ts'
import type { Release } from '../../src/releases/index.ts'
import { trade, weekdays } from '../fixtures/publish/rows.ts'
import { service } from '../support.ts'
import { dice, picker } from './dice.ts'

export const SLUG = 'institutional-positioning'
/** Column of the engine that a statement contains if it uses row numbers. */
export const ROW_NUMBER = 'file_row_number'
/** Trading days until 29 May, and those of June. */
export const [PAST, JUNE] = [weekdays('2026-02-02', 85), weekdays('2026-06-01', 22)]

const DAYS = [...PAST, ...JUNE]
const limits: ReadLimits = { plan: 'max', rowLimit: 100_000, queueKey: 'acct' }

/**
 * A service that finds the rows of a ticker by row number, and a function that compares random
 * reads with a scan of the parts.
 *
 * @param tickers number of tickers
 * @param reads number of reads per comparison
 */
export async function rowNumberReads({ tickers, reads }: { readonly tickers: number; readonly reads: number }) {
  const chance = dice(11)
  const pick = picker(chance)
  const names = [...Array.from({ length: tickers }, (_, index) => String(1_101 + index)), '00632R', '2881A', '911608']
  const s = await service({ examples: false, inMemory: false, indexed: false })
  const session = await s.engine.connect()

  /**
   * Publishes trades of these days. With a share below 1, random rows are missing. Some tickers are
   * first listed in June.
   */
  async function publish(days: readonly string[], share: number): Promise<void> {
    const rows = days.flatMap(day =>
      names
        .filter(ticker => chance() < share && (day >= JUNE[0]! || !ticker.endsWith('7')))
        .map((ticker): Row => trade(ticker, day, Math.round((chance() - 0.5) * 9e6), { dealer_net_buy: Math.round(chance() * 300) })),
    )
    expect((await s.publish(SLUG, rows, { accept: ['row_count_drift'] })).faults).toEqual([])
  }
  const current = (): Release => s.releases.current(s.dataset(SLUG))
  const plan = (params: ReadParams): ReadPlan => planRead(s.dataset(SLUG), current(), params, limits)

  function randomPlan(): ReadPlan {
    const params: Record<string, string> = {}
    params['symbol'] = Array.from({ length: chance() < 0.7 ? 1 : 1 + Math.floor(chance() ** 3 * 50) }, () => pick(names)).join(',')
    const [from, last] = [pick(DAYS), pick(DAYS)].sort()
    if (chance() < 0.3) params['start_date'] = from!
    if (chance() < 0.3) params['end_date'] = last!
    if (chance() < 0.5) params['limit'] = String(1 + Math.floor(chance() ** 2 * 400))
    if (chance() < 0.3) params['offset'] = String(Math.floor(chance() ** 2 * 200))
    if (chance() < 0.4) params['sort_order'] = pick(['asc', 'desc'])
    if (chance() < 0.2) params['sort_by'] = pick(s.dataset(SLUG).sortable)
    return plan(params)
  }

  /** The rows of a read plan, and whether its statement uses row numbers. */
  async function answer(plan: ReadPlan) {
    const { text, values } = selectRows(plan, plan.columns)
    return { rows: await session.rows(text, values), used: text.includes(ROW_NUMBER) }
  }

  /** The same read plan for a release without spans, so that its statement scans the parts. */
  const plain = (plan: ReadPlan): ReadPlan => ({ ...plan, release: { ...plan.release!, spans: { base: {}, delta: {} } } })

  await publish(PAST, 0.9)
  return {
    s,
    plan,
    answer,
    current,
    publish,
    rowsOfRole: (role: string): number =>
      current()
        .manifest.parts.filter(part => part.role === role)
        .reduce((sum, { rows }) => sum + rows, 0),
    /**
     * Compares random reads with a scan of the parts, and checks that most of them used row
     * numbers.
     */
    async compare(): Promise<void> {
      let count = 0
      for (let read = 0; read < reads; read++) {
        const plan = randomPlan()
        if (plan.parts().length === 0) continue
        const [found, wanted] = [await answer(plan), await answer(plain(plan))]
        expect(wanted.used).toBe(false)
        expect([plan.sent, found.rows]).toEqual([plan.sent, wanted.rows])
        if (found.used) count++
      }
      expect(count).toBeGreaterThan(0.7 * reads)
    },
    async close() {
      session.close()
      await s.close()
    },
  }
}
