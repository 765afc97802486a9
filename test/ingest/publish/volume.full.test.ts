import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { quote, trade, weekdays } from '../../fixtures/publish/rows.ts'
import { service, type TestService } from '../../support.ts'

const TRADES = 'institutional-positioning'
const QUOTES = 'daily-prices'
let s: TestService
beforeEach(async () => {
  s = await service({ examples: false })
})
afterEach(() => s.close())

async function read(symbol = '2330', target = s): Promise<readonly Row[]> {
  return (await target.get(`/v2/datasets/${TRADES}?symbol=${symbol}&limit=1000&sort_order=asc`, target.keyOn('pro'))).json().data
}
const column = async (name: string, symbol?: string) => (await read(symbol)).map(row => row[name])
const days = weekdays('2026-06-15', 8)

it('derived columns are equal whether trades or quotes are published first, day by day or together', async () => {
  const quotes = days.slice(0, 5).map((day, index) => [quote('2330', day, 100 * (index + 1)), quote('2454', day, 70)])
  const trades = days.slice(0, 5).map((day, index) => [trade('2330', day, 17 * index - 20), trade('2454', day, index - 3)])
  const orders = [
    [...quotes.map(rows => [QUOTES, rows] as const), ...trades.map(rows => [TRADES, rows] as const)],
    [[TRADES, trades.flat()] as const, ...quotes.toReversed().map(rows => [QUOTES, rows] as const)],
    trades.flatMap((rows, index) => [[TRADES, rows] as const, [QUOTES, quotes[index]!] as const]),
  ]
  const found: (readonly Row[])[] = []
  for (const order of orders) {
    const fresh = await service({ examples: false })
    for (const [slug, rows] of order) await fresh.publish(slug, rows)
    found.push(await read('2330,2454', fresh))
    await fresh.close()
  }
  expect(found[0]!.filter(row => row['foreign_pct'] === null)).toEqual([])
  expect(found[1]).toEqual(found[0])
  expect(found[2]).toEqual(found[0])
})

it('the next publication updates a derived dataset that was locked, even without new rows', async () => {
  await s.publish(TRADES, [trade('2330', days[0]!, 50)])
  const lock = join(s.workspace.releases, TRADES, '.publishing')
  writeFileSync(lock, String(process.ppid))
  await expect(s.publish(QUOTES, [quote('2330', days[0]!, 100)])).rejects.toThrow(`Process ${process.ppid} is publishing`)
  await s.releases.refresh()
  expect(await column('foreign_pct')).toEqual([null])
  rmSync(lock)
  const { status, followUps } = await s.publish(QUOTES, [quote('2330', days[0]!, 100)])
  expect([status, followUps[0]!.dataset]).toEqual(['unchanged', TRADES])
  expect(await column('foreign_pct')).toEqual([0.5])
})

const shares = [0.1, 0.3, 0.2, 0.4, 0.05, 0.3]
const publish = async (...indices: readonly number[]) => {
  await s.publish(
    QUOTES,
    indices.map(index => quote('2330', days[index]!, 1_000)),
  )
  await s.publish(
    TRADES,
    indices.map(index => trade('2330', days[index]!, shares[index]! * 1_000, { dealer_net_buy: index })),
  )
}

it('a later day never changes the percentiles of earlier days', async () => {
  await publish(0, 1, 2)
  const before = await column('foreign_pct_percentile')
  await publish(3)
  await publish(4)
  expect((await column('foreign_pct_percentile')).slice(0, 3)).toEqual(before)
})

it('percentiles skip days whose share is unknown', async () => {
  await publish(0, 1)
  await s.publish(TRADES, [trade('2330', days[2]!, 900)])
  await publish(3)
  expect(await column('foreign_pct_percentile')).toEqual([null, 1, null, 1])
})
