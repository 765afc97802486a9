import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WITHOUT } from './chromium.ts'
import { axe, DESKTOP, openPortal, PHONE, type Portal, picture, scrollsSideways } from './portal.ts'

interface Described {
  readonly description: string
  readonly description_zh: string
}

describe.skipIf(WITHOUT !== '')(`dataset page${WITHOUT}`, () => {
  let portal: Portal
  beforeAll(async () => {
    portal = await openPortal()
  })
  afterAll(async () => {
    expect(portal?.faults).toEqual([])
    await portal?.close()
  })

  const fetchJson = async <T>(path: string): Promise<T> => (await fetch(`${portal.url}${path}`)).json() as Promise<T>

  it.each(['en', 'zh'])('the dataset page in %s without script lists columns, gaps, source and price', async language => {
    const html = await (await fetch(`${portal.url}${language === 'zh' ? '/zh' : ''}/datasets/institutional-positioning`)).text()
    const { columns } = await fetchJson<{ columns: { name: string; description: string }[] }>(
      '/v2/datasets/institutional-positioning/schema',
    )
    for (const { name } of columns) expect(html).toContain(`id="column-${name}"`)
    expect(html).toContain(language === 'zh' ? '臺灣證券交易所、證券櫃檯買賣中心' : 'Taiwan Stock Exchange; Taipei Exchange')
    expect(html).toContain('data-label="foreign_pct_is_net_over_volume_not_holding_ratio"')
    expect(html).toContain(language === 'zh' ? 'Pro 以上方案，每次讀取 2 點' : 'plan Pro, 2 credits a read')
  })

  it('the dataset page shows its first rows as a chart and as a table', async () => {
    const page = await portal.visit('/datasets/valuation')
    await page.locator('#rows canvas').first().waitFor()
    await page.locator('#rows select').first().selectOption('pb_ratio')
    await expect.poll(() => new URL(page.url()).searchParams.get('chart')).toBe('trade_date,pb_ratio')
    await page.locator('#rows').getByRole('tab', { name: 'Table' }).click()
    await expect.poll(() => page.locator('#rows td').first().innerText()).toContain('2330')
    await page.context().close()
  })

  it('the dataset page shows a dataset without numbers as a table and offers no chart', async () => {
    const page = await portal.visit('/datasets/trading-calendar')
    await page.locator('#rows td').first().waitFor()
    expect(await page.locator('#rows [role=tab]').allInnerTexts()).toEqual(['Table', 'Query'])
    await page.context().close()
  })

  it('the dataset page shows the rows of the last day if its example symbol has no rows', async () => {
    const path = '/v2/datasets/company-risk-events'
    const page = await portal.visit('/datasets/company-risk-events')
    await page.locator('#rows td').first().waitFor()
    await page.locator('#rows').getByRole('tab', { name: 'Query' }).click()
    await expect.poll(() => page.locator('#rows pre').innerText()).toContain(`${path}/cross-section?date=`)
    await page.context().close()
  })

  it('the dataset page names the plan of a dataset that visitors may not read, without an empty chart', async () => {
    const closed = await openPortal({ VISITORS: 'pro' })
    try {
      for (const [address, words, plans] of [
        ['/datasets/bond-yield-curve', 'This dataset requires the plan Max.', '/pricing'],
        ['/zh/datasets/bond-yield-curve', '此資料集需要 Max 方案。', '/zh/pricing'],
      ] as const) {
        const page = await closed.visit(address)
        const refused = page.locator('#rows [role=alert]')
        await expect.poll(() => refused.innerText()).toContain(words)
        expect(await refused.getByRole('link').getAttribute('href')).toBe(plans)
        expect((await page.locator('#rows').boundingBox())!.height).toBeLessThan(250)
        await page.context().close()
      }
    } finally {
      await closed.close()
    }
  })

  it('a year of days fits a phone', async () => {
    const page = await portal.visit('/datasets/daily-prices', PHONE)
    const last = page.locator('#days .year:last-of-type rect').last()
    await last.waitFor()
    const box = (await last.boundingBox())!
    expect(box.x + box.width).toBeLessThanOrEqual(PHONE.width)
    await page.context().close()
  })

  it('the catalog filters by text and plan', async () => {
    const page = await portal.visit('/datasets')
    await page.getByRole('button', { name: 'Max' }).click()
    const { data } = await fetchJson<{ data: { title: string; minimum_plan: string }[] }>('/v2/datasets')
    const titles = data.filter(({ minimum_plan }) => minimum_plan === 'max').map(({ title }) => title)
    expect(titles).toContain('Government bond yield curve')
    await expect.poll(async () => (await page.locator('.card:visible h3').allInnerTexts()).toSorted()).toEqual(titles.toSorted())
    await page.getByRole('button', { name: 'All plans' }).click()
    await page.fill('.catalog-filter input', 'monthly-revenue')
    await expect.poll(() => page.locator('.card:visible h3').allInnerTexts()).toEqual(['Monthly revenue'])
    expect(new URL(page.url()).search).toBe('?q=monthly-revenue')
    await page.context().close()
  })

  it('the dataset page scrolls to the column in the URL', async () => {
    const page = await portal.visit('/datasets/institutional-positioning#column-foreign_net_buy')
    await page.waitForLoadState('networkidle')
    await expect.poll(() => page.locator('tr:target code').first().textContent()).toBe('foreign_net_buy')
    await page.context().close()
  })

  it('the dataset page draws every day with rows and counts the missing trading days', async () => {
    const page = await portal.visit('/datasets/daily-prices')
    const days = await fetchJson<{ days_with_rows: number; days_without_rows: number; data_count: number }>(
      '/v2/coverage/daily-prices/days',
    )
    await page.waitForSelector('#days svg')
    await expect.poll(() => page.locator('#days rect').count()).toBe(days.data_count)
    const words = () => page.locator('#days > p').textContent()
    await expect.poll(words).toContain(`${days.days_with_rows.toLocaleString('en')} days have rows`)
    await expect.poll(words).toContain(`${days.days_without_rows.toLocaleString('en')} trading days`)
    await page.context().close()
  })

  it('the dataset page shows reconciliation, next due day and publications', async () => {
    const page = await portal.visit('/datasets/institutional-positioning')
    const reconciled = await fetchJson<{ methods: { description: string }[] }>('/v2/data-catalog/reconciliation/institutional-positioning')
    await page.waitForSelector('#reconciliation tbody tr')
    await expect.poll(() => page.locator('#reconciliation tbody tr').count()).toBe(reconciled.methods.length)
    await expect.poll(() => page.locator('#reconciliation').textContent()).toContain(reconciled.methods[0]!.description)
    const { release_version: release } = (
      await fetchJson<{ data: { slug: string; release_version: string }[] }>('/v2/updates?published_since=2000-01-01')
    ).data.find(({ slug }) => slug === 'institutional-positioning')!
    await expect.poll(() => page.locator('#publications').textContent()).toContain(release)
    await expect.poll(() => page.locator('#standing').textContent()).toContain('Next due')
    await page.context().close()
  })

  it('the Chinese dataset pages describe dataset, columns, gaps, rules and comparisons without English', async () => {
    const slug = 'institutional-positioning'
    const { columns, rules } = await fetchJson<{ columns: Described[]; rules: Described[] }>(`/v2/datasets/${slug}/schema`)
    const { data } = await fetchJson<{ data: (Described & { slug: string; known_gap_notes: Described[] })[] }>('/v2/datasets')
    const { methods } = await fetchJson<{ methods: Described[] }>(`/v2/data-catalog/reconciliation/${slug}`)
    const dataset = data.find(one => one.slug === slug)!
    const page = await portal.visit(`/zh/datasets/${slug}`)
    await page.waitForSelector('#reconciliation tbody tr')
    const text = () => page.locator('body').innerText()
    await expect.poll(() => page.locator('meta[name=description]').getAttribute('content')).toBe(dataset.description_zh)
    for (const { description, description_zh } of [dataset, ...columns, ...rules, ...methods, ...dataset.known_gap_notes]) {
      await expect.poll(text).toContain(description_zh)
      await expect.poll(text).not.toContain(description)
    }
    await page.goto(`${portal.url}/zh/datasets`)
    const cards = () => page.locator('body').textContent()
    for (const entry of data) {
      await expect.poll(cards).toContain(entry.description_zh)
      await expect.poll(cards).not.toContain(entry.description)
    }
    await page.context().close()
  })

  it('the Chinese explorer describes columns without English', async () => {
    const { columns } = await fetchJson<{ columns: Described[] }>('/v2/datasets/daily-prices/schema')
    const page = await portal.visit('/zh/explore/daily-prices?symbol=2330')
    await page.waitForSelector('table[role=grid] tr[data-row] td')
    const text = () => page.locator('body').textContent()
    for (const { description, description_zh } of columns) {
      await expect.poll(text).toContain(description_zh)
      await expect.poll(text).not.toContain(description)
    }
    await page.context().close()
  })

  it.each([
    ['desktop, dark', 'en', { ...DESKTOP, theme: 'dark' }],
    ['phone, light', 'zh', { ...PHONE, theme: 'light' }],
  ] as const)('the dataset page (%s) passes axe and does not scroll sideways', async (display, language, how) => {
    const page = await portal.visit(`${language === 'zh' ? '/zh' : ''}/datasets/daily-prices`, how)
    await page.waitForLoadState('networkidle')
    await page.locator('#days summary').click()
    expect(await axe(page)).toEqual([])
    expect(await scrollsSideways(page)).toBe(false)
    await picture(page, `dataset-drawn-${language}-${display.split(',')[0]}`)
    await page.context().close()
  })
})
