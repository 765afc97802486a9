import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { body, EMPTY, ingest, outcomes, t86Body } from '../../fixtures/ingest/bodies.ts'
import { releaseIds, stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const TRADES = 'institutional-positioning'
let s: TestService
beforeAll(async () => {
  s = await service({ examples: false, indexed: false })
})
afterAll(() => s.close())

// Each test uses different days.
async function read(start: string, end: string, symbol = '2330,0050'): Promise<readonly Row[]> {
  const range = `start_date=${start}&end_date=${end}&limit=1000`
  return (await s.get(`/v2/datasets/${TRADES}?symbol=${symbol}&${range}`, s.keyOn('pro'))).json().data ?? []
}
const releases = (): number => (existsSync(join(s.workspace.releases, TRADES)) ? releaseIds(s.workspace.releases, TRADES).length : 0)
const nets = (seed: number) => ({ '2330': [seed, 2, -1], '0050': [-seed, 0, 5] }) as const
const WIDE =
  'date,market,stock_no,stock_name,foreign_net,foreign_dealer_net,foreign_total_net,investment_trust_net,dealer_total_net,overall_net'

describe('files of several days', () => {
  const DAYS = ['2026-06-24', '2026-06-25', '2026-06-26', '2026-06-29', '2026-06-30']

  it('T86 files of five days become one release that names each file as a source', async () => {
    const before = releases()
    const files = DAYS.map((day, index) => body(s, `t86-${day}.json`, t86Body(day, nets(index + 1))))
    const { publications } = await ingest(s, 'twse-t86', files)
    expect(publications.map(({ dataset, outcome }) => [dataset, outcome.status, outcome.changes?.rows_added])).toEqual([
      [TRADES, 'published', 10],
    ])
    const { manifest } = stored(s.workspace.releases, TRADES)
    expect(manifest.sources.slice(-5).map(({ name, rows, read_as, url }) => [name, rows, read_as, url])).toEqual(
      DAYS.map(day => [`t86-${day}.json ${day}`, 2, 'twse-t86', 'https://www.twse.com.tw/zh/trading/foreign/t86.html']),
    )
    expect(releases()).toBe(before + 1)
  })
})

describe('refused files', () => {
  it('a refused file is quarantined with a report in both languages while the others are published', async () => {
    const whole = t86Body('2026-05-20', nets(13))
    const files = [
      body(s, 'good.json', t86Body('2026-05-18', nets(11))),
      body(s, 'page.json', '<html><head><title>Security</title></head><body>因為安全性考量，您所執行的頁面無法呈現</body></html>'),
      body(s, 'stale.json', whole.replace('20260520', '20171218')),
      body(s, 'half.json', whole.slice(0, whole.length / 2)),
      body(s, 'cut.json.gz', whole),
      body(s, 'last.json', t86Body('2026-05-19', nets(12))),
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
    expect((await read('2026-05-18', '2026-05-20', '2330')).map(row => row['trade_date'])).toEqual(['2026-05-19', '2026-05-18'])
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
    await ingest(s, 'twse-t86', [body(s, 'good.json', t86Body('2026-05-21', nets(21)))])
    const before = await read('2026-05-21', '2026-05-22')
    const { publications, results } = await ingest(s, 'twse-t86', [
      body(s, 'bad.json', t86Body('2026-05-21', nets(22)).replace('20260521', '20260522')),
    ])
    expect([publications, results.map(({ outcome }) => outcome)]).toEqual([[], ['refused']])
    expect(await read('2026-05-21', '2026-05-22')).toEqual(before)
  })
})

describe('institutions that do not add up to the total', () => {
  it('in a file of several days, only the day whose institutions do not add up to the total is refused', async () => {
    const rows = [
      '2026-05-25,TWSE,2330,範例,100,0,100,-30,7,77',
      '2026-05-25,TWSE,0050,範例,2,0,2,0,0,2',
      '2026-05-26,TWSE,2330,範例,100,0,100,-30,7,78',
      '2026-05-26,TWSE,0050,範例,1,0,1,0,0,1',
      '2026-05-27,TWSE,2330,範例,50,0,50,0,0,50',
      '2026-05-27,TWSE,0050,範例,3,0,3,0,0,3',
    ]
    const ingested = await ingest(s, 'twse-t86', [body(s, 'wide.csv', [WIDE, ...rows, ''].join('\r\n'))])
    expect(outcomes(ingested)).toEqual([
      ['wide.csv', '2026-05-25', 'published', null],
      ['wide.csv', '2026-05-26', 'refused', 'legs_add_up'],
      ['wide.csv', '2026-05-27', 'published', null],
    ])
    expect((await read('2026-05-25', '2026-05-27', '2330')).map(row => [row['ticker'], row['trade_date']])).toEqual([
      ['2330', '2026-05-27'],
      ['2330', '2026-05-25'],
    ])
    const report = JSON.parse(readFileSync(join(ingested.results[1]!.quarantined!, 'report.json'), 'utf8'))
    expect(report.faults).toMatchObject([{ rule: 'legs_add_up', count: 1, samples: [{ ticker: '2330', trade_date: '2026-05-26' }] }])
  })
})

it('if a run has two different bodies of one day, both are refused, and the body of another day is published', async () => {
  const files = [
    body(s, 'early.json', t86Body('2026-06-04', { '2330': [1, 0, 0] })),
    body(s, 'late.json', t86Body('2026-06-04', nets(49))),
    body(s, 'other.json', t86Body('2026-06-05', nets(42))),
  ]
  expect(outcomes(await ingest(s, 'twse-t86', files)).toSorted()).toEqual([
    ['early.json', '2026-06-04', 'refused', 'grain'],
    ['late.json', '2026-06-04', 'refused', 'grain'],
    ['other.json', '2026-06-05', 'published', null],
  ])
})

describe('repeated files', () => {
  it('a repeated file is reported as unchanged within a run and in a later run, and makes no release', async () => {
    const before = releases()
    const file = body(s, 'a.json', t86Body('2026-06-08', nets(51)))
    const copy = body(s, 'copy.json', t86Body('2026-06-08', nets(51)))
    expect(outcomes(await ingest(s, 'twse-t86', [file, copy])).toSorted()).toEqual([
      ['a.json', '2026-06-08', 'published', null],
      ['copy.json', null, 'unchanged', 'the same file twice'],
    ])
    expect(outcomes(await ingest(s, 'twse-t86', [copy]))).toEqual([['copy.json', '2026-06-08', 'unchanged', null]])
    expect(releases()).toBe(before + 1)
  })

  it('a second file of a day revises its rows; a second file that is empty is refused', async () => {
    await ingest(s, 'twse-t86', [body(s, 'early.json', t86Body('2026-06-09', { '2330': [1, 0, 0], '0050': [1, 0, 0] }))])
    const { publications } = await ingest(s, 'twse-t86', [body(s, 'final.json', t86Body('2026-06-09', nets(59)))])
    expect(publications[0]!.outcome.changes).toMatchObject({ kind: 'revision', rows_added: 0, rows_changed: 2 })
    const before = await read('2026-06-09', '2026-06-09')
    const emptied = await ingest(s, 'twse-t86', [body(s, 'empty.json', EMPTY)], { requestedDay: '2026-06-09' })
    expect(outcomes(emptied)).toEqual([['empty.json', null, 'refused', 'rows_held']])
    expect(await read('2026-06-09', '2026-06-09')).toEqual(before)
  })
})
