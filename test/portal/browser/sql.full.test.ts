import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { readEmail } from '../../../src/accounts/index.ts'
import { NOW } from '../../support.ts'
import { axe, openPortal, type Portal, picture, scrollsSideways } from './portal.ts'

let portal: Portal
beforeAll(async () => {
  portal = await openPortal({ SQL: 'on' })
})
afterAll(async () => {
  await portal.close()
  expect(portal.faults).toEqual([])
})

/** A page of a signed-in user. */
async function signedIn(path: string, plan: 'free' | 'max' = 'max') {
  const { accounts, sessions } = portal.service.control
  const { id } = accounts.ensure(readEmail(`${plan}@example.test`)!, NOW)
  if (plan !== 'free') accounts.grantPlan(id, plan, {}, NOW)
  const page = await portal.visit('/docs')
  await page.context().addCookies([{ name: 'twmd-session', value: sessions.open(id, NOW).token, url: portal.url }])
  await page.goto(`${portal.url}${path}`)
  return page
}

it('the SQL page runs the query in its URL, shows its price, rows and chart, and stores it under a name', async () => {
  const query = `SELECT trade_date, close FROM daily_prices WHERE ticker = '2330' ORDER BY trade_date DESC LIMIT 30`
  const page = await signedIn(`/sql?q=${encodeURIComponent(query)}`)
  await page.getByText(/^Costs \d+ credits?/).waitFor()
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText(/^30 rows from/).waitFor()
  expect(await page.locator('tbody tr[aria-rowindex]').count()).toBeGreaterThan(5)
  await page.getByRole('heading', { name: 'Chart' }).waitFor()
  await page.getByLabel('Save as').fill('closes')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByRole('button', { name: 'Turnover by industry' }).click()
  await page.getByRole('button', { name: 'closes', exact: true }).click()
  await expect.poll(() => new URL(page.url()).searchParams.get('q')).toBe(query)
  expect(await axe(page)).toEqual([])
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'Turnover by industry' }).click()
  await page.getByText('Copy link', { exact: true }).click()
  await page.getByText('Copied', { exact: true }).waitFor()
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(page.url())
})

it.each(['/sql?q=SELECT close FROM daily_prices LIMIT 1', '/screener'])(
  'the header shows the remaining credits after a read: %s',
  async path => {
    const page = await signedIn('/pricing')
    const left = async () => Number((await page.locator('#account').innerText()).replace(/.* · /, '').replace(/\D/g, ''))
    await page.locator('#account', { hasText: 'credits' }).waitFor()
    const before = await left()
    await page.goto(`${portal.url}${path}`)
    const run = page.waitForResponse(
      response => response.url().endsWith('/v2/sql') && !/"dry_run":true/.test(response.request().postData() ?? ''),
    )
    if (path.startsWith('/sql')) await page.getByRole('button', { name: 'Run' }).click()
    const charged = Number((await run).headers()['x-credits-charged'])
    expect(charged).toBeGreaterThan(0)
    await expect.poll(left).toBe(before - charged)
  },
)

it('the account page names SQL in the list of charged reads', async () => {
  const page = await signedIn('/pricing')
  const address = `/v2/sql?q=${encodeURIComponent('SELECT ticker FROM institutional_positioning LIMIT 1')}`
  const status = await page.evaluate(`fetch(${JSON.stringify(address)}, { headers: { 'x-portal': '1' } }).then(({ status }) => status)`)
  expect(status).toBe(200)
  await page.goto(`${portal.url}/account#usage`)
  const line = page.locator('#ledger tbody tr', { hasText: 'pages in a browser' }).first()
  await expect.poll(() => line.locator('td, th').nth(1).innerText()).toBe('SQL')
})

it('the SQL page names the plan that a refused query requires, and no price', async () => {
  const page = await signedIn(`/sql?q=${encodeURIComponent('SELECT ticker FROM institutional_positioning LIMIT 1')}`, 'free')
  const priced = page.waitForResponse(response => /"dry_run":true/.test(response.request().postData() ?? ''))
  await (await priced).finished()
  await page.getByRole('button', { name: 'Run' }).click()
  const refused = page.getByRole('alert')
  await refused.waitFor()
  expect(await refused.innerText()).toContain('requires the plan Pro')
  expect(await page.getByText(/^Costs /).count()).toBe(0)
})

it('the SQL page saves the rows of each of its examples as the API sends them', async () => {
  const page = await signedIn('/sql')
  for (const name of ['Cheap and growing', 'Revenue surprise', 'Flows against price', 'Turnover by industry']) {
    await page.getByRole('button', { name, exact: true }).click()
    const asked = page.waitForResponse(
      response => response.url().endsWith('/v2/sql') && !/"dry_run":true/.test(response.request().postData() ?? ''),
    )
    await page.getByRole('button', { name: 'Run' }).click()
    const { data } = (await (await asked).json()) as { data: readonly Readonly<Record<string, unknown>>[] }
    // The samples may contain no stock that is cheap and growing.
    if (name === 'Cheap and growing' && data.length === 0) continue
    expect(data.length, name).toBeGreaterThan(0)
    await page.getByText(new RegExp(`^${data.length} rows? from`)).waitFor()
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save these rows as CSV' }).click()
    const [header, ...lines] = (await readFile(await (await saved).path(), 'utf8'))
      .replace(/^\ufeff/, '')
      .trimEnd()
      .split('\r\n')
    expect(header!.split(','), name).toEqual(Object.keys(data[0]!))
    expect(lines, name).toEqual(data.map(row => Object.values(row).join()))
  }
})

