import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEmail } from '../../../src/accounts/index.ts'
import { NOW } from '../../support.ts'
import { WITHOUT } from './chromium.ts'
import { axe, DESKTOP, openPortal, PHONE, type Portal, picture, scrollsSideways } from './portal.ts'

/** Every kind of page, with one URL each. */
const PAGES = {
  home: '/',
  datasets: '/datasets',
  dataset: '/datasets/institutional-positioning',
  company: '/company/2330',
  companies: '/companies',
  compare: '/compare?symbols=2330,2454',
  pricing: '/pricing',
  status: '/status',
  'yield-curve': '/market/yield-curve',
  institutional: '/market/institutional',
  indices: '/market/indices',
  'heat-map': '/market/heat-map',
  calendar: '/market/calendar',
  explore: '/explore/daily-prices',
  account: '/account',
  operator: '/operator',
  docs: '/docs',
} as const

describe.skipIf(WITHOUT !== '')(`pages${WITHOUT}`, () => {
  let portal: Portal
  beforeAll(async () => {
    portal = await openPortal()
  })
  afterAll(() => portal?.close())

  it.each(Object.entries(PAGES))(
    'the %s page passes axe and its content security policy and does not scroll sideways, in both languages',
    async (name, path) => {
      // Contrast depends on the theme and text on the language, so axe checks each once. Every text
      // must fit both screens.
      for (const { language, address, looks } of [
        { language: 'en', address: path, looks: [{ ...DESKTOP, theme: 'light' }, PHONE] },
        { language: 'zh-Hant', address: `/zh${path === '/' ? '' : path}`, looks: [{ ...PHONE, theme: 'dark' }, DESKTOP] },
      ] as const) {
        const page = await portal.visit(address, looks[0])
        await page.waitForLoadState('networkidle')
        await expect.poll(() => page.locator('h1').count(), { message: `${address}: headings` }).toBe(1)
        await expect.poll(() => page.locator('html').getAttribute('lang'), { message: `${address}: language` }).toBe(language)
        expect.soft(await axe(page), `${address}: axe, ${looks[0].theme}`).toEqual([])
        await picture(page, `${name}-${language}`)
        for (const display of looks) {
          const { width, height } = display
          await page.setViewportSize({ width, height })
          expect.soft(await scrollsSideways(page), `${address}: scrolls sideways at ${width} pixels`).toBe(false)
        }
        await page.context().close()
      }
      expect(portal.faults.splice(0)).toEqual([])
    },
  )

  it('if the service has no payments, the account page states this and sells no plan', async () => {
    const { accounts, sessions } = portal.service.control
    const { id } = accounts.ensure(readEmail('unpaid@example.test')!, NOW)
    const page = await portal.visit('/pricing')
    await page.context().addCookies([{ name: 'twmd-session', value: sessions.open(id, NOW).token, url: portal.url }])
    await page.goto(`${portal.url}/account#plan`)
    await page.locator('#plan .card').first().waitFor()
    await expect.poll(() => page.locator('#plan').innerText()).toContain('This service does not accept payments.')
    expect(await page.getByRole('button', { name: /^Choose/ }).count()).toBe(0)
    await page.context().close()
  })

  it('a long address and a long key name do not make the account page scroll sideways on a phone', async () => {
    const { accounts, keys, sessions } = portal.service.control
    const { id } = accounts.ensure(readEmail('an.analyst.with.a.long.name@research.department.example.test')!, NOW)
    keys.issue(id, 'research notebook in the office on the second floor', NOW)
    const page = await portal.visit('/pricing', PHONE)
    await page.context().addCookies([{ name: 'twmd-session', value: sessions.open(id, NOW).token, url: portal.url }])
    await page.goto(`${portal.url}/account`)
    await page.locator('#keys select').nth(1).waitFor()
    expect.soft(await scrollsSideways(page), 'keys').toBe(false)
    await page.locator('.sections a[href="#closing"]').click()
    await page.locator('#closing summary').click()
    expect.soft(await scrollsSideways(page), 'closing').toBe(false)
    await page.context().close()
  })

  it.each(['/company/2330', '/docs/reading'])('the page %s prints in light colours without navigation and buttons', async path => {
    const page = await portal.visit(path, { theme: 'dark' })
    await page.waitForLoadState('networkidle')
    await page.click('#theme')
    await page.click('#theme')
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark')
    await page.emulateMedia({ media: 'print' })
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor')
    await expect.poll(background).toBe('rgb(255, 255, 255)')
    for (const hidden of ['.frame-head', '.frame-foot', '.docs-shelf', '[role=tablist]', '.copy-code button'])
      expect.soft(await page.locator(`${hidden}:visible`).count(), hidden).toBe(0)
    expect(await page.locator('h1:visible').count()).toBe(1)
    await page.context().close()
  })

  it('a printed page has complete charts in light colours and states which panels were not loaded', async () => {
    const page = await portal.visit('/company/2330', { theme: 'dark' })
    await page.waitForLoadState('networkidle')
    expect(await page.locator('#holders .skeleton').count()).toBe(1)
    const printed = Promise.withResolvers<void>()
    await page.route(/shareholder-distribution/, async route => {
      await printed.promise
      // The page may have aborted the request.
      await route.continue().catch(() => {})
    })
    await page.evaluate("dispatchEvent(new Event('beforeprint'))")
    await page.emulateMedia({ media: 'print' })
    // The top left pixel is the background of the chart.
    const picture = page.locator('#prices .on-paper canvas')
    const pixel = "document.querySelector('#prices .on-paper canvas').getContext('2d').getImageData(0, 0, 1, 1).data"
    expect(await page.evaluate<string>(`String(Array.from(${pixel}))`)).toBe('255,255,255,255')
    const [chart, panel] = [(await picture.boundingBox())!, (await page.locator('#prices').boundingBox())!]
    expect(chart.x + chart.width).toBeLessThanOrEqual(panel.x + panel.width)
    expect(await page.locator('#holders').innerText()).toContain('Not loaded when this page was printed.')
    // The next print has them.
    printed.resolve()
    await expect.poll(() => page.locator('.skeleton').count()).toBe(0)
    expect(await page.locator('#holders').innerText()).not.toContain('Not loaded')
    await expect.poll(() => page.locator('#holders canvas').count()).toBeGreaterThan(0)
    await page.context().close()
  })

  it('Ctrl+P prints a page after all panels are loaded', async () => {
    const page = await portal.visit('/company/2330')
    await page.waitForLoadState('networkidle')
    await page.evaluate('window.print = () => { window.unloaded = document.querySelectorAll(".skeleton").length }')
    await page.keyboard.press('Control+p')
    await expect.poll(() => page.evaluate('window.unloaded'), { timeout: 20_000 }).toBe(0)
    await page.context().close()
  })

  it('a printed table has no space for rows that are not drawn', async () => {
    const page = await portal.visit('/explore/daily-prices?symbol=2330')
    await page.waitForSelector('table[role=grid] tr[data-row] td')
    await page.emulateMedia({ media: 'print' })
    await expect.poll(() => page.locator('.rows .on-paper').innerText()).toMatch(/^Rows 1 to \d+ of \d+/)
    expect(await page.locator('.rows tr[aria-hidden]').count()).toBeGreaterThan(0)
    expect(await page.locator('.rows tr[aria-hidden]:visible').count()).toBe(0)
    await page.context().close()
  })

  it.each([
    ['/company/2331', '2330 TSMC'],
    ['/company/tsmc-co', 'TSMC'],
    ['/zh/company/台積', '2330 台積電'],
    ['/market/heat', 'Heat map'],
    ['/zh/docs/quick-start-guide', '2330'],
  ])('the 404 page %s suggests %s, has links and passes axe', async (path, name) => {
    const page = await portal.visit(path)
    const text = page.getByRole('searchbox')
    if (name === '2330') await text.fill('2330')
    const link = page.locator('#find a', { hasText: name }).first()
    await link.waitFor()
    expect(await page.locator('main .ways a').count()).toBe(8)
    expect(await axe(page)).toEqual([])
    const target = (await link.getAttribute('href'))!
    await link.click()
    await page.waitForURL(`**${target}`)
    expect(await page.locator('h1').count()).toBe(1)
    await page.context().close()
  })

  it('links to sections of the company page land below the sticky header', async () => {
    for (const look of [DESKTOP, PHONE]) {
      const page = await portal.visit('/company/2330', look)
      await page.waitForLoadState('networkidle')
      for (const section of ['valuation', 'institutional', 'holders']) {
        await page.locator(`.company-bar a[href="#${section}"]`).click()
        const distance = () =>
          page.evaluate<number>(
            `document.getElementById('${section}').getBoundingClientRect().top - document.querySelector('.frame-head').getBoundingClientRect().bottom`,
          )
        await expect.poll(distance, { message: `${section} at ${look.width} pixels` }).toBeGreaterThanOrEqual(0)
        await page.waitForLoadState('networkidle')
        await expect.poll(distance, { message: `${section} at ${look.width} pixels` }).toBeLessThan(24)
      }
      await page.context().close()
    }
  })

  it('the language switch leads to the same page, and the chosen theme survives a reload', async () => {
    const page = await portal.visit('/datasets/daily-prices')
    await page.click('#language')
    await expect.poll(() => new URL(page.url()).pathname).toBe('/zh/datasets/daily-prices')
    await page.click('#theme')
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark')
    await page.reload()
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark')
    await page.context().close()
  })

  it('the language switch keeps the query of the page', async () => {
    const page = await portal.visit('/market/yield-curve')
    await page.getByRole('button', { name: 'Day before' }).first().click()
    await page.waitForURL('**?day=*')
    const { search } = new URL(page.url())
    await page.click('#language')
    await page.waitForURL('**/zh/market/yield-curve**')
    expect(new URL(page.url()).search).toBe(search)
    await page.context().close()
  })

  it('the day slider requests only the rows of the day on which it stops', async () => {
    const page = await portal.visit('/market/institutional')
    await page.waitForSelector('.ranking tbody tr')
    const requests: string[] = []
    page.on('request', request => requests.push(request.url()))
    await page.waitForSelector('input[type=range]:enabled')
    // All steps in one task, so that a slow machine does not pause between them.
    await page.evaluate(`{
      const slider = document.querySelector('input[type=range]')
      for (let step = 0; step < 8; step++) {
        slider.stepDown()
        slider.dispatchEvent(new Event('input', { bubbles: true }))
      }
    }`)
    await page.waitForURL('**?day=*')
    const day = new URL(page.url()).searchParams.get('day')!
    const read = () => [
      ...new Set(requests.filter(url => url.includes('/cross-section')).map(url => new URL(url).searchParams.get('date'))),
    ]
    await expect.poll(read).toEqual([day])
    await page.locator('#buyers', { hasText: day }).locator('tbody tr').first().waitFor()
    expect(read()).toEqual([day])
    await page.context().close()
  })

  it('Enter in the search box opens the page of the typed text, not of an earlier hit', async () => {
    const page = await portal.visit('/')
    await page.fill('#search input', '2317')
    await page.locator('[role=option]', { hasText: '2317' }).first().waitFor()
    await page.fill('#search input', '2330')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/company/*')
    expect(new URL(page.url()).pathname).toBe('/company/2330')
    await page.context().close()
  })

  it('Enter in the search box confirms the text of an input method and opens no page during composition', async () => {
    const page = await portal.visit('/zh')
    await page.fill('#search input', '2330')
    await page.locator('[role=option]').first().waitFor()
    await page.dispatchEvent('#search input', 'keydown', { key: 'Enter', isComposing: true })
    // The target of the box is stored before the browser navigates.
    expect(await page.evaluate<string | null>(`localStorage.getItem('recent')`)).toBe(null)
    await page.context().close()
  })

  it('the search box finds pages and guides, and lists shortcuts', async () => {
    const page = await portal.visit('/zh')
    const guides = page.waitForResponse('**/docs/guides.json')
    await page.fill('#search input', '殖利率')
    await page.locator('[role=option]', { hasText: '公債殖利率曲線' }).first().waitFor()
    await guides
    await page.fill('#search input', 'webhook')
    await page.locator('[role=option]', { hasText: '指南' }).first().waitFor()
    await page.keyboard.press('Escape')
    await page.locator('h1').click()
    await page.keyboard.press('?')
    await expect.poll(() => page.getByRole('dialog', { name: '快速鍵' }).isVisible()).toBe(true)
    await page.context().close()
  })

  it('the company list sorts, filters by industry and keeps both in the URL', async () => {
    const page = await portal.visit('/companies')
    await page.locator('.listing tbody tr').first().waitFor()
    await page.getByRole('link', { name: /^Semiconductor/ }).click()
    await expect.poll(() => page.locator('h1').innerText()).toBe('Semiconductor industry')
    await page.getByRole('button', { name: 'P/E' }).click()
    await expect.poll(() => new URL(page.url()).searchParams.get('sort')).toBe('-pe')
    const ratios = () => page.locator('.listing tbody tr td:nth-child(6)').allInnerTexts()
    const values = (await ratios()).filter(text => text !== '–').map(text => Number(text.replaceAll(',', '')))
    expect(values.length).toBeGreaterThan(5)
    expect(values).toEqual(values.toSorted((a, b) => b - a))
    await page.reload()
    await expect.poll(() => page.locator('h1').innerText()).toBe('Semiconductor industry')
    await expect.poll(() => page.locator('.listing', { hasText: 'MediaTek' }).count()).toBe(1)
    await page.context().close()
  })

  it.each(['/market/indices', '/market/institutional'])('on a phone, no figure of %s covers another one', async path => {
    const page = await portal.visit(path, PHONE)
    await page.locator('.ranking tbody tr').first().waitFor()
    const cut = "[...document.querySelectorAll('.ranking .number')].filter(cell => cell.scrollWidth > cell.clientWidth).length"
    expect(await page.evaluate<number>(cut)).toBe(0)
    expect(await scrollsSideways(page)).toBe(false)
    await page.context().close()
  })

  it.each(['/company/2330', '/zh/company/2330', '/companies', '/zh/compare?symbols=2330,2317'])(
    'on a phone, no sentence of %s divides a date',
    async path => {
      const page = await portal.visit(path, PHONE)
      await page.locator('.chart-summary, .listing tbody tr').first().waitFor()
      const divided = await page.evaluate(`(() => {
        const found = []
        const texts = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT)
        for (let node = texts.nextNode(); node; node = texts.nextNode())
          for (const { 0: day, index } of node.data.matchAll(/\\d{4}-\\d{2}-\\d{2}/g)) {
            const range = document.createRange()
            range.setStart(node, index)
            range.setEnd(node, index + day.length)
            const lines = new Set([...range.getClientRects()].map(({ top }) => Math.round(top)))
            if (lines.size > 1 && node.parentElement.checkVisibility()) found.push(node.data)
          }
        return found
      })()`)
      expect(divided).toEqual([])
      await page.context().close()
    },
  )

  it('the company list shows every code on a phone, next to shortened names', async () => {
    const page = await portal.visit('/companies', PHONE)
    await page.locator('.listing tbody tr').first().waitFor()
    const hidden = `[...document.querySelectorAll('.listing tbody th')]
      .filter(cell => cell.querySelector('code').getBoundingClientRect().right > cell.getBoundingClientRect().right).length`
    expect(await page.evaluate<number>(hidden)).toBe(0)
    await page.context().close()
  })

  it('the watchlist shows stocks and funds together', async () => {
    const page = await portal.visit('/')
    await page.evaluate(`localStorage.setItem('watchlist', '["2330","0050"]')`)
    await page.goto(`${portal.url}/companies?list=watchlist`)
    await expect.poll(async () => (await page.locator('.listing tbody code').allInnerTexts()).toSorted()).toEqual(['0050', '2330'])
    await page.context().close()
  })

  it('the English company list is filtered by English names', async () => {
    const page = await portal.visit('/companies')
    await page.locator('.listing tbody tr').first().waitFor()
    await page.fill('.companies-bar input', 'tsmc')
    await expect.poll(() => page.locator('.listing tbody code').allInnerTexts()).toEqual(['2330'])
    expect(portal.faults.splice(0)).toEqual([])
  })

  it('the company list states that no security matches', async () => {
    const page = await portal.visit('/companies?industry=none')
    await page.getByText('No security matches.').waitFor()
    await page.getByRole('link', { name: 'All companies' }).click()
    await page.locator('.listing tbody tr').first().waitFor()
    await page.context().close()
  })

  it('the first chart of a dataset names the security of its example query', async () => {
    const page = await portal.visit('/datasets/daily-prices')
    await page
      .locator('#rows')
      .getByText(/^2330.* Close, .* to /)
      .waitFor()
    await page.context().close()
  })

  it('the comparison states the period that its changes cover', async () => {
    const page = await portal.visit('/compare?symbols=2330,2454')
    await page.getByText(/^Price change, \d{4}-\d{2}-\d{2} to \d{4}-\d{2}-\d{2}: /).waitFor()
    await page.context().close()
  })

  it.each([
    ['/market/yield-curve', 'curve', /^-?[\d.,]+%$/],
    ['/compare?symbols=2330,2454', 'prices', /^-?[\d.,]+%$/],
    ['/company/2330', 'foreign', /^-?[\d.,]+%$/],
    ['/market/indices', 'history', /^[\d.,]+$/],
  ])('the value axis of a chart in percent has a percent sign: %s#%s', async (path, id, figure) => {
    const page = await portal.visit('/pricing')
    // Charts draw their axes on a canvas, which contains no text.
    await page.addInitScript(`
      globalThis.drawn = []
      const { fillText } = CanvasRenderingContext2D.prototype
      CanvasRenderingContext2D.prototype.fillText = function (text, ...place) {
        // In each row of a chart, the value axes are left and right of the drawing or the time axis.
        const cell = this.canvas.closest('td')
        if (cell?.closest('.panel').id === '${id}' && cell.cellIndex !== 1) drawn.push(text)
        return fillText.call(this, text, ...place)
      }
    `)
    await page.goto(`${portal.url}${path}`)
    await page.locator(`#${id}`).scrollIntoViewIfNeeded()
    const labels = () => page.evaluate<string[]>('drawn')
    await expect.poll(async () => (await labels()).length).toBeGreaterThan(0)
    for (const label of await labels()) expect(label).toMatch(figure)
    await picture(page, `axes-${id}`)
    await page.context().close()
  })

  it.each(['/market/indices', '/market/yield-curve'])('%s offers its chart as a picture', async path => {
    const page = await portal.visit(path)
    const download = page.waitForEvent('download')
    await page.getByRole('button', { name: /^Save as PNG/ }).click()
    expect((await download).suggestedFilename()).toMatch(/\.png$/)
    await page.context().close()
  })

  const LOADED = ['/market/institutional', '/market/indices', '/market/heat-map', '/market/calendar', '/explore/daily-prices', '/account']
  it.each([...LOADED, '/datasets/daily-prices'])('%s shows the reason and the time to wait if the service is unavailable', async path => {
    const page = await portal.visit('/pricing')
    await page.route(/\/v2\//, route =>
      route.fulfill({
        status: 503,
        headers: { 'content-type': 'application/json', 'retry-after': '7' },
        body: JSON.stringify({ error: { error_code: 'overloaded', error_message: 'The service is busy.' } }),
      }),
    )
    await page.goto(`${portal.url}${path}`)
    const alert = page.locator('main [role=alert]').first()
    await expect.poll(() => alert.innerText()).toContain('The service is busy.')
    await expect.poll(() => alert.innerText()).toContain('Try again in 7 s.')
    await page.unroute(/\/v2\//)
    await alert.getByRole('button', { name: 'Try again' }).click()
    await expect.poll(() => page.locator('main [role=alert]').count()).toBe(0)
    await page.context().close()
  })

  it.each(['/datasets/daily-prices', '/screener'])('if a proxy responds without a message, %s states this and retries', async path => {
    const page = await portal.visit('/pricing')
    await page.route(/\/v2\//, route => route.fulfill({ status: 502, contentType: 'text/html', body: '<html>Bad gateway</html>' }))
    await page.goto(`${portal.url}${path}`)
    const alerts = page.locator('main [role=alert]')
    await expect.poll(() => alerts.first().innerText()).toContain('The service cannot respond now. (HTTP 502)')
    await page.unroute(/\/v2\//)
    await expect
      .poll(async () => {
        for (const button of await alerts.getByRole('button', { name: 'Try again' }).all())
          await button.click({ timeout: 1_000 }).catch(() => {})
        return alerts.count()
      })
      .toBe(0)
    await page.context().close()
  })

  it('a ranking is sorted by streak and keeps this order in the URL', async () => {
    const page = await portal.visit('/market/institutional')
    const streaks = async () => (await page.locator('#buyers tbody td:last-child').allInnerTexts()).map(Number)
    await page.locator('#buyers').getByRole('button', { name: 'Streak, days' }).click()
    await page.waitForURL('**?sort=streak')
    const sorted = await streaks()
    expect(sorted.length).toBeGreaterThan(2)
    expect(sorted).toEqual(sorted.toSorted((a, b) => b - a))
    await page.context().close()
  })

  it('the search box finds guides by their subject, and funds before the branches of a broker of the same name', async () => {
    const page = await portal.visit('/zh')
    await page.fill('#search input', '元大')
    await page.locator('[role=option]', { hasText: '0050' }).first().waitFor()
    await page.locator('[role=option]', { hasText: '券商' }).first().waitFor()
    await page.fill('#search input', '登入 限制')
    await page.locator('[role=option]', { hasText: '帳戶與限制' }).first().waitFor()
    await page.context().close()
  })

  it('Chinese pages state prices in 元', async () => {
    const page = await portal.visit('/zh/pricing')
    const main = await page.locator('main').innerText()
    expect(main).toContain('990 元')
    expect(main).not.toContain('TWD')
    await page.goto(`${portal.url}/zh`)
    expect(await page.locator('main').innerText()).not.toContain('TWD')
    await page.context().close()
  })

  it('the search box works by keyboard: slash to focus, arrows to select, Enter to open', async () => {
    const page = await portal.visit('/')
    await page.waitForSelector('#search input')
    await page.keyboard.press('/')
    await page.keyboard.type('2330')
    await page.waitForSelector('[role=option]:first-child:has-text("2330")')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => page.locator('[role=option][aria-selected=true]').count()).toBe(1)
    await page.keyboard.press('Enter')
    await page.waitForURL('**/company/2330')
    await page.context().close()
  })
})
