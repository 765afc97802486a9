import { appendFileSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { body, EMPTY, ingest, outcomes, t86Body } from '../../fixtures/ingest/bodies.ts'
import { trade } from '../../fixtures/publish/rows.ts'
import { sha256, stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const TRADES = 'institutional-positioning'
const SORRY = '很抱歉，沒有符合條件的資料!'
let s: TestService
beforeEach(async () => {
  s = await service({ examples: false })
})
afterEach(() => s.close())

const trades = (day: string, seed: number) => body(s, `${day}.json`, t86Body(day, { '2330': [seed, 0, 0], '1101': [-seed, 0, 0] }))
const empty = (requestedDay: string, feed = 'twse-t86', content: string = EMPTY) =>
  ingest(s, feed, [body(s, `empty-${requestedDay}.json`, content)], { requestedDay })
const closed = (date: string) => s.publish('trading-calendar', [{ market: 'TWSE', date, is_open: false, reason: '颱風' }])
async function streaks(): Promise<readonly number[]> {
  const { data } = (await s.get(`/v2/datasets/${TRADES}?symbol=2330&sort_order=asc`, s.keyOn('pro'))).json()
  return data.map((row: Record<string, number>) => row['buy_streak'])
}
const journal = (feed: string): readonly Record<string, unknown>[] =>
  readFileSync(join(s.workspace.captures, `${feed}.ndjson`), 'utf8')
    .trimEnd()
    .split('\n')
    .map(line => {
      const { sum: _, ...capture } = JSON.parse(line) as Record<string, unknown>
      return capture
    })

describe('empty bodies', () => {
  it.each([
    ['a weekend', '2026-06-27'],
    ['a fixed holiday', '2026-05-01'],
  ])('an empty body for %s is recorded as empty', async (_, day) => {
    expect(outcomes(await empty(day))).toEqual([[`empty-${day}.json`, day, 'empty', SORRY]])
  })

  it('an empty body for an open weekday is refused as too early and closes nothing', async () => {
    const early = await empty('2026-06-30')
    expect(outcomes(early)).toEqual(
      [['empty-2026-06-30.json', '2026-06-30', 'refused', 'asked_too_early']].map(([file, , ...rest]) => [file, null, ...rest]),
    )
    const [result] = early.results
    expect(result!.message).toContain('2026-06-30')
    expect(JSON.parse(readFileSync(join(result!.quarantined!, 'report.json'), 'utf8')).faults).toMatchObject([
      { rule: 'asked_too_early', samples: [{ date: '2026-06-30' }] },
    ])
    await ingest(s, 'twse-t86', [trades('2026-06-29', 1), trades('2026-07-01', 2)])
    expect(await streaks()).toEqual([1, 1])
  })

  it('an empty body for a Saturday that the calendar opens is refused as too early', async () => {
    await s.publish('trading-calendar', [{ market: 'TWSE', date: '2026-06-27', is_open: true, reason: '補行交易' }])
    expect((await empty('2026-06-27')).results).toMatchObject([{ outcome: 'refused', said: 'asked_too_early' }])
  })

  it('an empty body for a closed day is recorded, and streaks continue across it', async () => {
    await closed('2026-06-30')
    expect(outcomes(await empty('2026-06-30'))).toEqual([['empty-2026-06-30.json', '2026-06-30', 'empty', SORRY]])
    await ingest(s, 'twse-t86', [trades('2026-06-29', 1), trades('2026-07-01', 2)])
    expect(await streaks()).toEqual([1, 2])
  })

  it('an empty body does not hold up other files of the run', async () => {
    const files = [
      trades('2026-06-26', 1),
      body(s, 'empty.json', JSON.stringify({ stat: 'OK', date: '20260627', data: [], tables: [] })),
      trades('2026-06-29', 2),
    ]
    expect(outcomes(await ingest(s, 'twse-t86', files)).toSorted()).toEqual([
      ['2026-06-26.json', '2026-06-26', 'published', null],
      ['2026-06-29.json', '2026-06-29', 'published', null],
      ['empty.json', '2026-06-27', 'empty', 'stat OK without rows'],
    ])
    expect(await streaks()).toEqual([1, 2])
  })

  it('an empty body of another day than requested is refused', async () => {
    const content = JSON.stringify({ stat: 'OK', date: '20171218', data: [], tables: [] })
    expect((await empty('2026-06-27', 'twse-t86', content)).results).toMatchObject([{ outcome: 'refused', said: 'wrong_day' }])
  })

  it('an empty quarter closes no day: a missing day still ends a streak', async () => {
    const page = '<html><body><h4><font>查詢無資料!</font></h4></body></html>'
    expect((await empty('2026-06-30', 'mops-eps', page)).results).toMatchObject([{ outcome: 'empty', date: '2026-06-30' }])
    await ingest(s, 'twse-t86', [trades('2026-06-29', 1), trades('2026-07-01', 2)])
    expect(await streaks()).toEqual([1, 1])
  })

  it('an empty body for a day with rows is refused, and the rows stay', async () => {
    await ingest(s, 'twse-t86', [trades('2026-06-26', 1), trades('2026-06-27', 2)])
    for (const day of ['2026-06-26', '2026-06-27']) {
      const [result] = (await empty(day)).results
      expect(result).toMatchObject({ outcome: 'refused', said: 'rows_held' })
      expect(result!.message).toContain(`${day} has rows already`)
    }
    expect(await streaks()).toEqual([1, 2])
  })

  it('an empty body ignores rows of the other market and samples', async () => {
    await s.publish(TRADES, [trade('2330', '2026-06-27', 1)], { synthetic: true })
    expect((await empty('2026-06-27')).results).toMatchObject([{ outcome: 'empty' }])
    await s.publish(TRADES, [trade('6488', '2026-06-27', 1, { market: 'TPEX' })])
    expect((await empty('2026-06-27')).results).toMatchObject([{ outcome: 'empty' }])
    expect((await empty('2026-06-27', 'tpex-institutional')).results).toMatchObject([{ outcome: 'refused', said: 'rows_held' }])
  })
})

describe('empty lists', () => {
  const margin = JSON.stringify({ date: '20230101', tables: [{ title: '上櫃股票融資融券餘額', date: '112/01/01', data: [] }], stat: 'ok' })
  const season = '<html><body><h4><font>查詢無資料!</font></h4></body></html>'
  const NOT_FOUND = '<SCRIPT>window.location.replace("class_nofind.html")</SCRIPT>'

  it.each(['broker-branches', 'securities-firms', 'isin', 'indices', 'mops-eps'])(
    'an empty list of %s is refused in every form',
    async feed => {
      for (const content of [margin, '[]', '{}', EMPTY, '<html><h3><font>查無所需資料</font></h3></html>']) {
        const [result] = (await ingest(s, feed, [body(s, 'none.json', content)])).results
        expect(result).toMatchObject({ outcome: 'refused', said: 'empty_list' })
        expect(result!.message).toContain(`${feed} is a list that always has entries`)
      }
    },
  )

  it.each([
    ['broker-branches', '證券商代號,證券商名稱,開業日,地址\n'],
    ['isin', 'code,name,industry,market\n'],
  ])('a list of %s with a heading only is refused', async (feed, content) => {
    expect((await empty('2026-06-30', feed, content)).results).toMatchObject([{ outcome: 'refused', said: 'empty_list' }])
  })

  it.each([
    ['isin', NOT_FOUND],
    ['mops-eps', season],
  ])('an empty list of %s is recorded when its source states that nothing was found', async (feed, content) => {
    expect((await empty('2026-06-30', feed, content)).results).toMatchObject([{ outcome: 'empty', date: '2026-06-30' }])
  })

  it('an empty list for a quarter with rows is refused, and the rows stay', async () => {
    await s.publish('income-statements', s.dataset('income-statements').example)
    expect((await empty('2026-03-31', 'mops-eps', season)).results).toMatchObject([{ outcome: 'refused', said: 'rows_held' }])
    expect(stored(s.workspace.releases, 'income-statements').manifest.statistics.rows).toBe(2)
    expect((await empty('2026-06-30', 'mops-eps', season)).results).toMatchObject([{ outcome: 'empty' }])
  })
})

describe('feed journal', () => {
  it("the feed's journal has one line per body or day with its outcome", async () => {
    const [good, bad] = [trades('2026-06-29', 1), body(s, 'bad.json', '{"stat":"OK"')]
    await ingest(s, 'twse-t86', [good, bad, good])
    await empty('2026-06-27')
    const at = '2026-07-01T20:00:00.000+08:00'
    const line = (file: string, rest: object) => ({ at, feed: 'twse-t86', file, date: null, rows: 0, said: null, ...rest })
    const [goodSha, badSha] = [good, bad].map(file => sha256(readFileSync(file)))
    expect(journal('twse-t86').toSorted((a, b) => String(a['outcome']).localeCompare(String(b['outcome'])))).toEqual([
      line('empty-2026-06-27.json', { outcome: 'empty', date: '2026-06-27', said: SORRY, sha256: sha256(EMPTY) }),
      line('2026-06-29.json', { outcome: 'published', date: '2026-06-29', rows: 2, sha256: goodSha }),
      line('bad.json', { outcome: 'refused', said: 'damaged_body', sha256: badSha }),
      line('2026-06-29.json', { outcome: 'unchanged', said: 'the same file twice', sha256: goodSha }),
    ])
  })

  it("the feed's journal is append-only and survives a truncated line", async () => {
    await empty('2026-06-27')
    const before = readFileSync(join(s.workspace.captures, 'twse-t86.ndjson'), 'utf8')
    appendFileSync(join(s.workspace.captures, 'twse-t86.ndjson'), '{"at":"2026-07-01T20:00')
    await ingest(s, 'twse-t86', [trades('2026-06-29', 1)])
    const after = readFileSync(join(s.workspace.captures, 'twse-t86.ndjson'), 'utf8')
    expect(after.startsWith(before)).toBe(true)
    expect(JSON.parse(after.trimEnd().split('\n').at(-1)!)).toMatchObject({ outcome: 'published', date: '2026-06-29' })
    expect(await ingest(s, 'twse-t86', [trades('2026-06-30', 2)])).toMatchObject({ results: [{ outcome: 'published' }] })
    expect(await streaks()).toEqual([1, 2])
  })
})