it('the SQL page counts one row in the singular, names the datasets that it read and marks a table that a narrower window cuts', async () => {
  const page = await signedIn(
    `/sql?q=${encodeURIComponent("SELECT * FROM daily_prices WHERE ticker = '2330' ORDER BY trade_date LIMIT 1")}`,
  )
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText(/^1 row from/).waitFor()
  await page.getByText('Releases that were read').click()
  await expect.poll(() => page.locator('details:has-text("Releases that were read") li').innerText()).toMatch(/^Daily prices /)
  await page.setViewportSize({ width: 2_400, height: 900 })
  await page.locator('.rows-edge:not(.more)').waitFor()
  await page.setViewportSize({ width: 390, height: 844 })
  await page.locator('.rows-edge.more').waitFor({ timeout: 5_000 })
})

it('the SQL page shows the numbers of a column with the same decimals, and the exact number of a rounded one', async () => {
  const query = `SELECT (close - 0.5) / 4 AS quarter, 100 * close / open - 100 AS change, volume
FROM daily_prices WHERE ticker = '2330' ORDER BY trade_date DESC LIMIT 12`
  const page = await signedIn(`/sql?q=${encodeURIComponent(query)}`)
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByText(/^12 rows from/).waitFor()
  const decimals = async (place: number) => {
    const texts = await page.locator(`.rows tbody td:nth-child(${place})`).allInnerTexts()
    return [...new Set(texts.map(text => text.replace(/^[^.]*\.?/, '').length))]
  }
  expect([await decimals(1), await decimals(2), await decimals(3)]).toEqual([[3], [6], [0]])
  const [whole, rounded] = [1, 2].map(place => page.locator(`.rows tbody td:nth-child(${place})`).first())
  const exact = (await rounded!.getAttribute('title'))!
  expect(exact).toMatch(/\.\d{7,}$/)
  expect(Number(exact).toFixed(6)).toBe(await rounded!.innerText())
  expect(await whole!.getAttribute('title')).toBeNull()
})

it('the SQL page states why a query is refused', async () => {
  const page = await signedIn(`/sql?q=${encodeURIComponent("SELECT * FROM read_csv('/etc/passwd')")}`)
  await page.getByRole('button', { name: 'Run' }).click()
  await page.getByRole('alert').getByText('read_csv()').first().waitFor()
})

it('the screener states why it cannot load the datasets', async () => {
  const page = await signedIn('/pricing')
  await page.route(/\/v2\/datasets$/, route => route.abort())
  await page.goto(`${portal.url}/screener`)
  await page.getByRole('alert').getByText('No response from the service.').first().waitFor()
  await page.unroute(/\/v2\/datasets$/)
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText(/^\d+ securities in/).waitFor()
})

it('the screener lists the securities that meet its conditions, sorted by a column, with the query as SQL', async () => {
  const page = await signedIn('/zh/screener?where=valuation.pe_ratio:0..40')
  await page.getByText(/^\d+ 檔/).waitFor()
  const ratios = async () => (await page.locator('table.listing tbody td.number').allTextContents()).map(Number)
  expect((await ratios()).every(ratio => ratio >= 0 && ratio <= 40)).toBe(true)
  await page.getByRole('button', { name: /本益比/ }).click()
  await expect.poll(async () => (await ratios()).join()).toBe((await ratios()).toSorted((a, b) => b - a).join())
  // The head names the dataset of a figure and the day of its rows.
  expect(await page.locator('table.listing th.number').innerText()).toMatch(/本益比.*殖利率.*\d{4}-\d{2}-\d{2}/s)
  await page.getByText('以 SQL 表示').click()
  expect(await page.locator('pre').textContent()).toContain('FROM valuation')
  expect([await axe(page), await scrollsSideways(page)]).toEqual([[], false])
})

it('the screener shows and reads share counts in lots, and its URL and query contain shares', async () => {
  const page = await signedIn('/zh/screener?where=daily-prices.volume:1000000..')
  await page.getByText(/^\d+ 檔/).waitFor()
  const condition = page.locator('.conditions li').first()
  const from = condition.getByLabel('下限')
  expect([await from.inputValue(), await condition.locator('small').innerText()]).toEqual(['1000', '張'])
  // A focus loads the columns of all datasets.
  await from.focus()
  await expect.poll(() => condition.locator('optgroup').count()).toBeGreaterThan(3)
  await from.fill('2000.5')
  await from.blur()
  await expect.poll(() => new URL(page.url()).searchParams.get('where')).toBe('daily-prices.volume:2000500..')
  await expect.poll(() => page.locator('pre').textContent()).toContain('daily_prices_volume >= 2000500')
  expect(await page.locator('table.listing th.number').innerText()).toContain('（張）')
  await picture(page, 'screener-lots')
  await page.evaluate(`localStorage.setItem('display', '{"volume":"shares"}')`)
  await page.reload()
  await expect.poll(() => condition.locator('small').innerText()).toBe('股')
  expect(await from.inputValue()).toBe('2000500')
})
