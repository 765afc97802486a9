import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEmail } from '../../../src/accounts/index.ts'
import { NOW } from '../../support.ts'
import { WITHOUT } from './chromium.ts'
import { openPortal, type Portal } from './portal.ts'

describe.skipIf(WITHOUT !== '')(`explorer refinements${WITHOUT}`, () => {
  let portal: Portal
  beforeAll(async () => {
    portal = await openPortal()
  })
  afterAll(async () => {
    expect(portal?.faults).toEqual([])
    await portal?.close()
  })

  const opened = async (path: string, how = {}) => {
    const page = await portal.visit(path, how)
    await page.waitForSelector('table[role=grid] tr[data-row] td')
    return page
  }

  it('the explorer offers to continue a download only while the query is unchanged', async () => {
    const { accounts, sessions } = portal.service.control
    const account = accounts.ensure(readEmail('parts@example.test')!, NOW)
    const page = await portal.visit('/datasets')
    await page.context().addCookies([{ name: 'twmd-session', value: sessions.open(account.id, NOW).token, url: portal.url }])
    await page.goto(`${portal.url}/explore/daily-prices?symbol=2330,2317&columns=close`)
    await page.waitForSelector('tbody tr[data-row] td')
    await page.getByText('Download', { exact: true }).first().click()
    await page.getByRole('button', { name: 'Download', exact: true }).click()
    const next = page.getByRole('button', { name: 'Download the next part' })
    await next.waitFor()
    await page.fill('input[name=start_date]', '2026-06-01')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.waitForURL('**start_date=2026-06-01**')
    await expect.poll(() => next.count()).toBe(0)
    await page.context().close()
  })

  it('the back button of the explorer returns to the previous query, not to an earlier choice of columns', async () => {
    const page = await opened('/explore/daily-prices?symbol=2330')
    await page.fill('input[name=start_date]', '2026-06-01')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.waitForURL('**start_date=2026-06-01**')
    await page.getByText('Columns', { exact: true }).first().click()
    for (const name of ['volume', 'turnover', 'open']) await page.locator('.columns label', { hasText: name }).first().click()
    await page.waitForURL(/columns=/)
    await page.goBack()
    await expect.poll(() => new URL(page.url()).search).toBe('?symbol=2330')
    await page.context().close()
  })

  it('the explorer names the unknown filters and columns of a URL, and the existing filters and columns', async () => {
    const page = await opened('/explore/daily-prices?symbol=2330&colour=red&columns=close,taste&sort=-smell')
    const words = () => page.locator('#left-out').innerText()
    await expect.poll(words).toContain('Unknown filters, ignored: colour. Available: symbol, market, start_date, end_date, range.')
    await expect.poll(words).toMatch(/Unknown columns, ignored: taste, smell\. Available: .*close/)
    await page.locator('thead button.head').first().click()
    await page.waitForURL(/sort=-close/)
    await expect.poll(() => page.locator('#left-out').count()).toBe(0)
    await page.context().close()
  })

  it('a click on a histogram bar filters by its date range', async () => {
    const page = await opened('/explore/daily-prices?symbol=2330&columns=trade_date,close')
    const bar = page.locator('thead th').first().locator('[data-bar]').first()
    await bar.waitFor({ state: 'attached' })
    const tooltip = (await bar.locator('title').textContent())!
    await bar.click()
    await page.waitForURL('**start_date=**')
    const query = new URL(page.url()).searchParams
    expect(tooltip.startsWith(`${query.get('start_date')} to below `)).toBe(true)
    const rows = Number(tooltip.split(': ')[1]!.replaceAll(',', ''))
    await expect.poll(() => page.locator('table[role=grid]').getAttribute('aria-rowcount')).toBe(String(rows + 1))
    await page.context().close()
  })

  it('a click on a histogram bar scrolls to its range when the column has no filter', async () => {
    const page = await opened('/explore/securities-firm-master?columns=established_date')
    const bars = page.locator('thead th').first().locator('[data-bar]')
    await bars.last().waitFor({ state: 'attached' })
    const from = /^(\S+) to below/.exec((await bars.last().locator('title').textContent())!)![1]!
    await bars.last().click()
    await page.waitForURL('**sort=established_date')
    const inSight = async () => {
      const texts = await page.locator('tbody tr[data-row] td').allInnerTexts()
      return texts.length > 0 && texts.includes('…') === false && texts.some(text => /^\d/.test(text) && text >= from)
    }
    await expect.poll(inSight).toBe(true)
    await page.context().close()
  })
})
