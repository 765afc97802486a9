import { expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { body, ingest, quotesBody, t86Body } from '../../fixtures/ingest/bodies.ts'
import { service, type TestService } from '../../support.ts'

const TRADES = 'institutional-positioning'
async function read(target: TestService): Promise<readonly Row[]> {
  return (await target.get(`/v2/datasets/${TRADES}?symbol=2330,0050&sort_order=asc`, target.keyOn('pro'))).json().data
}
const t86 = (target: TestService, day: string, seed: number) =>
  body(target, `t86-${day}.json`, t86Body(day, { '2330': [seed, 0, 0], '0050': [0, seed, 1] }))
const quotes = (target: TestService, day: string, volume: number, index?: number) =>
  body(target, `quotes-${day}.json`, quotesBody(day, { '2330': volume, '0050': 0 }, index))

it('closing quotes give institutional trades their share of volume, whichever of the two is published first', async () => {
  const [monday, tuesday] = ['2026-06-29', '2026-06-30']
  const found: (readonly Row[])[] = []
  for (const order of ['quotes first', 'trades first', 'in turn', 'newest first']) {
    const fresh = await service({ examples: false, indexed: false })
    const steps: Record<string, () => Promise<unknown>> = {
      m: () => ingest(fresh, 'twse-t86', [t86(fresh, monday, 250)]),
      t: () => ingest(fresh, 'twse-t86', [t86(fresh, tuesday, 100)]),
      M: () => ingest(fresh, 'twse-quotes', [quotes(fresh, monday, 1_000)]),
      T: () => ingest(fresh, 'twse-quotes', [quotes(fresh, tuesday, 800)]),
    }
    for (const step of { 'quotes first': 'MTmt', 'trades first': 'mtMT', 'in turn': 'mMtT', 'newest first': 'tTmM' }[order]!)
      await steps[step]!()
    found.push(await read(fresh))
    await fresh.close()
  }
  const shares = found[0]!.map(row => [
    row['ticker'],
    row['trade_date'],
    row['foreign_pct'],
    row['foreign_pct_percentile'],
    row['buy_streak'],
  ])
  expect(shares.sort()).toEqual([
    ['0050', monday, null, null, 1],
    ['0050', tuesday, null, null, 2],
    ['2330', monday, 0.25, null, 1],
    ['2330', tuesday, 0.125, 0, 2],
  ])
  for (const other of found.slice(1)) expect(other).toEqual(found[0])
})
