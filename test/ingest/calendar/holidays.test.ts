import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { body, EMPTY, ingest, outcomes } from '../../fixtures/ingest/bodies.ts'
import { sha256 } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'
import { EMPTY_QUARTER, emptinessOn } from './emptiness.ts'

const SORRY = '很抱歉，沒有符合條件的資料!'
let s: TestService
let e: ReturnType<typeof emptinessOn>
const open = async (): Promise<void> => {
  s = await service({ examples: false, indexed: false })
  e = emptinessOn(s)
}

describe('empty bodies without rows on other days', () => {
  beforeAll(open)
  afterAll(() => s.close())

  it('an empty body for a weekend or a fixed holiday is recorded as empty', async () => {
    for (const day of ['2026-06-27', '2026-05-01'])
      expect(outcomes(await e.empty(day))).toEqual([[`empty-${day}.json`, day, 'empty', SORRY]])
  })

  it('an empty body is refused if its day is not the requested day', async () => {
    const content = JSON.stringify({ stat: 'OK', date: '20171218', data: [], tables: [] })
    expect((await e.empty('2026-06-27', 'twse-t86', content)).results).toMatchObject([{ outcome: 'refused', said: 'wrong_day' }])
  })

  it('if a list always has entries, its feed refuses an empty list in every form', async () => {
    const margin = JSON.stringify({
      date: '20230101',
      tables: [{ title: '上櫃股票融資融券餘額', date: '112/01/01', data: [] }],
      stat: 'ok',
    })
    for (const feed of ['broker-branches', 'securities-firms', 'isin', 'indices', 'mops-eps'])
      for (const content of [margin, '[]', '{}', EMPTY, '<html><h3><font>查無所需資料</font></h3></html>']) {
        const [result] = (await ingest(s, feed, [body(s, 'none.json', content)])).results
        expect.soft(result, `${feed}: ${content}`).toMatchObject({
          outcome: 'refused',
          said: 'empty_list',
          message: expect.stringContaining(`${feed} always has entries`),
        })
      }
  })

  it('a list that has only a heading is refused', async () => {
    const headings = { 'broker-branches': '證券商代號,證券商名稱,開業日,地址\n', isin: 'code,name,industry,market\n' }
    for (const [feed, content] of Object.entries(headings))
      expect.soft((await e.empty('2026-06-30', feed, content)).results, feed).toMatchObject([{ outcome: 'refused', said: 'empty_list' }])
  })

  it('an empty list is recorded when its source states that nothing was found', async () => {
    const bodies = {
      isin: '<SCRIPT>window.location.replace("class_nofind.html")</SCRIPT>',
      'mops-eps': EMPTY_QUARTER,
      'mops-revenue': '<html><body><center><H3>資料庫中查無需求資料。<H3></center></body></html>',
    }
    for (const [feed, content] of Object.entries(bodies))
      expect.soft((await e.empty('2026-06-30', feed, content)).results, feed).toMatchObject([{ outcome: 'empty', date: '2026-06-30' }])
  })
})

describe('empty bodies with rows on other days', () => {
  beforeEach(open)
  afterEach(() => s.close())

  it('an empty body for an open weekday is refused as too early and marks no day as closed', async () => {
    const early = await e.empty('2026-06-30')
    expect(outcomes(early)).toEqual(
      [['empty-2026-06-30.json', '2026-06-30', 'refused', 'asked_too_early']].map(([file, , ...rest]) => [file, null, ...rest]),
    )
    const [result] = early.results
    expect(result!.message).toContain('2026-06-30')
    expect(JSON.parse(readFileSync(join(result!.quarantined!, 'report.json'), 'utf8')).faults).toMatchObject([
      { rule: 'asked_too_early', samples: [{ date: '2026-06-30' }] },
    ])
    await ingest(s, 'twse-t86', [e.trades('2026-06-29', 1), e.trades('2026-07-01', 2)])
    expect(await e.streaks()).toEqual([1, 1])
  })

  it('if the calendar lists a day as open, an empty body for that day is refused, because it is a trading day', async () => {
    await s.publish('trading-calendar', [{ market: 'TWSE', date: '2026-06-30', is_open: true, reason: null }])
    const [result] = (await e.empty('2026-06-30')).results
    expect(result).toMatchObject({ outcome: 'refused', said: 'asked_too_early' })
    expect(result!.message).toMatch(/^2026-06-30 is a trading day, but .* Fetch it again later/)
    expect(result!.message_zh).toContain('2026-06-30 為交易日')
    const [unknown] = (await e.empty('2026-06-29')).results
    expect(unknown!.message).toMatch(/^2026-06-29 is a weekday that the calendar does not mark as closed/)
  })

  it('an empty body for a closed day is recorded, and streaks continue across it', async () => {
    await s.publish('trading-calendar', [{ market: 'TWSE', date: '2026-06-30', is_open: false, reason: '颱風' }])
    expect(outcomes(await e.empty('2026-06-30'))).toEqual([['empty-2026-06-30.json', '2026-06-30', 'empty', SORRY]])
    await ingest(s, 'twse-t86', [e.trades('2026-06-29', 1), e.trades('2026-07-01', 2)])
    expect(await e.streaks()).toEqual([1, 2])
  })

  it('an empty body for a day with rows is refused, and the served rows do not change', async () => {
    await ingest(s, 'twse-t86', [e.trades('2026-06-26', 1), e.trades('2026-06-27', 2)])
    for (const day of ['2026-06-26', '2026-06-27']) {
      const [result] = (await e.empty(day)).results
      expect(result).toMatchObject({ outcome: 'refused', said: 'rows_held' })
      expect(result!.message).toContain(`${day} already has rows`)
    }
    expect(await e.streaks()).toEqual([1, 2])
  })

  it("the feed's journal has one line per body or day with its outcome", async () => {
    const [good, bad] = [e.trades('2026-06-29', 1), body(s, 'bad.json', '{"stat":"OK"')]
    await ingest(s, 'twse-t86', [good, bad, good])
    await e.empty('2026-06-27')
    const takenAt = '2026-07-01T20:00:00.000+08:00'
    const entryOf = (file: string, rest: object) => ({ at: takenAt, feed: 'twse-t86', file, date: null, rows: 0, said: null, ...rest })
    const [goodSha, badSha] = [good, bad].map(file => sha256(readFileSync(file)))
    expect(e.journal('twse-t86').toSorted((a, b) => String(a['outcome']).localeCompare(String(b['outcome'])))).toEqual([
      entryOf('empty-2026-06-27.json', { outcome: 'empty', date: '2026-06-27', said: SORRY, sha256: sha256(EMPTY) }),
      entryOf('2026-06-29.json', { outcome: 'published', date: '2026-06-29', rows: 2, sha256: goodSha }),
      entryOf('bad.json', { outcome: 'refused', said: 'damaged_body', sha256: badSha }),
      entryOf('2026-06-29.json', { outcome: 'unchanged', said: 'the same file twice', sha256: goodSha }),
    ])
  })
})
