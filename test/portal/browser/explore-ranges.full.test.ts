import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WITHOUT } from './chromium.ts'
import { axe, openPortal, PHONE, type Portal, scrollsSideways } from './portal.ts'

describe.skipIf(WITHOUT !== '')(`explorer ranges${WITHOUT}`, () => {
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
  type Opened = Awaited<ReturnType<typeof opened>>
  const rowsOf = (page: Opened) => page.locator('table[role=grid]').getAttribute('aria-rowcount')
  const rangeOf = (page: Opened) => new URL(page.url()).searchParams.get('range')

  it('a click on a histogram bar filters rows, price, histogram and sample code, and the filter chip removes the range', async () => {
    const page = await opened('/explore/daily-prices?symbol=2330&columns=close')
    const bars = page.locator('thead th').first().locator('[data-bar]')
    await bars.first().waitFor({ state: 'attached' })
    const whole = await rowsOf(page)
    const tooltip = (await bars.first().locator('title').textContent())!
    const rows = Number(tooltip.split(': ')[1]!.replaceAll(',', ''))
    await bars.first().click()
    await page.waitForURL(/range=/)
    const [, from, to] = /^close:(.+)\.\.<(.+)$/.exec(rangeOf(page)!)!
    expect(tooltip.startsWith(`${Number(from).toLocaleString('en')} to below ${Number(to).toLocaleString('en')}`)).toBe(true)
    await expect.poll(() => rowsOf(page)).toBe(String(rows + 1))
    await expect.poll(() => page.locator('.foretold').textContent()).toMatch(new RegExp(`^${rows.toLocaleString('en')} rows`))
    const counted = async () => {
      const titles = await bars.locator('title').allTextContents()
      return titles.map(title => Number(title.split(': ')[1]!.replaceAll(',', ''))).reduce((sum, count) => sum + count, 0)
    }
    await expect.poll(counted).toBe(rows)
    const chip = page.locator('.chip')
    await expect.poll(() => chip.innerText()).toMatch(/^Close .* to below /i)
    const code = (await page.locator('.samples pre').textContent())!
    const answer = await fetch(/"(http[^"]+)"/.exec(code)![1]!, { headers: { 'x-api-key': portal.keyOn('max') } })
    expect(answer.headers.get('x-row-count')).toBe(String(rows))
    await chip.click()
    await expect.poll(() => rowsOf(page)).toBe(whole)
    await expect.poll(async () => [rangeOf(page), await chip.count()]).toEqual([null, 0])
    await page.goBack()
    await expect.poll(() => rowsOf(page)).toBe(String(rows + 1))
    await expect.poll(() => chip.count()).toBe(1)
    await page.context().close()
  })

  it('the range form sets ranges of several columns by keyboard and rejects text that is not a number', async () => {
    const page = await opened('/explore/daily-prices?symbol=2330&columns=close,volume')
    await page.selectOption('select[name=range_column]', 'close')
    await page.locator('input[name=range_from]').fill('1,200')
    await page.locator('input[name=range_from]').press('Enter')
    await page.waitForURL(/range=close:1200\.\.&/)
    await page.locator('input[name=range_to]').fill('1400')
    await page.locator('input[name=range_to]').press('Enter')
    await page.waitForURL(/range=close:1200\.\.1400&/)
    await page.selectOption('select[name=range_column]', 'volume')
    await expect.poll(() => page.inputValue('input[name=range_from]')).toBe('')
    await page.locator('input[name=range_to]').fill('100000000000')
    await page.locator('input[name=range_to]').press('Enter')
    await page.waitForURL(/range=close:1200\.\.1400,volume:\.\.100000000000&/)
    await expect.poll(() => page.locator('.chip').count()).toBe(2)
    const downloads = await page.request.get(
      `${portal.url}/v2/datasets/daily-prices?symbol=2330&limit=100000&range=close:1200..1400,volume:..100000000000`,
      { headers: { 'x-api-key': portal.keyOn('max') } },
    )
    await expect.poll(() => rowsOf(page)).toBe(String(Number(downloads.headers()['x-row-count']) + 1))
    await page.locator('input[name=range_to]').fill('many')
    await page.locator('input[name=range_to]').press('Enter')
    await expect.poll(() => page.locator('input[name=range_to]:invalid').count()).toBe(1)
    expect(rangeOf(page)).toBe('close:1200..1400,volume:..100000000000')
    await page.context().close()
  })

  it('sorting the rows or removing a range by its chip keeps form input that is not yet applied', async () => {
    const page = await opened('/explore/daily-prices?symbol=2330&columns=close,volume&range=close:1.5..,volume:0..')
    await page.locator('input[name=symbol]').fill('23')
    await page.selectOption('select[name=range_column]', 'volume')
    await page.locator('input[name=range_from]').fill('1')
    await page.locator('input[name=range_from]').press('Tab')
    await page.locator('.chip', { hasText: 'close' }).click()
    await page.waitForURL(url => url.searchParams.get('range') === 'volume:0..')
    const typed = async () => [await page.inputValue('input[name=symbol]'), await page.inputValue('input[name=range_from]')]
    const parameters = () => ['symbol', 'range'].map(name => new URL(page.url()).searchParams.get(name))
    await expect.poll(() => page.locator('.chip').allInnerTexts()).toEqual([expect.stringMatching(/^volume .*1/i)])
    expect([await typed(), parameters()]).toEqual([
      ['23', '1'],
      ['2330', 'volume:0..'],
    ])
    await page.locator('th button.head').first().click()
    await page.waitForURL(/sort=-close/)
    expect([await typed(), parameters()]).toEqual([
      ['23', '1'],
      ['2330', 'volume:0..'],
    ])
    await page.locator('.chip').click()
    await page.waitForURL(url => !url.searchParams.has('range'))
    expect([await typed(), parameters()]).toEqual([
      ['23', ''],
      ['2330', null],
    ])
    await page.context().close()
  })

  it('a click on a histogram bar of a filtered column stays within the current range', async () => {
    const page = await opened('/explore/daily-prices?symbol=2330&columns=close')
    const bars = page.locator('thead th').first().locator('[data-bar]')
    await bars.first().waitFor({ state: 'attached' })
    const edge = Number(/^([\d.,]+) to/.exec((await bars.nth(1).locator('title').textContent())!)![1]!.replaceAll(',', ''))
    await page.goto(`${portal.url}/explore/daily-prices?symbol=2330&columns=close&range=close:${edge + 0.5}..${edge + 1000.5}`)
    await page.waitForSelector('table[role=grid] tr[data-row] td')
    await bars.first().waitFor({ state: 'attached' })
    await bars.first().click()
    await page.waitForURL(
      url => /\.\.<?/.test(url.searchParams.get('range') ?? '') && !url.searchParams.get('range')!.endsWith(`..${edge + 1000.5}`),
    )
    await expect.poll(() => rangeOf(page)).toMatch(new RegExp(`^close:${edge + 0.5}\\.\\.<`))
    await page.context().close()
  })

  it('the explorer reports a range on a text column and ignores it', async () => {
    const page = await opened('/explore/daily-prices?symbol=2330&range=name:1..2,close:0..')
    await expect.poll(() => page.locator('#left-out').innerText()).toContain('Unknown columns, ignored: name.')
    await expect.poll(() => page.locator('.chip').count()).toBe(1)
    await page.context().close()
  })

  it('ranges on a Chinese phone page are labelled, pass axe and do not scroll sideways', async () => {
    const page = await opened(
      '/zh/explore/institutional-positioning?symbol=2330&range=foreign_net_buy:-1000000000000..,dealer_net_buy:..<1000000000000',
      {
        ...PHONE,
        theme: 'dark',
      },
    )
    await page.waitForLoadState('networkidle')
    await expect
      .poll(() => page.locator('.chip').allInnerTexts())
      .toEqual([expect.stringContaining('以上'), expect.stringContaining('未滿')])
    expect(await axe(page)).toEqual([])
    expect(await scrollsSideways(page)).toBe(false)
    await page.context().close()
  })
})
