import { expect, it } from 'vitest'
import type { Feed } from '../../../ingest/formats/index.ts'
import { Refusal } from '../../../src/core/index.ts'
import { bodyOf, t86, tpexInstitutional } from '../../fixtures/feeds/bodies.ts'
import { feeds } from '../../fixtures/ingest/bodies.ts'

const all = [...feeds.values()]
const HTML_FEEDS = ['isin', 'mops-cash-flow', 'mops-eps', 'mops-revenue']
/** Feeds without HTML pages. */
const tables = all.filter(({ name }) => !HTML_FEEDS.includes(name))

/** Empty bodies, each with the day that it states and the requested day; 2024-01-02 when absent. */
const EMPTY: readonly (readonly [content: unknown, date: string | null, requested?: string])[] = [
  [{ stat: '很抱歉，沒有符合條件的資料!', total: 0 }, null],
  [{ stat: '很抱歉，沒有符合條件的資料' }, null],
  [{ stat: '無相關資料' }, null],
  [{}, null],
  [[], null],
  [{ tables: [{}, {}], params: { date: '20240101' }, stat: '很抱歉，沒有符合條件的資料!', date: '20240101' }, '2024-01-01'],
  [{ date: '20240101', stat: '查無資料，請重新輸入日期查詢。' }, '2024-01-01'],
  [{ date: '20240101~20240101', tables: [{ title: '', data: [] }], stat: 'ok' }, '2024-01-01'],
  [{ date: '20210101~20220101', tables: [{ title: '', data: [] }], stat: 'ok' }, null, '2021-06-30'],
  ['<html><body><h4 align=center><font color=red>查詢無資料!</font></h4></body></html>', null],
  ['<html><h3><font>查無所需資料</font></h3></html>', null],
  ['<SCRIPT>\n window.location.replace("class_nofind.html")\n</SCRIPT>', null],
  [[{ Number: '0', Code: '', Name: '', Date: '' }], null],
  ['<html><body><script>\nalert("查無資料");\nwindow.location.replace("dailyFXRate");\n</script></body></html>', null],
  ['很抱歉，沒有符合條件的資料!\r\n', null],
]

/** Parses a body. @returns the parsed body, or the refusal */
function outcomeOf(feed: Feed, content: unknown, requestedDay?: string): { readonly kind: string; readonly [fact: string]: unknown } {
  try {
    return feed.parse(bodyOf(content), requestedDay)
  } catch (error) {
    if (!(error instanceof Refusal)) return { kind: 'failed', error }
    return { kind: 'refused', rule: error.facts['rule'], message: error.message }
  }
}

it('every feed reads the empty bodies of all exchanges as empty, with the stated or the requested day', () => {
  for (const feed of all)
    for (const [content, date, requested = '2024-01-02'] of EMPTY) {
      const cell = `${feed.name}: ${JSON.stringify(content).slice(0, 80)}`
      expect.soft(outcomeOf(feed, content), cell).toMatchObject({ kind: 'empty', date })
      const day = date ?? requested
      expect.soft(outcomeOf(feed, content, day), `${cell}, requested for ${day}`).toMatchObject({ kind: 'empty', date: day })
    }
})

it('a body with headings but no rows is empty for its own feed and is refused by all other feeds', () => {
  const own = { 'twse-t86': t86({ data: [], total: 0 }), 'tpex-institutional': tpexInstitutional({ data: [], totalCount: 0 }) }
  for (const [name, content] of Object.entries(own))
    for (const feed of all) {
      const expected = feed.name === name ? { kind: 'empty', date: '2024-01-02' } : { kind: 'refused' }
      expect.soft(outcomeOf(feed, content), `${feed.name}: ${name}`).toMatchObject(expected)
    }
})

it('the error about a body of another table does not mention days that are absent or invalid', () => {
  const other = { fields: ['年月', '合計'], data: [['11506', '1']] }
  for (const days of [{ date: '202606' }, { date: '20240101~20240131' }, { date: undefined, title: '月報' }])
    expect.soft(outcomeOf(feeds.get('twse-t86')!, t86({ ...other, ...days }), '2024-01-02')).toMatchObject({
      rule: 'wrong_table',
      message: expect.stringMatching(/^This is not .* If another feed reads this file, use that feed/),
    })
})

