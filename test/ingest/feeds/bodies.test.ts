import { describe, expect, it } from 'vitest'
import { loadFeeds } from '../../../ingest/feeds/index.ts'
import { bodyOf, refusalOf, t86, tpexInstitutional } from '../../fixtures/feeds/bodies.ts'

const feeds = await loadFeeds()
const json = [...feeds.values()].filter(({ name }) => !['isin', 'mops-eps', 'mops-revenue'].includes(name))

/** The day a body without one is asked for is 2024-01-02, unless it states a range that has another. */
const EMPTY: readonly (readonly [content: unknown, date: string | null, asked: string])[] = (
  [
    [{ stat: '很抱歉，沒有符合條件的資料!', total: 0 }, null],
    [{ stat: '很抱歉，沒有符合條件的資料' }, null],
    [{ stat: '無相關資料' }, null],
    [{}, null],
    [[], null],
    [t86({ data: [], total: 0 }), '2024-01-02'],
    [{ tables: [{}, {}], params: { date: '20240101' }, stat: '很抱歉，沒有符合條件的資料!', date: '20240101' }, '2024-01-01'],
    [tpexInstitutional({ data: [], totalCount: 0 }), '2024-01-02'],
    [{ date: '20240101', stat: '查無資料，請重新輸入日期查詢。' }, '2024-01-01'],
    [{ date: '20240101~20240101', tables: [{ title: '', data: [] }], stat: 'ok' }, '2024-01-01'],
    [{ date: '20210101~20220101', tables: [{ title: '', data: [] }], stat: 'ok' }, null, '2021-06-30'],
    ['<html><body><h4 align=center><font color=red>查詢無資料!</font></h4></body></html>', null],
    ['<html><h3><font>查無所需資料</font></h3></html>', null],
    ['<SCRIPT>\n window.location.replace("class_nofind.html")\n</SCRIPT>', null],
    [[{ Number: '0', Code: '', Name: '', Date: '' }], null],
    ['很抱歉，沒有符合條件的資料!\r\n', null],
  ] as readonly (readonly [unknown, string | null, string?])[]
).map(([content, date, asked = '2024-01-02']) => [content, date, asked])

describe.each([...feeds.values()])('$name', feed => {
  it.each(EMPTY)('takes %j for an empty body and not for a failure', (content, date, within) => {
    expect(feed.parse(bodyOf(content), undefined)).toMatchObject({ kind: 'empty', date })
    const asked = date ?? within
    expect(feed.parse(bodyOf(content), asked)).toMatchObject({ kind: 'empty', date: asked })
  })

  it('refuses an empty body of other days than the asked one', () => {
    const range = { date: '20210101~20220101', tables: [{ title: '', data: [] }], stat: 'ok' }
    expect(refusalOf(feed, bodyOf(range), '2024-01-02').rule).toBe('wrong_day')
    const refusal = refusalOf(feed, bodyOf(t86({ data: [], total: 0 })), '2024-01-03')
    expect(refusal.rule).toBe('wrong_day')
    expect(refusal.message).toContain('date says 2024-01-02, title says 2024-01-02, asked for 2024-01-03')
  })

  it("names the site's security page for what it is", () => {
    const page = '<html><head><title>公開資訊觀測站</title></head><body>因為安全性考量，您所執行的頁面無法呈現。</body></html>'
    const refusal = refusalOf(feed, bodyOf(page))
    expect(refusal.rule).toBe('not_the_publication')
    expect(refusal.message).toContain('security page')
  })

  it('does not take a page with a table of companies for an empty one, whatever else it says', () => {
    const page = '<html><body><table><tr><th>公司<br>代號</th></tr><tr><td>2330</td></tr></table><h4>查無資料</h4></body></html>'
    expect(() => feed.parse(bodyOf(page), '2024-01-02')).toThrow()
  })

  it('states its names and addresses', () => {
    expect(feed.url).toMatch(/^https:\/\/[a-z]+\.(twse|tpex|tdcc)\.(com|org)\.tw\//)
    expect(feed.title).not.toBe('')
    expect(feed.datasets.length).toBeGreaterThan(0)
  })
})

describe.each(json)('$name', feed => {
  it('does not take a home page for an empty day, though its scripts know the words', () => {
    const page = '<html><head><title>證券櫃檯買賣中心</title></head><body><nav>首頁</nav><script>alert("查無資料")</script></body></html>'
    const refusal = refusalOf(feed, bodyOf(page))
    expect(refusal.rule).toBe('not_the_publication')
    expect(refusal.message).toContain('home or search page')
  })

  it('refuses half a file', () => {
    const whole = JSON.stringify(t86())
    expect(refusalOf(feed, bodyOf(whole.slice(0, whole.length / 2))).rule).toBe('damaged_body')
  })

  it('refuses a blank file', () => expect(refusalOf(feed, bodyOf('\r\n')).rule).toBe('damaged_body'))
})
