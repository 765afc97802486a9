import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WITHOUT } from './chromium.ts'
import { openPortal, type Portal } from './portal.ts'

/** Delays the answers to some requests. @returns sends the answers */
async function delay(page: Page, pattern: RegExp): Promise<() => void> {
  const released = Promise.withResolvers<void>()
  await page.route(pattern, async route => {
    await released.promise
    await route.continue()
  })
  return released.resolve
}

describe.skipIf(WITHOUT !== '')(`order of requests${WITHOUT}`, () => {
  let portal: Portal
  beforeAll(async () => {
    portal = await openPortal()
  })
  afterAll(() => portal?.close())

  it.each([
    ['/market/heat-map', '.treemap .tile b'],
    ['/market/indices', '.ranking .choose'],
    ['/market/institutional', '.ranking td'],
    ['/companies', 'tbody td'],
  ])('the page %s shows rows before the catalog and the trading calendar arrive, and requests each once', async (path, row) => {
    const page = await portal.visit('/docs')
    const release = await delay(page, /\/v2\/datasets(\/trading-calendar\?.*)?$/)
    const requests: string[] = []
    page.on('request', request => requests.push(request.url().replace(portal.url, '')))
    await page.goto(`${portal.url}${path}`)
    await page.locator(row).first().waitFor()
    release()
    await page.waitForLoadState('networkidle')
    const reads = requests.filter(url => url.startsWith('/v2/'))
    expect(reads.toSorted()).toEqual([...new Set(reads)].sort())
    expect(reads.filter(url => url === '/v2/datasets')).toHaveLength(1)
    expect(portal.faults.splice(0)).toEqual([])
    await page.context().close()
  })

  it('a page requests the session once, before the scripts of the page arrive', async () => {
    const page = await portal.visit('/docs')
    const release = await delay(page, /\/assets\/frame-(?!head)[^/]*\.js$/)
    const sessions: string[] = []
    page.on('request', request => request.url().endsWith('/browser-session') && sessions.push(request.url()))
    const requested = page.waitForRequest(/\/browser-session$/)
    const opened = page.goto(`${portal.url}/market/heat-map`)
    await requested
    release()
    await opened
    await page.locator('.treemap .tile b').first().waitFor()
    expect(sessions).toHaveLength(1)
    expect(portal.faults.splice(0)).toEqual([])
    await page.context().close()
  })

  it.each([
    ['/market/heat-map', '.treemap .tile b'],
    ['/zh/explore/daily-prices', '.explore tbody td'],
    ['/compare?symbols=2330,2454', '.chart-summary'],
  ])('the page %s keeps the title and the description that the server wrote', async (path, row) => {
    const page = await portal.visit('/docs')
    const release = await delay(page, /\/assets\/frame-(?!head)[^/]*\.js$/)
    await page.goto(`${portal.url}${path}`, { waitUntil: 'commit' })
    const served = await Promise.all(['#page > h1', '#page > h1 + .lead'].map(one => page.waitForSelector(one)))
    const texts = await Promise.all(served.map(element => element.innerText()))
    release()
    await page.locator(row).first().waitFor()
    expect(await Promise.all(served.map(element => element.isVisible()))).toEqual([true, true])
    expect(await page.locator('#page > h1, #page > .lead').allInnerTexts()).toEqual(texts)
    expect(portal.faults.splice(0)).toEqual([])
    await page.context().close()
  })
})