it('every feed refuses an empty body if its day is not the requested day', () => {
  const range = { date: '20210101~20220101', tables: [{ title: '', data: [] }], stat: 'ok' }
  for (const feed of all) {
    expect.soft(outcomeOf(feed, range, '2024-01-02'), `${feed.name}: a range of days`).toMatchObject({ kind: 'refused', rule: 'wrong_day' })
    expect.soft(outcomeOf(feed, t86({ data: [], total: 0 }), '2024-01-03'), `${feed.name}: a single day`).toMatchObject({
      rule: 'wrong_day',
      message: expect.stringContaining('date has 2024-01-02, title has 2024-01-02, the request has 2024-01-03'),
    })
  }
})

it('every feed refuses the security-check page of MOPS and names the page in the error', () => {
  const page = '<html><head><title>公開資訊觀測站</title></head><body>因為安全性考量，您所執行的頁面無法呈現。</body></html>'
  for (const feed of all)
    expect
      .soft(outcomeOf(feed, page), feed.name)
      .toMatchObject({ rule: 'not_the_publication', message: expect.stringContaining('security check') })
})

it('every feed advises to retry later when it refuses the MOPS page about too many queries', () => {
  const page = '<HTML><HEAD><TITLE></TITLE></HEAD><BODY><font size=6><center>查詢過於頻繁，請於稍後再查詢!</center></font></BODY></HTML>'
  for (const feed of all)
    expect
      .soft(outcomeOf(feed, page), feed.name)
      .toMatchObject({ rule: 'not_the_publication', message: expect.stringContaining('too many queries: retry later') })
})

it('every feed refuses a page that has a table of companies and the message "no data"', () => {
  const page = '<html><body><table><tr><th>公司<br>代號</th></tr><tr><td>2330</td></tr></table><h4>查無資料</h4></body></html>'
  for (const feed of all) expect.soft(outcomeOf(feed, page, '2024-01-02'), feed.name).toMatchObject({ kind: 'refused' })
})

it('every feed of tables refuses a home page whose scripts contain the message "no data"', () => {
  const page = '<html><head><title>證券櫃檯買賣中心</title></head><body><nav>首頁</nav><script>alert("查無資料")</script></body></html>'
  for (const feed of tables)
    expect
      .soft(outcomeOf(feed, page), feed.name)
      .toMatchObject({ rule: 'not_the_publication', message: expect.stringContaining('home page or search page') })
})

it('every feed of tables refuses a truncated or blank body as damaged', () => {
  const whole = JSON.stringify(t86())
  for (const feed of tables)
    for (const [body, content] of Object.entries({ truncated: whole.slice(0, whole.length / 2), blank: '\r\n' }))
      expect.soft(outcomeOf(feed, content), `${feed.name}: ${body}`).toMatchObject({ rule: 'damaged_body' })
})

it('every feed states the URL of an exchange or the central bank, a title and its datasets', () => {
  expect(all.length).toBeGreaterThan(40)
  for (const { name, url, title, datasets } of all) {
    expect.soft(url, `${name}: URL`).toMatch(/^https:\/\/[a-z]+\.(twse|tpex|tdcc|taifex|cbc)\.(com|org|gov)\.tw\//)
    expect.soft(title, `${name}: title`).not.toBe('')
    expect.soft(datasets.length, `${name}: datasets`).toBeGreaterThan(0)
  }
})

it('if the first body of a feed must be a complete list, the feed states the minimum number of rows', () => {
  expect(Object.fromEntries(all.flatMap(({ name, leastRows }) => (leastRows ? [[name, leastRows]] : [])))).toEqual({
    'broker-branches': { 'broker-branch-reference': 300 },
    companies: { 'company-names': 500 },
    isin: { 'theme-taxonomy': 500, 'listed-securities': 500 },
    'securities-firms': { 'securities-firm-master': 30 },
    'twse-etf-register': { 'etf-register': 100 },
  })
})
