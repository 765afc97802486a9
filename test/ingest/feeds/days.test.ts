import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { body, EMPTY, ingest, outcomes, t86Body } from '../../fixtures/ingest/bodies.ts'
import { releaseIds, stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const TRADES = 'institutional-positioning'
let s: TestService
beforeEach(async () => {
  s = await service({ examples: false })
})
afterEach(() => s.close())

async function read(on = s, symbol = '2330,0050'): Promise<readonly Row[]> {
  const { data } = (await on.get(`/v2/datasets/${TRADES}?symbol=${symbol}&limit=1000`, on.keyOn('pro'))).json()
  return data ?? []
}
const nets = (seed: number) => ({ '2330': [seed, 2, -1], '0050': [-seed, 0, 5] }) as const
const WIDE =
  'date,market,stock_no,stock_name,foreign_net,foreign_dealer_net,foreign_total_net,investment_trust_net,dealer_total_net,overall_net'

describe('files of several days', () => {
  const DAYS = ['2026-06-24', '2026-06-25', '2026-06-26', '2026-06-29', '2026-06-30']

  it('ingesting T86 files in any order, compressed or not, in one run or several gives the same rows', async () => {
    const orders = [[[0, 1, 2, 3, 4]], [[4, 2, 0, 3, 1]], [[3], [1, 4], [2, 0]]]
    const found: (readonly Row[])[] = []
    for (const runs of orders) {
      const fresh = await service({ examples: false })
      const files = DAYS.map((day, index) => body(fresh, `t86-${day}.json${['', '.gz', '.zst'][index % 3]}`, t86Body(day, nets(index + 1))))
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
      found.push(await read(fresh))
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

  it('T86 files of five days become one release that names each file as a source', async () => {
    const files = DAYS.map((day, index) => body(s, `t86-${day}.json`, t86Body(day, nets(index + 1))))
    const { publications } = await ingest(s, 'twse-t86', files)
    expect(publications.map(({ dataset, outcome }) => [dataset, outcome.status, outcome.changes?.rows_added])).toEqual([
      [TRADES, 'published', 10],
    ])
    const { manifest } = stored(s.workspace.releases, TRADES)
    expect(manifest.sources.map(({ name, rows, read_as, url }) => [name, rows, read_as, url])).toEqual(
      DAYS.map(day => [`t86-${day}.json ${day}`, 2, 'twse-t86', 'https://www.twse.com.tw/zh/trading/foreign/t86.html']),
    )
    expect(releaseIds(s.workspace.releases, TRADES)).toHaveLength(1)
  })
})

describe('refused files', () => {
  it('a refused file is quarantined with a report in both languages while the others are published', async () => {
    const whole = t86Body('2026-06-26', nets(3))
    const files = [
      body(s, 'good.json', t86Body('2026-06-24', nets(1))),
      body(s, 'page.json', '<html><head><title>Security</title></head><body>因為安全性考量，您所執行的頁面無法呈現</body></html>'),
      body(s, 'stale.json', whole.replace('20260626', '20171218')),
      body(s, 'half.json', whole.slice(0, whole.length / 2)),
      body(s, 'cut.json.gz', whole),
      body(s, 'last.json', t86Body('2026-06-25', nets(2))),
    ]
    const packed = readFileSync(files[4]!)
    body(s, 'cut.json', packed.subarray(0, packed.length - 12))
    files[4] = join(s.dir, 'cut.json')
    const ingested = await ingest(s, 'twse-t86', files)
    expect(Object.fromEntries(outcomes(ingested).map(([file, , outcome, said]) => [file, `${outcome} ${said ?? ''}`.trim()]))).toEqual({
      'good.json': 'published',
      'page.json': 'refused not_the_publication',
      'stale.json': 'refused wrong_day',
      'half.json': 'refused damaged_body',
      'cut.json': 'refused damaged_body',
      'last.json': 'published',
    })
    expect((await read(s, '2330')).map(row => row['trade_date'])).toEqual(['2026-06-25', '2026-06-24'])
    for (const { file, message, said, quarantined } of ingested.results.filter(({ outcome }) => outcome === 'refused')) {
      expect(JSON.parse(readFileSync(join(quarantined!, 'report.json'), 'utf8'))).toMatchObject({
        refused_at: '2026-07-01T20:00:00.000+08:00',
        for: 'twse-t86',
        file: join(s.dir, file),
        faults: [{ rule: said, message, message_zh: expect.stringMatching(/請.*重新取得|請.*放慢/) }],
      })
      expect(readFileSync(join(quarantined!, basename(file)))).toEqual(readFileSync(join(s.dir, file)))
    }
  })

  it('a run with only a refused file publishes nothing and leaves the served rows unchanged', async () => {
    await ingest(s, 'twse-t86', [body(s, 'good.json', t86Body('2026-06-24', nets(1)))])
    const before = await read()
    const { publications, results } = await ingest(s, 'twse-t86', [
      body(s, 'bad.json', t86Body('2026-06-24', nets(2)).replace('20260624', '20260630')),
    ])
    expect([publications, results.map(({ outcome }) => outcome)]).toEqual([[], ['refused']])
    expect(await read()).toEqual(before)
  })
})

describe('legs that do not add up', () => {
  it('a day whose legs do not add up is refused alone out of a file of several days', async () => {
    const rows = [
      '2026-06-24,TWSE,2330,範例,100,0,100,-30,7,77',
      '2026-06-25,TWSE,2330,範例,100,0,100,-30,7,78',
      '2026-06-25,TWSE,0050,範例,1,0,1,0,0,1',
      '2026-06-26,TWSE,2330,範例,50,0,50,0,0,50',
    ]
    const ingested = await ingest(s, 'twse-t86', [body(s, 'wide.csv', [WIDE, ...rows, ''].join('\r\n'))])
    expect(outcomes(ingested)).toEqual([
      ['wide.csv', '2026-06-24', 'published', null],
      ['wide.csv', '2026-06-25', 'refused', 'legs_add_up'],
      ['wide.csv', '2026-06-26', 'published', null],
    ])
    expect((await read()).map(row => [row['ticker'], row['trade_date']])).toEqual([
      ['2330', '2026-06-26'],
      ['2330', '2026-06-24'],
    ])
    const report = JSON.parse(readFileSync(join(ingested.results[1]!.quarantined!, 'report.json'), 'utf8'))
    expect(report.faults).toMatchObject([{ rule: 'legs_add_up', count: 1, samples: [{ ticker: '2330', trade_date: '2026-06-25' }] }])
  })

  it('a file whose legs do not add up is refused alone among several files', async () => {
    const files = [
      body(s, '1.json', t86Body('2026-06-24', nets(1))),
      body(s, '2.json', t86Body('2026-06-25', { '2330': [1, 1, 1, 4] })),
      body(s, '3.json', t86Body('2026-06-26', nets(3))),
    ]
    const ingested = await ingest(s, 'twse-t86', files)
    expect(ingested.results.map(({ file, outcome, said }) => [file, outcome, said]).sort()).toEqual([
      ['1.json', 'published', null],
      ['2.json', 'refused', 'legs_add_up'],
      ['3.json', 'published', null],
    ])
  })
})

it('two different bodies of one day in one run are both refused, and another day is published', async () => {
  const files = [
    body(s, 'early.json', t86Body('2026-06-24', { '2330': [1, 0, 0] })),
    body(s, 'late.json', t86Body('2026-06-24', nets(9))),
    body(s, 'other.json', t86Body('2026-06-25', nets(2))),
  ]
  expect(outcomes(await ingest(s, 'twse-t86', files)).toSorted()).toEqual([
    ['early.json', '2026-06-24', 'refused', 'grain'],
    ['late.json', '2026-06-24', 'refused', 'grain'],
    ['other.json', '2026-06-25', 'published', null],
  ])
})

describe('repeated files', () => {
  it('a repeated file is unchanged within a run and in a later one, and makes no release', async () => {
    const file = body(s, 'a.json', t86Body('2026-06-24', nets(1)))
    const copy = body(s, 'copy.json', t86Body('2026-06-24', nets(1)))
    expect(outcomes(await ingest(s, 'twse-t86', [file, copy])).toSorted()).toEqual([
      ['a.json', '2026-06-24', 'published', null],
      ['copy.json', null, 'unchanged', 'the same file twice'],
    ])
    expect(outcomes(await ingest(s, 'twse-t86', [copy]))).toEqual([['copy.json', '2026-06-24', 'unchanged', null]])
    expect(releaseIds(s.workspace.releases, TRADES)).toHaveLength(1)
  })

  it('a later body of a day revises its rows, and an empty one is refused', async () => {
    await ingest(s, 'twse-t86', [body(s, 'early.json', t86Body('2026-06-24', { '2330': [1, 0, 0] }))])
    const { publications } = await ingest(s, 'twse-t86', [body(s, 'final.json', t86Body('2026-06-24', nets(9)))])
    expect(publications[0]!.outcome.changes).toMatchObject({ kind: 'revision', rows_added: 1, rows_changed: 1 })
    const before = await read()
    const emptied = await ingest(s, 'twse-t86', [body(s, 'empty.json', EMPTY)], { requestedDay: '2026-06-24' })
    expect(outcomes(emptied)).toEqual([['empty.json', null, 'refused', 'rows_held']])
    expect(await read()).toEqual(before)
  })
})
