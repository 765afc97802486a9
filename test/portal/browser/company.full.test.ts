import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { compact } from '../../../portal/parts/figures.ts'
import { WITHOUT } from './chromium.ts'
import { axe, openPortal, PHONE, type Portal, picture, scrollsSideways } from './portal.ts'

const PANELS = ['prices', 'institutional', 'revenue', 'earnings', 'margin', 'foreign', 'holders', 'valuation', 'risks', 'dividends']
const price = (value: unknown) =>
  new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 }).format(value as number)
const number = (value: unknown) => new Intl.NumberFormat('en', { maximumFractionDigits: 2 }).format(value as number)

describe.skipIf(WITHOUT !== '')(`company page${WITHOUT}`, () => {
  let portal: Portal
  beforeAll(async () => {
    portal = await openPortal()
  })
  afterAll(() => portal?.close())

  /** The rows of a dataset that the API returns to a visitor. */
  const rows = async (path: string): Promise<readonly Record<string, unknown>[]> => {
    const answer = await fetch(`${portal.url}${path}`, { headers: { 'x-portal': '1' } })
    const body = (await answer.json()) as { data?: Record<string, unknown>[]; envelope?: { data: Record<string, unknown>[] } }
    return body.data ?? body.envelope!.data
  }
  const newestDay = async (slug: string): Promise<string> => {
    const answer = await fetch(`${portal.url}/v2/datasets`)
    const { data } = (await answer.json()) as { data: { slug: string; last_date: string }[] }
    return data.find(dataset => dataset.slug === slug)!.last_date
  }
  const panel = (page: Page, id: string) => page.locator(`#${id}`)
  const read = async (page: Page, id: string) => {
    await panel(page, id).scrollIntoViewIfNeeded()
    await panel(page, id).locator('.facts').first().waitFor()
    await page.evaluate(`for (const facts of document.querySelectorAll('#${id} .facts')) facts.open = true`)
    return panel(page, id).innerText()
  }

  it('the company page shows code, both names, market and last close with its change', async () => {
    const page = await portal.visit('/company/2330')
    await page.waitForSelector('.company-head .last')
    const [last, before] = (await rows('/v2/datasets/daily-prices?symbol=2330&limit=2')).map(row => row['close'] as number)
    const head = () => page.locator('.company-head').innerText()
    await expect.poll(head).toContain('2330 TSMC 台積電')
    await expect.poll(head).toContain('Listed (TWSE)')
    await expect.poll(head).toContain(`${price(last)} TWD`)
    await expect.poll(head).toContain(`${last! > before! ? '+' : ''}${(last! - before!).toFixed(2)} (`)
    await expect.poll(() => page.title()).toBe('2330 TSMC · twmd')
    await page.context().close()
  })

  it('the company page states the net purchases of each institution on the last day', async () => {
    const page = await portal.visit('/company/2330')
    const [row] = await rows('/v2/datasets/institutional-positioning?symbol=2330&limit=1')
    const signed = (column: string) => `${(row![column] as number) > 0 ? '+' : ''}${compact(row![column] as number, 'en')} shares`
    await expect
      .poll(() => read(page, 'institutional'))
      .toContain(
        `Net buying on ${row!['trade_date']}: Foreign investors ${signed('foreign_net_buy')}; Investment trusts ${signed('investment_trust_net_buy')}; Dealers ${signed('dealer_net_buy')}; total ${signed('institutional_net_buy_total')}`,
      )
    await page.context().close()
  })

  it('every panel of the company page states source, release, freshness, gaps and sample data', async () => {
    const page = await portal.visit('/company/2330')
    for (const id of PANELS) {
      const text = () => read(page, id)
      await expect.poll(text, { message: id }).toMatch(/Taiwan (Stock Exchange|Depository)/)
      await expect.poll(text, { message: id }).toMatch(/Release\s+\d{8}T\d{9}Z/)
      await expect.poll(text, { message: id }).toMatch(/Data as of\s+\d{4}-\d\d-\d\d/)
      await expect.poll(text, { message: id }).toMatch(/up to date|update due|overdue/)
      await expect.poll(text, { message: id }).toContain('sample data')
      await expect.poll(text, { message: id }).toMatch(/Known gaps and warnings \(\d+\)/)
    }
    await page.context().close()
  })

  it('the company page switches from chart to table and query by keyboard', async () => {
    const page = await portal.visit('/company/2330?range=1M')
    await read(page, 'prices')
    const prices = await rows('/v2/datasets/daily-prices?symbol=2330&limit=1')
    await panel(page, 'prices').getByRole('tab', { name: 'Chart' }).focus()
    await page.keyboard.press('ArrowRight')
    const grid = panel(page, 'prices').getByRole('grid')
    await grid.waitFor()
    expect(await page.evaluate<string>('document.activeElement.textContent')).toBe('Table')
    await expect.poll(() => grid.locator('td').first().innerText()).toBe(prices[0]!['trade_date'])
    await expect.poll(() => grid.innerText()).toContain(number(prices[0]!['close']))
    expect(await axe(page)).toEqual([])
    await page.keyboard.press('ArrowRight')
    await expect
      .poll(() => panel(page, 'prices').locator('pre').innerText())
      .toContain('/v2/datasets/adjusted-prices?symbol=2330&start_date=')
    expect(await axe(page)).toEqual([])
    await page.context().close()
  })

  it('arrow keys on a chart show the values of a day', async () => {
    const page = await portal.visit('/company/2330?range=1M')
    await read(page, 'prices')
    await panel(page, 'prices').locator('canvas').first().waitFor()
    await panel(page, 'prices').locator('.chart-place').focus()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    const [, before] = await rows('/v2/datasets/daily-prices?symbol=2330&limit=2')
    const legend = panel(page, 'prices').locator('.chart-legend')
    await expect.poll(() => legend.innerText()).toContain(before!['trade_date'])
    await expect.poll(() => legend.innerText()).toContain(`C ${price(before!['close'])}`)
    await expect.poll(() => legend.getAttribute('aria-live')).toBe('polite')
    await page.context().close()
  })

  it('the company page explains an empty panel in both languages', async () => {
    for (const [path, words] of [
      ['/company/2330', 'No records were captured'],
      ['/zh/company/2330', '未收錄資料'],
    ] as const) {
      const page = await portal.visit(path)
      await read(page, 'risks')
      const empty = panel(page, 'risks').locator('[data-empty=not_captured]')
      await expect.poll(() => empty.innerText()).toContain(words)
      await page.context().close()
    }
  })

  it('the company page keeps range and adjustment in the URL and in the history', async () => {
    const page = await portal.visit('/company/2330')
    const days = async () => Number(/(\d+) trading days/.exec(await read(page, 'prices'))?.[1])
    const year = await days()
    await page.getByRole('button', { name: '1 month' }).click()
    await expect.poll(days).toBeLessThan(30)
    await page.getByRole('button', { name: 'Adjusted' }).click()
    await expect.poll(() => page.url()).toContain('/company/2330?range=1M&adjusted=0')
    await expect.poll(() => panel(page, 'prices').innerText()).toContain('As traded, not adjusted')
    await page.goBack()
    await page.goBack()
    await expect.poll(() => new URL(page.url()).search).toBe('')
    await expect.poll(days).toBe(year)
    await page.context().close()
  })

  it('the company page keeps its range when the language changes', async () => {
    const page = await portal.visit('/company/2330')
    await page.getByRole('button', { name: '6 months' }).click()
    await page.click('#language')
    await page.waitForURL('**/zh/company/2330?range=6M')
    await page.locator('[aria-pressed=true]', { hasText: '6 個月' }).waitFor()
    await page.context().close()
  })

  it('the company page loads panels only when they become visible', async () => {
    const page = await portal.visit('/')
    const requests: string[] = []
    page.on('request', request => requests.push(new URL(request.url()).pathname))
    await page.goto(`${portal.url}/company/2330`)
    await read(page, 'prices')
    await page.waitForLoadState('networkidle')
    expect(requests).toContain('/v2/datasets/adjusted-prices')
    expect(requests).not.toContain('/v2/datasets/shareholder-distribution')
    await read(page, 'holders')
    expect(requests).toContain('/v2/datasets/shareholder-distribution')
    expect(requests.filter(path => path === '/v2/datasets/adjusted-prices')).toHaveLength(1)
    await page.context().close()
  })

  it('the company page requests all pages of a limited response', async () => {
    const page = await portal.visit('/')
    await page.route(/\/v2\/datasets\/adjusted-prices\?.*limit=2000/, route =>
      route.continue({ url: route.request().url().replace('limit=2000', 'limit=100') }),
    )
    await page.goto(`${portal.url}/company/2330?range=3Y`)
    const whole = (await rows(`/v2/datasets/adjusted-prices?symbol=2330&limit=2000`)).length
    expect(whole).toBeGreaterThan(300)
    await expect.poll(() => read(page, 'prices')).toContain(`${whole} trading days`)
    await page.context().close()
  })

  it('the company page names the plan that a refused panel requires, and shows traded prices instead of adjusted prices', async () => {
    const free = await openPortal({ VISITORS: 'free' })
    try {
      const page = await free.visit('/zh/company/2330')
      const refused = page.locator('#institutional [role=alert]')
      await refused.waitFor()
      await expect.poll(() => refused.innerText()).toContain('至少需要 Pro 方案')
      await expect.poll(() => page.locator('#prices .facts').count()).toBe(1)
      await expect.poll(() => page.locator('#prices .chart-summary').innerText()).toMatch(/^收盤價：/)
      await page.context().close()
    } finally {
      await free.close()
    }
  })

  it('the company page lists risk events and marks them on the price chart', async () => {
    const [flagged] = await rows(`/v2/datasets/company-risk-events/cross-section?date=${await newestDay('company-risk-events')}`)
    const page = await portal.visit(`/company/${flagged!['symbol']}`)
    await expect.poll(() => read(page, 'risks')).toContain(`${flagged!['event_date']}`)
    await expect.poll(() => read(page, 'risks')).toContain(`${flagged!['description']}`)
    await panel(page, 'risks').locator('canvas').first().waitFor()
    // The close appears in its own panel, so its cost is counted once.
    await expect.poll(() => panel(page, 'risks').locator('.facts').count()).toBe(1)
    await page.context().close()
  })

  it('charts redraw when the theme changes', async () => {
    const page = await portal.visit('/company/2330?range=1M')
    await read(page, 'prices')
    const background = () =>
      page.evaluate<string>("String(Array.from(document.querySelector('#prices canvas').getContext('2d').getImageData(0, 0, 1, 1).data))")
    await expect.poll(background).toBe('255,255,255,255')
    await page.click('#theme')
    await expect.poll(background).toBe('17,21,27,255')
    await page.context().close()
  })

  it('the company page aborts the request of a range that is no longer selected', async () => {
    const page = await portal.visit('/company/2330')
    await read(page, 'prices')
    await page.waitForLoadState('networkidle')
    const longer = /adjusted-prices\?.*start_date=2023/
    // No handler answers, so these requests stay open.
    await page.route(longer, () => {})
    const longerRequest = page.waitForRequest(longer)
    await page.getByRole('button', { name: '3 years' }).click()
    const abandoned = page.waitForEvent('requestfailed', request => longer.test(request.url()))
    await longerRequest
    await page.getByRole('button', { name: '1 month' }).click()
    expect((await abandoned).failure()!.errorText).toContain('ABORTED')
    await expect.poll(() => panel(page, 'prices').innerText()).toMatch(/on 2026-07-01, .* on 2026-06-0\d/)
    await page.context().close()
  })

  it('the company page on a dark phone draws every panel, passes axe and does not scroll sideways', async () => {
    const page = await portal.visit('/zh/company/2330', { ...PHONE, theme: 'dark' })
    for (const id of PANELS) await read(page, id)
    await expect.poll(() => page.locator('.chart canvas').count()).toBeGreaterThan(8)
    // The sticky header covers buttons scrolled under it, and axe then reports them as too small.
    await page.evaluate('scrollTo(0, 0)')
    expect(await axe(page)).toEqual([])
    expect(await scrollsSideways(page)).toBe(false)
    await picture(page, 'company-panels-zh-phone')
    expect(portal.faults.splice(0)).toEqual([])
    await page.context().close()
  })

  it('units, colours and the watchlist are stored in the browser', async () => {
    const page = await portal.visit('/zh/company/2330')
    await expect.poll(() => read(page, 'institutional')).toMatch(/外資 [+-]?[\d,.]+ 張/)
    await page.click('#display-button')
    await page.getByRole('button', { name: '股', exact: true }).click()
    await page.getByRole('button', { name: '綠漲紅跌' }).click()
    await page.keyboard.press('Escape')
    await expect.poll(() => read(page, 'institutional')).toMatch(/外資 [+-]?[\d,.]+萬?股/)
    await page.getByRole('button', { name: '將 2330 加入自選' }).click()
    await page.goto(`${portal.url}/zh`)
    await expect.poll(() => page.locator('html').getAttribute('data-colours')).toBe('green-up')
    await expect.poll(() => page.locator('.recent', { hasText: '自選股' }).innerText()).toContain('2330')
    await page.context().close()
  })

  it('tables and sentences of panels use the chosen units, with all digits on hover', async () => {
    const [row] = await rows('/v2/datasets/institutional-positioning?symbol=2330&limit=1')
    const total = row!['institutional_net_buy_total'] as number
    const page = await portal.visit('/zh/company/2330')
    await read(page, 'institutional')
    const sentence = panel(page, 'institutional').locator('.chart-summary')
    await expect.poll(() => sentence.getAttribute('title')).toContain(`合計 ${total > 0 ? '+' : ''}${number(total)} 股`)
    await panel(page, 'institutional').getByRole('tab', { name: '表格' }).click()
    const cell = panel(page, 'institutional')
      .locator(`tbody td[title="${number(total)} 股"]`)
      .first()
    const inLots = new Intl.NumberFormat('en', { maximumFractionDigits: Math.abs(total) < 10_000 ? 3 : 0 }).format(total / 1_000)
    await expect.poll(() => cell.innerText()).toBe(inLots)
    await page.click('#display-button')
    await page.getByRole('button', { name: '股', exact: true }).click()
    await expect.poll(() => cell.innerText()).toBe(compact(total, 'zh', true))
    await page.context().close()
  })

  it('the page of a fund omits statements and price ratios', async () => {
    const page = await portal.visit('/company/0050')
    await page.getByText('Funds have no revenue').waitFor()
    expect(await page.locator('#revenue, #earnings, #valuation, #peers').count()).toBe(0)
    await page.context().close()
  })

  it('the page of a delisted security states the day and folds panels without rows from the start', async () => {
    const [delisted] = await rows('/v2/datasets/securities?status=delisted&limit=1&columns=ticker,delisted_on')
    const page = await portal.visit('/')
    const drawing: string[] = []
    page.on('request', request => request.url().includes('chart-draw') && drawing.push(request.url()))
    // No answer arrives, so the page knows only what the server wrote.
    await page.route(/\/v2\/datasets\//, () => {})
    await page.goto(`${portal.url}/company/${delisted!['ticker']}`)
    await expect.poll(() => page.locator('.company-head').innerText()).toContain(`Delisted on ${delisted!['delisted_on']}`)
    await expect.poll(() => page.locator('#prices.empty, #earnings.empty, #holders.empty').count()).toBe(3)
    expect(drawing).toEqual([])
    await page.context().close()
  })

  it('the company page compares peers of the industry', async () => {
    const page = await portal.visit('/company/2330')
    await expect.poll(() => read(page, 'peers')).toMatch(/Semiconductor[\s\S]*MediaTek/)
    await page.getByRole('link', { name: 'Compare the most traded' }).click()
    await page.waitForURL('**/compare?symbols=2330,*')
    await page.locator('#prices canvas').first().waitFor()
    await expect.poll(() => page.locator('#prices .chart-summary').innerText()).toMatch(/TSMC [+-]?\d+\.\d\d%; /)
    await page.context().close()
  })

  it('the company page links to sign-in when visitors may not read', async () => {
    const closed = await openPortal({ VISITORS: 'off' })
    try {
      const page = await closed.visit('/company/2330')
      const refused = page.locator('#prices [role=alert]')
      await refused.waitFor()
      await expect.poll(() => refused.getByRole('link', { name: 'Sign in to read this' }).getAttribute('href')).toBe('/account')
      await page.context().close()
    } finally {
      await closed.close()
    }
  })
})
