import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WITHOUT } from './chromium.ts'
import { axe, DESKTOP, openPortal, PHONE, type Portal, picture, scrollsSideways } from './portal.ts'

/** Every kind of page, one address each. */
const PAGES = {
  home: '/',
  datasets: '/datasets',
  dataset: '/datasets/institutional-positioning',
  company: '/company/2330',
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

describe.skipIf(WITHOUT !== '')(`every page in a browser${WITHOUT}`, () => {
  let portal: Portal
  beforeAll(async () => {
    portal = await openPortal()
  })
  afterAll(() => portal?.close())

  describe.each(Object.entries(PAGES))('%s', (name, path) => {
    describe.each(['en', 'zh'] as const)('in %s', language => {
      const address = language === 'en' ? path : `/zh${path === '/' ? '' : path}`
      it.each([
        ['desktop, light', { ...DESKTOP, theme: 'light' }],
        ['phone, dark', { ...PHONE, theme: 'dark' }],
      ] as const)('%s: has a heading, nothing axe finds, nothing its policy forbids, and does not move sideways', async (look, how) => {
        const page = await portal.visit(address, how)
        await page.waitForLoadState('networkidle')
        await expect.poll(() => page.locator('h1').count()).toBe(1)
        await expect.poll(() => page.locator('html').getAttribute('lang')).toBe(language === 'en' ? 'en' : 'zh-Hant')
        expect(await axe(page)).toEqual([])
        expect(await scrollsSideways(page)).toBe(false)
        await picture(page, `${name}-${language}-${look.split(',')[0]}`)
        expect(portal.faults.splice(0)).toEqual([])
        await page.context().close()
      })
    })
  })

  it('switches language to the same page, and keeps the theme chosen by hand', async () => {
    const page = await portal.visit('/datasets/daily-prices')
    await page.click('#language')
    await expect.poll(() => new URL(page.url()).pathname).toBe('/zh/datasets/daily-prices')
    await page.click('#theme')
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark')
    await page.reload()
    await expect.poll(() => page.locator('html').getAttribute('data-theme')).toBe('dark')
    await page.context().close()
  })

  it('switches language and keeps what the page shows', async () => {
    const page = await portal.visit('/market/yield-curve')
    await page.getByRole('button', { name: 'Day before' }).first().click()
    await page.waitForURL('**?day=*')
    const { search } = new URL(page.url())
    await page.click('#language')
    await page.waitForURL('**/zh/market/yield-curve**')
    expect(new URL(page.url()).search).toBe(search)
    await page.context().close()
  })

  it('reads no day that the slider only passes', async () => {
    const page = await portal.visit('/market/institutional')
    await page.waitForSelector('.ranking tbody tr')
    const asked: string[] = []
    page.on('request', request => asked.push(request.url()))
    await page.waitForSelector('input[type=range]:enabled')
    await page.focus('input[type=range]')
    for (let step = 0; step < 8; step++) await page.keyboard.press('ArrowLeft')
    await page.waitForURL('**?day=*')
    const day = new URL(page.url()).searchParams.get('day')!
    const read = () => [...new Set(asked.filter(url => url.includes('/cross-section')).map(url => new URL(url).searchParams.get('date')))]
    await expect.poll(read).toEqual([day])
    await page.locator('#buyers', { hasText: day }).locator('tbody tr').first().waitFor()
    expect(read()).toEqual([day])
    await page.context().close()
  })

  it('goes by Enter to what was typed, not to what was found for less of it', async () => {
    const page = await portal.visit('/')
    await page.fill('#search input', '2317')
    await page.locator('[role=option]', { hasText: '2317' }).first().waitFor()
    await page.fill('#search input', '2330')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/company/*')
    expect(new URL(page.url()).pathname).toBe('/company/2330')
    await page.context().close()
  })

  it('leaves Enter to the input method while a Chinese word is composed', async () => {
    const page = await portal.visit('/zh')
    await page.fill('#search input', '2330')
    await page.locator('[role=option]').first().waitFor()
    await page.dispatchEvent('#search input', 'keydown', { key: 'Enter', isComposing: true })
    // Where the box leads is remembered before the browser goes there.
    expect(await page.evaluate<string | null>(`localStorage.getItem('recent')`)).toBe(null)
    await page.context().close()
  })

  it('finds by keyboard alone: / to the box, arrows to a hit, Enter to its page', async () => {
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
