import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WITHOUT } from './chromium.ts'
import { axe, openPortal, PHONE, type Portal, picture, scrollsSideways } from './portal.ts'

const READ = '/docs/reference/datasets/get-v2-datasets-institutional-positioning'

describe.skipIf(WITHOUT !== '')(`documentation pages${WITHOUT}`, () => {
  let portal: Portal
  beforeAll(async () => {
    portal = await openPortal({ VISITORS: 'off' })
  })
  afterAll(() => portal?.close())

  it.each([
    READ,
    '/zh/docs/reference/self-serve/post-v2-self-serve-api-keys',
    '/docs/reading',
    '/zh/docs/refusals',
    '/docs/architecture',
    '/docs/examples/python/with_pandas.py',
  ])('%s on a dark phone passes axe and does not scroll sideways', async path => {
    const page = await portal.visit(path, { ...PHONE, theme: 'dark' })
    await page.waitForLoadState('networkidle')
    // Also checks closed sections.
    await page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    expect(await axe(page)).toEqual([])
    expect(await scrollsSideways(page)).toBe(false)
    await picture(page, `docs-${path.split('/').at(-1)}`)
    expect(portal.faults.splice(0)).toEqual([])
    await page.context().close()
  })

  it('the documentation search filters guides, operations and errors in both languages, also from another page', async () => {
    const page = await portal.visit('/docs')
    const found = () => page.locator('.docs-body li[data-find]:visible').allInnerTexts()
    const all = await found()
    expect(
      all.some(text => text.includes('/v2/datasets/')),
      'operations are folded',
    ).toBe(false)
    await page.fill('.docs-shelf input', 'institutional positioning cross')
    await expect.poll(found).toEqual([expect.stringContaining('/v2/datasets/institutional-positioning/cross-section')])
    // The search finds the guide by one of its headings.
    await page.fill('.docs-shelf input', 'compare two releases')
    await expect.poll(found).toEqual([expect.stringMatching(/^Release history/)])
    await page.fill('.docs-shelf input', '付款')
    await expect.poll(async () => (await found()).some(text => text.startsWith('Payments'))).toBe(true)
    await expect.poll(() => page.locator('.docs-body section:visible').count()).toBeLessThan(8)
    await page.fill('.docs-shelf input', '')
    await expect.poll(async () => (await found()).length).toBe(all.length)
    await page.goto(`${portal.url}/zh/docs/reading`)
    await page.fill('.docs-shelf input', 'credits_exhausted')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/zh/docs?find=credits_exhausted')
    await page.locator('.docs-shelf [role=status]', { hasText: '找到 1 項' }).waitFor()
    await expect.poll(found).toEqual([expect.stringContaining('credits_exhausted')])
    expect(portal.faults.splice(0)).toEqual([])
    await page.context().close()
  })

  it('the reference page sends a request with a typed key, shows price and response and stores the key nowhere', async () => {
    const page = await portal.visit(READ)
    const key = portal.keyOn('pro')
    const output = page.locator('form.try output')
    await page.fill('form.try input[name="query:limit"]', '1')
    await page.getByRole('button', { name: 'Send' }).click()
    await output.getByText('missing_api_key').waitFor()
    await page.fill('form.try input[name="credential:"]', key)
    await page.getByRole('button', { name: 'Show the price only' }).click()
    await output.getByText('"dry_run": true').waitFor()
    await expect.poll(() => output.innerText()).not.toContain('"ticker"')
    await page.getByRole('button', { name: 'Send' }).click()
    await output.getByText('"ticker": "2330"').waitFor()
    await expect.poll(() => output.innerText()).toMatch(/^200 in \d+ ms\n[\s\S]*x-credits-charged: 2/)
    await expect
      .poll(() => page.locator('form.try .url').innerText())
      .toBe('GET /v2/datasets/institutional-positioning?symbol=2330&limit=1')
    expect(await page.content()).not.toContain(key)
    expect(
      await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, location.href])'),
    ).not.toContain(key)
    expect(portal.faults.splice(0)).toEqual([])
    await page.context().close()
  })

  it('the navigation of the documentation is scrolled to the current page', async () => {
    const page = await portal.visit('/docs/reference/datasets/get-v2-datasets-weekly-bars')
    const isVisible = () =>
      page.evaluate<boolean>(`(() => {
        const [shelf, current] = ['.docs-shelf', '.docs-shelf [aria-current]'].map(one => document.querySelector(one).getBoundingClientRect())
        return current.top >= shelf.top && current.bottom <= Math.min(shelf.bottom, innerHeight)
      })()`)
    await expect.poll(isVisible).toBe(true)
    expect(await page.evaluate<number>("document.querySelector('.docs-shelf').scrollTop")).toBeGreaterThan(0)
    await page.context().close()
  })

  it('the reference page is complete without script', async () => {
    const page = await portal.visit(READ, { script: false })
    await expect
      .poll(() => page.locator('.docs-body h2').allInnerTexts())
      .toEqual(['Price and credential', 'Examples', 'Parameters', 'Try it', 'Response', 'Known gaps', 'Errors'])
    await expect.poll(() => page.locator('form.try').isVisible()).toBe(false)
    await expect.poll(() => page.locator('.docs-body noscript').innerText()).toContain('needs JavaScript')
    await page.context().close()
  })
})
