import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WITHOUT } from './chromium.ts'
import { openPortal, type Portal } from './portal.ts'

describe.skipIf(WITHOUT !== '')(`the calendar in a browser${WITHOUT}`, () => {
  let portal: Portal
  beforeAll(async () => {
    portal = await openPortal()
  })
  afterAll(async () => {
    expect(portal?.faults).toEqual([])
    await portal?.close()
  })

  it('opens at today, with what was published and what is due next', async () => {
    const page = await portal.visit('/market/calendar')
    await page.locator('#day tbody tr', { hasText: 'daily-prices' }).waitFor()
    expect(await page.locator('.month [aria-pressed=true]').innerText()).toMatch(/^1\s/)
    const { data } = (await (await fetch(`${portal.url}/v2/updates?published_since=2026-07-01&limit=1000`)).json()) as { data: unknown[] }
    expect(await page.locator('#day tbody tr').count()).toBe(data.length)
    const next = page.locator('#standings tr', { hasText: 'Institutional' })
    await next.waitFor()
    expect(await next.innerText()).toContain('Jul 2, 2026, 18:00')
    await page.locator('.month button', { hasText: /^2\s/ }).click()
    await page.locator('#day li', { hasText: 'is due at 18:00' }).first().waitFor()
    expect(new URL(page.url()).search).toBe('?day=2026-07-02')
  })

  it('says why the market is closed, and keeps its day in the address', async () => {
    const page = await portal.visit('/zh/market/calendar?day=2026-06-19')
    await page.locator('#day', { hasText: '休市：端午節' }).waitFor()
    await page.getByRole('button', { name: '上個月' }).click()
    await page.locator('.month .shut', { hasText: '勞動節' }).waitFor()
    expect(new URL(page.url()).search).toBe('?day=2026-05-01')
    await page.reload()
    await page.locator('#day', { hasText: '休市：勞動節' }).waitFor()
  })

  it('names every dataset, and says where one could not tell when it is due', async () => {
    const page = await portal.visit('/docs')
    await page.route('**/daily-prices/freshness', route => route.fulfill({ status: 503, json: { error: { error_message: 'Not now.' } } }))
    await page.goto(`${portal.url}/market/calendar`)
    await page.getByText('Not now.').waitFor()
    const { data } = (await (await fetch(`${portal.url}/v2/datasets`)).json()) as { data: unknown[] }
    expect(await page.locator('#standings tbody tr').count()).toBe(data.length)
  })

  it('takes a day that is none for today', async () => {
    const page = await portal.visit('/market/calendar?day=2026-13-45')
    expect(await page.locator('#day h2').innerText()).toBe('Jul 1, 2026')
  })
})
