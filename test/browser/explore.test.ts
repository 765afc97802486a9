import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WITHOUT } from './chromium.ts'
import { axe, DESKTOP, openPortal, PHONE, type Portal, picture, scrollsSideways, WITH_SAMPLES } from './portal.ts'

describe.skipIf(WITHOUT !== '')(`the explorer${WITHOUT}`, () => {
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
    await page.waitForSelector('table[role=grid] td[data-row]')
    return page
  }

  it.each(WITH_SAMPLES)('shows rows of %s without being told more than its name', async slug => {
    const page = await portal.visit(`/explore/${slug}`)
    if ((await page.locator('h1').textContent())?.startsWith('There is no')) return await page.context().close()
    await page.waitForSelector('table[role=grid] td[data-row]')
    expect(await page.locator('.notice.warn').count()).toBe(0)
    await page.context().close()
  })

  it('keeps the question in the address, so that back and forward go through it', async () => {
    const page = await opened('/explore/daily-prices?symbol=2330')
    await page.getByRole('button', { name: /close/ }).first().click()
    await page.waitForURL('**/explore/daily-prices?symbol=2330&sort=-close')
    const greatest = async () => Number((await page.locator('tbody tr[aria-rowindex="2"] td').nth(7).textContent())!.replaceAll(',', ''))
    await page.waitForSelector('th[aria-sort=descending]')
    await page.waitForSelector('tbody td[data-row]')
    const first = await greatest()
    await page.fill('input[name=end_date]', '2026-06-30')
    await page.fill('input[name=start_date]', '2026-06-01')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.waitForURL('**start_date=2026-06-01**')
    await page.goBack()
    expect(new URL(page.url()).search).toBe('?symbol=2330&sort=-close')
    expect(await page.inputValue('input[name=start_date]')).toBe('')
    await page.waitForSelector('tbody td[data-row]')
    expect(await greatest()).toBe(first)
    await page.goForward()
    expect(await page.inputValue('input[name=start_date]')).toBe('2026-06-01')
    await page.context().close()
  })

  it('says before it reads what the answer comes to, as the API foretells it', async () => {
    const page = await opened('/explore/daily-prices?symbol=2330')
    const foretold = await fetch(`${portal.url}/v2/datasets/daily-prices?symbol=2330&limit=100000&format=csv&dry_run=true`, {
      headers: { 'x-api-key': portal.keyOn('pro') },
    }).then(answer => answer.json() as Promise<{ readonly rows: number; readonly credits: number }>)
    await expect.poll(() => page.locator('.foretold').textContent()).toContain(`${foretold.rows.toLocaleString('en')} rows`)
    expect(await page.locator('.foretold').textContent()).toContain(`${foretold.credits} credit`)
    await page.context().close()
  })

  it('reads further pages as rows come into view, all of them counted for assistive technology', async () => {
    const page = await opened('/explore/daily-prices?symbol=2330,2317')
    const rows = Number(await page.locator('table[role=grid]').getAttribute('aria-rowcount')) - 1
    expect(rows).toBeGreaterThan(1_000)
    expect(await page.locator('tbody tr').count()).toBeLessThan(100)
    await page.focus('table[role=grid]')
    await page.keyboard.press('Control+End')
    await expect
      .poll(() =>
        page
          .locator(`tbody tr[aria-rowindex="${rows + 1}"] td`)
          .first()
          .textContent(),
      )
      .toMatch(/^\d{4}$/)
    expect(await page.locator('.rows-cell').textContent()).toContain(`row ${rows}`)
    await page.context().close()
  })

  it('tells by the keyboard what a column means and in which unit', async () => {
    const page = await opened('/explore/daily-prices?symbol=2330')
    await page.locator('thead button.head').nth(8).focus()
    const tip = page.locator('[role=tooltip]:popover-open')
    expect(await tip.textContent()).toContain('shares')
    await page.keyboard.press('Escape')
    expect(await tip.count()).toBe(0)
    await page.context().close()
  })

  it('hands a signed-out visitor rows to look at but no file, and says how to get one', async () => {
    const page = await opened('/explore/daily-prices?symbol=2330')
    await page.getByText('Download', { exact: true }).first().click()
    await page.getByRole('button', { name: 'Download' }).click()
    expect(await page.locator('.download [role=alert]').textContent()).toContain('sign in')
    await page.context().close()
  })

  it('takes a query along: the code asks for what the page shows', async () => {
    const page = await opened('/explore/daily-prices?symbol=2330&columns=trade_date,close&sort=-close')
    const code = await page.locator('.samples pre').textContent()
    const address = /"(http[^"]+)"/.exec(code!)![1]!
    expect(code).not.toContain('sk_')
    const answer = await fetch(address, { headers: { 'x-api-key': portal.keyOn('max') } })
    const { envelope } = (await answer.json()) as { readonly envelope: { readonly data: readonly Record<string, unknown>[] } }
    expect(Object.keys(envelope.data[0]!)).toEqual(['trade_date', 'close'])
    const shown = await page.locator('tbody tr[aria-rowindex="2"] td').first().textContent()
    expect(envelope.data[0]!['trade_date']).toBe(shown)
    await page.context().close()
  })

  it.each([
    ['desktop, light', 'en', { ...DESKTOP, theme: 'light' }],
    ['phone, dark', 'zh', { ...PHONE, theme: 'dark' }],
  ] as const)('has nothing axe finds, %s', async (look, language, how) => {
    const page = await opened(`${language === 'zh' ? '/zh' : ''}/explore/institutional-positioning?symbol=2330`, how)
    await page.waitForLoadState('networkidle')
    for (const summary of await page.locator('summary').all())
      if (!(await summary.locator('..').getAttribute('open'))) await summary.click()
    expect(await axe(page)).toEqual([])
    expect(await scrollsSideways(page)).toBe(false)
    await picture(page, `explore-open-${language}-${look.split(',')[0]}`)
    await page.context().close()
  })
})
