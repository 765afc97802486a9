import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadCatalog } from '../../../catalog/index.ts'
import { openWorkspace } from '../../../ingest/publish/index.ts'
import { compact } from '../../../portal/parts/figures.ts'
import { readEmail } from '../../../src/accounts/index.ts'
import { NOW, publishRows } from '../../support.ts'
import { WITHOUT } from './chromium.ts'
import { axe, DESKTOP, openPortal, PHONE, type Portal, picture, scrollsSideways, WITH_SAMPLES } from './portal.ts'

type Row = Readonly<Record<string, unknown>>

describe.skipIf(WITHOUT !== '')(`explorer${WITHOUT}`, () => {
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

  it('the explorer shows rows of every sample dataset if the URL names only the dataset', { timeout: 300_000 }, async () => {
    const page = await portal.visit('/datasets')
    for (const slug of WITH_SAMPLES) {
      await page.goto(`${portal.url}/explore/${slug}`)
      if ((await page.locator('h1').textContent())?.startsWith('Unknown dataset')) continue
      const rows = page.locator('table[role=grid] tr[data-row] td').first()
      const isShown = await rows.waitFor({ timeout: 60_000 }).then(
        () => true,
        () => false,
      )
      expect.soft(isShown, `${slug}: has rows`).toBe(true)
      expect.soft(await page.locator('.notice.warn').count(), `${slug}: warnings`).toBe(0)
    }
    await page.context().close()
  })

  it('every cell of the table shows its whole text or clips it', async () => {
    for (const path of ['/explore/securities', '/explore/dividend-decisions', '/zh/explore/daily-prices', '/explore/balance-sheet']) {
      const page = await opened(path)
      await page.waitForSelector('tr[data-row] td .name:not(:empty)')
      const cells = await page.evaluate<readonly { text: string; isClipped: boolean; hangsOver: boolean }[]>(`
        [...document.querySelectorAll('tr[data-row] td')].map(cell => {
          const text = document.createRange()
          text.selectNodeContents(cell)
          return {
            text: cell.innerText,
            isClipped: cell.matches('.clipped, :has(.clipped)'),
            hangsOver: text.getBoundingClientRect().right > cell.getBoundingClientRect().right,
          }
        })`)
      expect(
        cells.filter(({ isClipped, hangsOver }) => hangsOver && !isClipped),
        path,
      ).toEqual([])
      expect(
        cells.some(({ isClipped }) => !isClipped),
        `${path}: numbers are not clipped`,
      ).toBe(true)
      await page.context().close()
    }
  })

  it('the explorer keeps the query in the URL for the back and forward buttons', async () => {
    const page = await opened('/explore/daily-prices?symbol=2330')
    await page
      .getByRole('button', { name: /^Close/ })
      .first()
      .click()
    await page.waitForURL('**/explore/daily-prices?symbol=2330&sort=-close')
    const greatest = async () => Number((await page.locator('tbody tr[aria-rowindex="2"] td').nth(7).textContent())!.replaceAll(',', ''))
    await page.waitForSelector('th[aria-sort=descending]')
    const response = await fetch(`${portal.url}/v2/datasets/daily-prices?symbol=2330&sort=-close&limit=1`, {
      headers: { 'x-api-key': portal.keyOn('pro') },
    })
    const { envelope } = (await response.json()) as { readonly envelope: { readonly data: readonly Row[] } }
    await expect.poll(greatest).toBe(envelope.data[0]!['close'])
    await page.fill('input[name=end_date]', '2026-06-30')
    await page.fill('input[name=start_date]', '2026-06-01')
    await page.getByRole('button', { name: 'Show' }).click()
    await page.waitForURL('**start_date=2026-06-01**')
    await page.goBack()
    await expect.poll(() => new URL(page.url()).search).toBe('?symbol=2330&sort=-close')
    await expect.poll(() => page.inputValue('input[name=start_date]')).toBe('')
    await expect.poll(greatest).toBe(envelope.data[0]!['close'])
    await page.goForward()
    await expect.poll(() => page.inputValue('input[name=start_date]')).toBe('2026-06-01')
    await page.context().close()
  })

  it('the explorer shows rows and credits of a query before it reads', async () => {
    const page = await opened('/explore/daily-prices?symbol=2330')
    const foretold = await fetch(`${portal.url}/v2/datasets/daily-prices?symbol=2330&limit=100000&format=csv&dry_run=true`, {
      headers: { 'x-api-key': portal.keyOn('pro') },
    }).then(answer => answer.json() as Promise<{ readonly rows: number; readonly credits: number }>)
    await expect.poll(() => page.locator('.foretold').textContent()).toContain(`${foretold.rows.toLocaleString('en')} rows`)
    await expect.poll(() => page.locator('.foretold').textContent()).toContain(`${foretold.credits} credit`)
    await page.context().close()
  })

  it.each([
    { language: 'zh', heads: ['張', '元'], exactly: ['股', '元'], digits: '完整數字', csv: '下載這些資料（CSV）' },
    { language: 'en', heads: ['shares', 'TWD'], exactly: ['shares', 'TWD'], digits: 'all digits', csv: 'CSV of these rows' },
  ] as const)(
    'the explorer ($language) shows share counts and amounts in the chosen units, with all digits on hover and in files',
    async ({ language, heads, exactly, digits, csv }) => {
      const query = 'symbol=2330&columns=trade_date,close,volume,turnover&sort=-volume'
      const response = await fetch(`${portal.url}/v2/datasets/daily-prices?${query}&limit=1`, {
        headers: { 'x-api-key': portal.keyOn('pro') },
      })
      const { envelope } = (await response.json()) as { readonly envelope: { readonly data: readonly Record<string, number>[] } }
      const { trade_date, volume = 0, turnover = 0, close = 0 } = envelope.data[0]!
      const full = (value: number) => value.toLocaleString('en', { maximumFractionDigits: 6 })
      const page = await opened(`${language === 'zh' ? '/zh' : ''}/explore/daily-prices?${query}`)
      const cells = page.locator('tbody tr[aria-rowindex="2"] td')
      const lots = volume / 1_000
      expect(lots).toBeGreaterThan(10)
      const shares = language === 'zh' ? full(Math.round(lots)) : compact(volume, 'en', true)
      await expect.poll(() => cells.allTextContents()).toEqual([trade_date, full(close), shares, compact(turnover, language, true)])
      const titles = [null, null, `${full(volume)} ${exactly[0]}`, `${full(turnover)} ${exactly[1]}`]
      const titlesOf = async () => Promise.all((await cells.all()).map(cell => cell.getAttribute('title')))
      expect(await titlesOf()).toEqual(titles)
      const headsOf = () => page.locator('thead .title small').allTextContents()
      const unitsOf = async () => (await headsOf()).slice(2).map(text => text.trim().split(' ').at(-1))
      expect(await unitsOf()).toEqual(heads)
      const coming = page.waitForEvent('download')
      await page.getByRole('button', { name: csv }).click()
      const [, line] = (await readFile(await (await coming).path(), 'utf8')).split('\r\n')
      expect(line).toBe([trade_date, close, volume, turnover].join())
      await page.click('#display-button')
      await page.getByRole('button', { name: digits }).click()
      await page.getByRole('button', { name: language === 'zh' ? '股' : 'shares', exact: true }).click()
      await expect.poll(() => cells.allTextContents()).toEqual([trade_date, full(close), full(volume), full(turnover)])
      expect(await titlesOf()).toEqual(titles)
      expect(await unitsOf()).toEqual(exactly)
      await page.context().close()
    },
  )

  it('the explorer loads further pages on scroll and reports the row count to assistive technology', async () => {
    const page = await opened('/explore/daily-prices?symbol=2330,2317')
    const counted = async () => Number(await page.locator('table[role=grid]').getAttribute('aria-rowcount')) - 1
    await expect.poll(counted).toBeGreaterThan(1_000)
    const rows = await counted()
    await expect.poll(() => page.locator('tbody tr').count()).toBeLessThan(100)
    await page.focus('table[role=grid]')
    await page.keyboard.press('Control+End')
    await expect
      .poll(() =>
        page
          .locator(`tbody tr[aria-rowindex="${rows + 1}"] td`)
          .first()
          .textContent(),
      )
      .toMatch(/^\d{4} /)
    await expect.poll(() => page.locator('.rows-cell').textContent()).toContain(`row ${rows}`)
    await page.context().close()
  })

  it('the explorer names securities, charts two columns and saves the shown rows', async () => {
    const page = await opened('/explore/institutional-positioning?rows=day&sort=-foreign_net_buy')
    await page.getByRole('button', { name: 'Chart' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('chart')).toBe('ticker,foreign_net_buy')
    await expect.poll(() => page.locator('.column-bars tbody tr').count()).toBe(30)
    await expect.poll(() => page.locator('tbody td .name').allInnerTexts()).toContain('TSMC')
    const coming = page.waitForEvent('download')
    await page.getByRole('button', { name: 'CSV of these rows' }).click()
    const lines = (await readFile(await (await coming).path(), 'utf8')).trimEnd().split('\r\n')
    expect(lines[0]).toContain('ticker,market,trade_date,foreign_net_buy')
    await expect.poll(async () => Number(await page.locator('table[role=grid]').getAttribute('aria-rowcount'))).toBe(lines.length)
    await page.locator('tbody td a').first().click()
    await page.waitForURL('**/company/*')
    await page.context().close()
  })

  it.each([
    ['/explore/institutional-positioning?rows=day&chart=ticker,foreign_net_buy', /^(up|down)$/],
    ['/explore/valuation?rows=day&chart=ticker,pe_ratio', /^$/],
  ])('bars have the colours of a rise and a fall only if the sign states a change: %s', async (path, colour) => {
    const page = await opened(path)
    const bars = page.locator('.column-bars td span')
    await bars.first().waitFor()
    await bars.first().scrollIntoViewIfNeeded()
    await picture(page, `explore-bars-${path.split(',')[1]}`)
    for (const bar of await bars.all()) expect(await bar.getAttribute('class')).toMatch(colour)
    await page.context().close()
  })

  it('the table of the explorer has a shadow at its edge until its last column is visible', async () => {
    const page = await opened('/explore/institutional-positioning?rows=day', PHONE)
    const hasShadow = () => page.evaluate<boolean>(`getComputedStyle(document.querySelector('.rows-edge'), '::after').content !== 'none'`)
    await expect.poll(hasShadow).toBe(true)
    await page.evaluate(`document.querySelector('.rows-scroll').scrollTo(100_000, 0)`)
    await expect.poll(hasShadow).toBe(false)
    await page.context().close()
  })

  it('the explorer shows a figure next to the key on a phone', async () => {
    const first = async (path: string) => {
      const page = await opened(path, PHONE)
      const heads = await page.locator('thead th .label').allInnerTexts()
      await page.locator('table[role=grid]').focus()
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowRight')
      await expect.poll(() => page.locator('.rows-cell code').textContent()).not.toBe(null)
      const named = await page.locator('.rows-cell code').textContent()
      const box = (await page.locator('td.active').boundingBox())!
      const table = (await page.locator('.rows-scroll').boundingBox())!
      await page.context().close()
      return { heads, named, isVisible: box.x + box.width <= table.x + table.width + 1 }
    }
    const day = await first('/explore/institutional-positioning?rows=day&sort=-foreign_net_buy')
    expect(day.heads.slice(0, 2)).toEqual(['Ticker', 'Foreign net buy'])
    expect(day).toMatchObject({ named: 'foreign_net_buy', isVisible: true })
    const history = await first('/explore/daily-prices?symbol=2330')
    expect(history.heads.slice(0, 2)).toEqual(['Trade date', 'Open'])
    expect(history).toMatchObject({ named: 'open', isVisible: true })
    const two = await first('/explore/daily-prices?symbol=2330,2317')
    expect(two.heads.slice(0, 3)).toEqual(['Ticker', 'Trade date', 'Open'])
  })

  it('the explorer does not reload rows while the form changes', async () => {
    const page = await opened('/explore/daily-prices?symbol=2330')
    await page.waitForLoadState('networkidle')
    const requests: string[] = []
    page.on('request', request => requests.push(request.url()))
    const foretold = '**dry_run=true**'
    await page.route(foretold, route =>
      route.fulfill({ status: 422, json: { error: { error_code: 'bad_request', error_message: 'No.' } } }),
    )
    await page.fill('input[name=end_date]', '2026-06-30')
    await page.getByText('No.', { exact: false }).first().waitFor()
    await page.unroute(foretold)
    const answer = page.waitForResponse(response => response.url().includes('dry_run'))
    await page.fill('input[name=end_date]', '2026-06-29')
    await answer
    await page.waitForLoadState('networkidle')
    // Names of securities may be requested after the rows have arrived.
    expect(requests.filter(url => !/dry_run|\/v2\/query/.test(url))).toEqual([])
    await expect.poll(() => page.locator('tbody tr[data-row] td').count()).toBeGreaterThan(0)
    await page.context().close()
  })

  it('a filter box accepts words with spaces', async () => {
    const page = await opened('/explore/securities')
    const box = page.locator('.filter input[list$=-seen]').first()
    await box.pressSequentially('a b ')
    await expect.poll(() => box.inputValue()).toBe('a b ')
    await page.context().close()
  })

  it('a focused column heading shows meaning and unit', async () => {
    const page = await opened('/explore/daily-prices?symbol=2330')
    await page.locator('thead button.head').nth(8).focus()
    const tip = page.locator('[role=tooltip]:popover-open')
    await expect.poll(() => tip.textContent()).toContain('shares')
    await page.keyboard.press('Escape')
    await expect.poll(() => tip.count()).toBe(0)
    await page.context().close()
  })

  it('the explorer refuses downloads to a signed-out visitor and offers to sign in', async () => {
    const page = await opened('/explore/daily-prices?symbol=2330')
    await page.getByText('Download', { exact: true }).first().click()
    await page.getByRole('button', { name: 'Download' }).click()
    await expect.poll(() => page.locator('.download [role=alert]').textContent()).toContain('Sign in')
    await page.context().close()
  })

  it('the explorer is free for a signed-in user and downloads the bytes of the API response', async () => {
    const { accounts, sessions } = portal.service.control
    const account = accounts.ensure(readEmail('downloads@example.test')!, NOW)
    const page = await portal.visit('/datasets')
    await page.context().addCookies([{ name: 'twmd-session', value: sessions.open(account.id, NOW).token, url: portal.url }])
    await page.goto(`${portal.url}/explore/daily-prices?symbol=2330&columns=trade_date,close`)
    await page.waitForSelector('tbody tr[data-row] td')
    // Visitors are allowed here, so previews are free, and the page states so before the request.
    await expect.poll(() => page.locator('.foretold').textContent()).toContain('free on this page; 1 credit per read with a key')
    await page.getByText('Download', { exact: true }).first().click()
    await page.selectOption('#format', 'ndjson')
    const coming = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    const download = await coming
    expect(download.suggestedFilename()).toBe('daily-prices-2330.ndjson')
    const address = `${portal.url}/v2/datasets/daily-prices?symbol=2330&columns=trade_date,close&limit=100000&format=ndjson`
    const sent = await (await fetch(address, { headers: { 'x-api-key': portal.keyOn('free') } })).arrayBuffer()
    expect((await readFile(await download.path())).equals(Buffer.from(sent))).toBe(true)
    await expect.poll(() => page.locator('.download [role=status]').textContent()).toContain('for 1 credit')
    await page.goto(`${portal.url}/account`)
    await expect.poll(() => page.locator('#credits-left').innerText()).toBe('999')
    await page.context().close()
  })

  it('the explorer shows an older release and marks the differences', async () => {
    const dataset = (await loadCatalog()).get('daily-prices')!
    const url = '/v2/datasets/daily-prices?symbol=2330&limit=2'
    const read = async () => {
      const answer = await fetch(`${portal.url}${url}`, { headers: { 'x-api-key': portal.keyOn('free') } })
      const { envelope } = (await answer.json()) as { readonly envelope: { readonly data: readonly Row[] } }
      return { release: answer.headers.get('x-release')!, rows: envelope.data }
    }
    const older = await read()
    const workspace = await openWorkspace(portal.dir, () => NOW)
    const revised = { ...older.rows[0]!, close: Number(older.rows[0]!['close']) + 5, high: Number(older.rows[0]!['high']) + 5 }
    const others = older.rows.slice(1)
    expect(others).toHaveLength(1)
    await publishRows(workspace, portal.dir, dataset, await sliceOf(revised), { synthetic: true, accept: ['drift', 'repeated'] })
    workspace.close()
    await portal.service.refresh()
    const newer = await read()
    expect(newer.release).not.toBe(older.release)
    const page = await opened('/explore/daily-prices?symbol=2330')
    await page.getByText('Compare with an older release').click()
    await page.locator('.releases input[type=range]').focus()
    await page.keyboard.press('ArrowLeft')
    await page.waitForURL(`**release=${older.release}`)
    await page.waitForSelector('td.changed')
    await expect.poll(() => page.locator('.outcome').textContent()).toContain('1 changed, 0 added, 0 removed')
    await expect
      .poll(() => page.locator('td.changed').allTextContents())
      .toEqual(['high', 'close'].map(name => Number(older.rows[0]![name]).toLocaleString('en')))
    await expect.poll(() => page.locator('td.changed').last().getAttribute('title')).toContain(Number(revised.close).toLocaleString('en'))
    // A row whose revised value is outside the range is marked as removed, although it is still
    // served.
    const { close, trade_date } = older.rows[0]!
    await page.goto(
      `${portal.url}/explore/daily-prices?symbol=2330&start_date=${trade_date}&range=close:${close}..${close}&release=${older.release}`,
    )
    await page.waitForSelector('td.removed')
    await expect.poll(() => page.locator('.outcome').textContent()).toContain('0 changed, 0 added, 1 removed')
    await expect.poll(() => page.locator('td.removed').first().getAttribute('title')).toContain('no longer in the range')
    await page.context().close()

    /**
     * The rows of that row's day and market, which are published together, with the row replaced.
     */
    async function sliceOf(row: Row): Promise<readonly Row[]> {
      const path = `/v2/datasets/daily-prices/cross-section?date=${row['trade_date']}&market=${row['market']}`
      const answer = await fetch(`${portal.url}${path}`, { headers: { 'x-api-key': portal.keyOn('max') } })
      const { envelope } = (await answer.json()) as { readonly envelope: { readonly data: readonly Row[] } }
      return envelope.data.map(one => (one['ticker'] === row['ticker'] ? row : one))
    }
  })

  it('the sample code of the explorer requests the rows on the page', async () => {
    const page = await opened('/explore/daily-prices?symbol=2330&columns=trade_date,close&sort=-close')
    const code = await page.locator('.samples pre', { hasText: 'sort=-close' }).textContent()
    const address = /"(http[^"]+)"/.exec(code!)![1]!
    expect(code).not.toContain('sk_')
    const answer = await fetch(address, { headers: { 'x-api-key': portal.keyOn('max') } })
    const { envelope } = (await answer.json()) as { readonly envelope: { readonly data: readonly Record<string, unknown>[] } }
    expect(Object.keys(envelope.data[0]!)).toEqual(['trade_date', 'close'])
    await expect.poll(() => page.locator('tbody tr[aria-rowindex="2"] td').first().textContent()).toBe(envelope.data[0]!['trade_date'])
    await page.context().close()
  })

  it.each([
    ['desktop, light', 'en', { ...DESKTOP, theme: 'light' }],
    ['phone, dark', 'zh', { ...PHONE, theme: 'dark' }],
  ] as const)('the explorer (%s) passes axe', async (display, language, how) => {
    const page = await opened(`${language === 'zh' ? '/zh' : ''}/explore/institutional-positioning?symbol=2330`, how)
    await page.waitForLoadState('networkidle')
    for (const summary of await page.locator('summary').all())
      if (!(await summary.locator('..').getAttribute('open'))) await summary.click()
    expect(await axe(page)).toEqual([])
    expect(await scrollsSideways(page)).toBe(false)
    await picture(page, `explore-open-${language}-${display.split(',')[0]}`)
    await page.context().close()
  })
})
