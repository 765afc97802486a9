import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { quote, trade, weekdays } from '../../fixtures/publish/rows.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const TRADES = 'institutional-positioning'
const QUOTES = 'daily-prices'
let s: TestService
beforeEach(async () => {
  s = await service({ examples: false })
})
afterEach(() => s.close())

async function read(symbol = '2330', on = s): Promise<readonly Row[]> {
  return (await on.get(`/v2/datasets/${TRADES}?symbol=${symbol}&limit=1000&sort_order=asc`, on.keyOn('pro'))).json().data
}
const column = async (name: string, symbol?: string) => (await read(symbol)).map(row => row[name])
const days = weekdays('2026-06-15', 8)

describe('a share of volume', () => {
  it('is net shares over the shares traded: the foreign leg’s, and the three legs’ together', async () => {
    await s.publish(QUOTES, [quote('2330', days[0]!, 800)])
    await s.publish(TRADES, [trade('2330', days[0]!, -200, { investment_trust_net_buy: 500, dealer_net_buy: 100 })])
    expect(await read()).toMatchObject([{ foreign_pct: -0.25, inst_share_of_volume: 0.5 }])
  })

  it('is absent where the volume is unknown or zero', async () => {
    await s.publish(QUOTES, [quote('2330', days[0]!, 0), quote('2454', days[1]!, 100)])
    await s.publish(TRADES, [trade('2330', days[0]!, 5), trade('2330', days[1]!, 6)])
    expect(await column('foreign_pct')).toEqual([null, null])
    expect(await column('inst_share_of_volume')).toEqual([null, null])
    expect(await column('foreign_pct_percentile')).toEqual([null, null])
  })

  it('takes the volume of the security’s own market', async () => {
    await s.publish(QUOTES, [quote('6488', days[0]!, 100, { market: 'TPEX' })])
    await s.publish(TRADES, [trade('6488', days[0]!, 50)])
    expect(await column('foreign_pct', '6488')).toEqual([null])
  })

  it('follows a corrected volume, and so does nothing else', async () => {
    await s.publish(QUOTES, [quote('2330', days[0]!, 100), quote('2454', days[0]!, 100)])
    await s.publish(TRADES, [trade('2330', days[0]!, 50), trade('2454', days[0]!, 50)])
    await s.publish(QUOTES, [quote('2330', days[0]!, 200), quote('2454', days[0]!, 100)])
    expect([await column('foreign_pct'), await column('foreign_pct', '2454')]).toEqual([[0.25], [0.5]])
    expect(stored(s.workspace.releases, TRADES).manifest.changes).toMatchObject({ kind: 'revision', rows_changed: 1 })
  })
})

describe('rows derived from two datasets', () => {
  it('are the same whichever of the two was published first, day by day or at once', async () => {
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
})

describe('a publication whose derived dataset could not be updated', () => {
  it('because that was being published is completed by the next one, even one without new rows', async () => {
    await s.publish(TRADES, [trade('2330', days[0]!, 50)])
    const lock = join(s.workspace.releases, TRADES, '.publishing')
    writeFileSync(lock, String(process.ppid))
    await expect(s.publish(QUOTES, [quote('2330', days[0]!, 100)])).rejects.toThrow(`Process ${process.ppid} is publishing`)
    await s.releases.refresh()
    expect(await column('foreign_pct')).toEqual([null])
    rmSync(lock)
    expect(await s.publish(QUOTES, [quote('2330', days[0]!, 100)])).toMatchObject({ status: 'unchanged', followUps: [{ dataset: TRADES }] })
    expect(await column('foreign_pct')).toEqual([0.5])
  })
})

describe('the percentile of the foreign share', () => {
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

  it('ranks each day within the history up to it, 0 lowest and 1 highest', async () => {
    await publish(0, 1, 2, 3, 4, 5)
    const expected = shares.map((share, index) => {
      const known = shares.slice(0, index + 1)
      return index === 0 ? null : known.filter(other => other < share).length / (known.length - 1)
    })
    expect(await column('foreign_pct_percentile')).toEqual(expected)
    expect(expected).toEqual([null, 1, 0.5, 1, 0, 0.6])
  })

  it('is never changed by a later day', async () => {
    await publish(0, 1, 2)
    const before = await column('foreign_pct_percentile')
    await publish(3)
    await publish(4)
    expect((await column('foreign_pct_percentile')).slice(0, 3)).toEqual(before)
  })

  it('passes over days whose share is unknown', async () => {
    await publish(0, 1)
    await s.publish(TRADES, [trade('2330', days[2]!, 900)])
    await publish(3)
    expect(await column('foreign_pct_percentile')).toEqual([null, 1, null, 1])
  })
})
