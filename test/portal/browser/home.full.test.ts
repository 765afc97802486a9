import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEmail } from '../../../src/accounts/index.ts'
import { NOW } from '../../support.ts'
import { WITHOUT } from './chromium.ts'
import { openPortal, type Portal } from './portal.ts'

describe.skipIf(WITHOUT !== '')(`home page${WITHOUT}`, () => {
  let portal: Portal
  beforeAll(async () => {
    portal = await openPortal()
  })
  afterAll(async () => {
    await portal?.close()
  })

  it('the home page shows the index and the top institutional purchases and sales of the last day', async () => {
    const page = await portal.visit('/')
    await page.waitForSelector('.last-day .spark')
    const lists = page.locator('.last-day ol')
    await lists
      .locator('a', { hasText: /^\w+ \S/ })
      .nth(9)
      .waitFor()
    await expect.poll(() => page.locator('.last-day h2').innerText()).toBe('The last day 2026-07-01')
    for (const [index, sign] of [
      [0, /^\d/],
      [1, /^-\d/],
    ] as const)
      for (const net of await lists.nth(index).locator('.number').allInnerTexts()) expect(net).toMatch(sign)
    await expect.poll(() => lists.locator('li').count()).toBe(10)
    expect(portal.faults.splice(0)).toEqual([])
  })

  it('the home page and the empty search box list the most traded companies of the last day', async () => {
    const day = '2026-07-01'
    const answer = await fetch(`${portal.url}/v2/datasets/daily-prices/cross-section?date=${day}&sort=-turnover&limit=6&columns=ticker`, {
      headers: { 'x-portal': '1' },
    })
    const { envelope } = (await answer.json()) as { envelope: { data: { ticker: string }[] } }
    const tickers = envelope.data.map(({ ticker }) => ticker)
    const page = await portal.visit('/')
    await page.waitForSelector('#popular')
    await expect.poll(() => page.locator('#popular h2').innerText()).toBe(`Most traded on ${day}`)
    await expect.poll(() => page.locator('#popular code').allInnerTexts()).toEqual(tickers)
    await page.goto(`${portal.url}/zh/docs`)
    const requests: string[] = []
    page.on('request', request => request.url().includes('daily-prices') && requests.push(request.url()))
    await page.waitForSelector('#search input')
    expect(requests).toEqual([])
    await page.focus('#search input')
    await expect.poll(() => page.locator('[role=option] code').allInnerTexts()).toEqual(tickers)
    await expect.poll(() => page.locator('.hits [role=status]').innerText()).toBe(`${day} 成交值排行`)
    expect(portal.faults.splice(0)).toEqual([])
  })

  /** The home page of a signed-in user. */
  async function signedInAs(email: string): Promise<Page> {
    const { accounts, sessions } = portal.service.control
    const { id } = accounts.ensure(readEmail(email)!, NOW)
    const page = await portal.visit('/datasets')
    await page.context().addCookies([{ name: 'twmd-session', value: sessions.open(id, NOW).token, url: portal.url }])
    await page.goto(portal.url)
    return page
  }

  it('the home page costs a signed-in user no credit', async () => {
    const page = await signedInAs('reader@example.test')
    await page.waitForSelector('.last-day .spark')
    await expect.poll(() => page.locator('#account').innerText()).toBe('reader@example.test · 1,000 credits')
    await page.goto(`${portal.url}/account`)
    await expect.poll(() => page.locator('#credits-left').innerText()).toBe('1,000')
  })

  it('the header shortens a long address, one space before the credits', async () => {
    const page = await signedInAs('analyst.with.a.long.name@example.test')
    await expect.poll(() => page.locator('#account').innerText()).toBe('analyst.with.a.long.n… · 1,000 credits')
    await expect.poll(() => page.locator('#account').getAttribute('title')).toBe('analyst.with.a.long.name@example.test')
  })

  it('the SQL page of a service without SQL offers no repetition', async () => {
    const page = await signedInAs('reader@example.test')
    await page.goto(`${portal.url}/sql?q=${encodeURIComponent('SELECT ticker FROM daily_prices LIMIT 1')}`)
    await page.getByRole('button', { name: 'Run' }).click()
    await page.getByRole('alert').getByText('SQL is disabled on this service.').waitFor()
    expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0)
  })

  it('the home page lists what the browser viewed recently', async () => {
    const page = await portal.visit('/')
    await expect.poll(() => page.locator('.recent:not(#popular)').count()).toBe(0)
    await page.fill('#search input', '2330')
    await page.locator('[role=option]').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL('**/company/2330')
    await page.goto(`${portal.url}/zh`)
    await expect.poll(() => page.locator('.recent:not(#popular)').innerText()).toMatch(/最近瀏覽\s+台積電 2330/)
  })
})

describe.skipIf(WITHOUT !== '')(`home page without visitors${WITHOUT}`, () => {
  it('the home page omits the panels of the last day if visitors may not read', async () => {
    const portal = await openPortal({ VISITORS: 'off' })
    const page = await portal.visit('/')
    await page.waitForLoadState('networkidle')
    await expect.poll(() => page.locator('.last-day').count()).toBe(0)
    await expect.poll(() => page.locator('.hero h1').innerText()).toBe('Taiwan market data')
    expect(portal.faults).toEqual([])
    await portal.close()
  })
})
