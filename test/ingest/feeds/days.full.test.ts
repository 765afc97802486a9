import { expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { body, ingest, t86Body } from '../../fixtures/ingest/bodies.ts'
import { service } from '../../support.ts'

const DAYS = ['2026-06-24', '2026-06-25', '2026-06-26', '2026-06-29', '2026-06-30']

it('T86 files give the same rows in any order, compressed or not, and in one run or several', async () => {
  const orders = [[[0, 1, 2, 3, 4]], [[4, 2, 0, 3, 1]], [[3], [1, 4], [2, 0]]]
  const found: (readonly Row[])[] = []
  for (const runs of orders) {
    const fresh = await service({ examples: false, indexed: false })
    const files = DAYS.map((day, index) =>
      body(
        fresh,
        `t86-${day}.json${['', '.gz', '.zst'][index % 3]}`,
        t86Body(day, { '2330': [index + 1, 2, -1], '0050': [-index - 1, 0, 5] }),
      ),
    )
    for (const run of runs) {
      const ingested = await ingest(
        fresh,
        'twse-t86',
        run.map(index => files[index]!),
      )
      expect(ingested.results.map(({ outcome, rows, date }) => [outcome, rows, date])).toEqual(
        run.map(index => ['published', 2, DAYS[index]]),
      )
    }
    found.push((await fresh.get('/v2/datasets/institutional-positioning?symbol=2330,0050&limit=1000', fresh.keyOn('pro'))).json().data)
    await fresh.close()
  }
  expect(found[0]).toHaveLength(10)
  expect(found[0]!.slice(0, 2)).toMatchObject([
    { ticker: '0050', trade_date: '2026-06-30', foreign_net_buy: -5, dealer_net_buy: 5, institutional_net_buy_total: 0, buy_streak: 0 },
    { ticker: '2330', trade_date: '2026-06-30', foreign_net_buy: 5, institutional_net_buy_total: 6, buy_streak: 5 },
  ])
  expect(found[1]).toEqual(found[0])
  expect(found[2]).toEqual(found[0])
})

it('in a run of several files, only the file whose institutions do not add up to the total is refused', async () => {
  const s = await service({ examples: false, indexed: false })
  const files = [
    body(s, '1.json', t86Body('2026-06-01', { '2330': [1, 2, -1] })),
    body(s, '2.json', t86Body('2026-06-02', { '2330': [1, 1, 1, 4] })),
    body(s, '3.json', t86Body('2026-06-03', { '2330': [3, 2, -1] })),
  ]
  const ingested = await ingest(s, 'twse-t86', files)
  expect(ingested.results.map(({ file, outcome, said }) => [file, outcome, said]).sort()).toEqual([
    ['1.json', 'published', null],
    ['2.json', 'refused', 'legs_add_up'],
    ['3.json', 'published', null],
  ])
  await s.close()
})
