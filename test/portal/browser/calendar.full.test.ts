import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WITHOUT } from './chromium.ts'
import { openPortal, type Portal } from './portal.ts'

describe.skipIf(WITHOUT !== '')(`calendar page${WITHOUT}`, () => {
  let portal: Portal
  beforeAll(async () => {
    portal = await openPortal()
  })
  afterAll(async () => {
    expect(portal?.faults).toEqual([])
    await portal?.close()
  })

  it('the calendar page opens at today with publications and due datasets', async () => {
    const page = await portal.visit('/market/calendar')
    await page.locator('#day tbody tr', { hasText: 'Daily prices' }).first().waitFor()
    await expect.poll(() => page.locator('.month [aria-pressed=true]').innerText()).toMatch(/^1\s/)
    const { data } = (await (await fetch(`${portal.url}/v2/updates?published_since=2026-07-01&limit=1000`)).json()) as { data: unknown[] }
    await expect.poll(() => page.locator('#day tbody tr').count()).toBe(data.length)
    const next = page.locator('#standings tr', { hasText: 'Institutional positioning' })
    await next.waitFor()
    await expect.poll(() => next.innerText()).toContain('2026-07-02 18:00')
    await page.locator('.month button', { hasText: /^2\s/ }).click()
    await page.locator('#day li', { hasText: 'due at 18:00' }).first().waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe('?day=2026-07-02')
  })

  it('the calendar page names the holiday and keeps the selected day in the URL', async () => {
    const page = await portal.visit('/zh/market/calendar?day=2026-06-19')
    await page.locator('#day', { hasText: '休市：端午節' }).waitFor()
    await page.getByRole('button', { name: '上個月' }).click()
    await page.locator('.month .shut', { hasText: '勞動節' }).waitFor()
    await expect.poll(() => new URL(page.url()).search).toBe('?day=2026-05-01')
    await page.reload()
    await page.locator('#day', { hasText: '休市：勞動節' }).waitFor()
  })

  it('the calendar page requests all dataset states in parallel and marks unscheduled datasets', async () => {
    const page = await portal.visit('/docs')
    const requests: string[] = []
    page.on('request', request => requests.push(new URL(request.url()).pathname))
    await page.goto(`${portal.url}/market/calendar`)
    await page.locator('#standings tbody tr').first().waitFor()
    await page.waitForLoadState('networkidle')
    const { data } = (await (await fetch(`${portal.url}/v2/datasets`)).json()) as { data: { slug: string; known_gaps: string[] }[] }
    await expect.poll(() => page.locator('#standings tbody tr').count()).toBe(data.length)
    expect(requests.filter(path => path.startsWith('/v2/datasets') && !path.includes('trading-calendar'))).toEqual(['/v2/datasets'])
    const unscheduled = data.filter(({ known_gaps: gaps }) => gaps.includes('no_scheduled_producer')).length
    await expect.poll(() => page.locator('#standings td[title="No scheduled producer"]').count()).toBe(unscheduled)
  })

  it('the calendar page shows today for an invalid day', async () => {
    const page = await portal.visit('/market/calendar?day=2026-13-45')
    await expect.poll(() => page.locator('#day h2').innerText()).toBe('2026-07-01')
  })
})
