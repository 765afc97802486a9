import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { ingestFiles } from '../../../ingest/index.ts'
import { openWorkspace, type Workspace } from '../../../ingest/publish/index.ts'
import { readEmail } from '../../../src/accounts/index.ts'
import { feeds, t86Body } from '../../fixtures/ingest/bodies.ts'
import { NOW, SECRETS } from '../../support.ts'
import { WITHOUT } from './chromium.ts'
import { axe, DESKTOP, openPortal, PHONE, type Portal, picture, scrollsSideways } from './portal.ts'

const FEED = 'twse-t86'
const TRADES = 'institutional-positioning'
/** Requests of one refresh of the page: seven sections and the catalog. */
const REQUESTS = 8
const nets = Object.fromEntries(Array.from({ length: 20 }, (_, nth) => [String(2330 + nth), [nth + 1, 7 * nth, -nth] as const]))

describe.skipIf(WITHOUT !== '')(`operator page${WITHOUT}`, () => {
  let [portal, workspace]: [Portal?, Workspace?] = []
  beforeAll(async () => {
    // No mail server listens on this port, so mail stays queued.
    portal = await openPortal({ MAIL_URL: 'smtp://127.0.0.1:9' })
    workspace = await openWorkspace(portal.dir, () => NOW)
    expect(await ingest('T86_20260629.json', '2026-06-29')).toEqual(['published'])
  })
  afterAll(async () => {
    workspace?.close()
    await portal?.close()
  })

  async function ingest(name: string, day: string) {
    const file = join(portal!.dir, name)
    writeFileSync(file, t86Body(day, nets))
    const { results } = await ingestFiles(workspace!, feeds.get(FEED)!, [file], { requestedDay: undefined, accept: [], progress: () => {} })
    return results.map(({ outcome }) => outcome)
  }

  async function enter(page: Page, token: string): Promise<void> {
    await page.fill('#token', token)
    await page.keyboard.press('Enter')
  }

  async function open(path = '/operator', display = {}): Promise<Page> {
    const page = await portal!.visit(path, display)
    await enter(page, SECRETS.ADMIN_TOKEN)
    await page.waitForSelector('#releases table')
    return page
  }

  /** The page of a file that is refused because it repeats the body of the previous day. */
  async function openReport(page: Page, name: string): Promise<void> {
    await page.click(`#kept tr:has-text("${name}") button`)
    await page.waitForSelector('#report #decide')
  }

  it('the operator page explains where to find the token after a wrong token, and clears the field', async () => {
    const page = await portal!.visit('/operator')
    await enter(page, 'a-wrong-token-of-more-than-32-characters')
    await page.waitForSelector('[role=alert]')
    await expect.poll(() => page.locator('#where-it-is').innerText()).toMatch(/ADMIN_TOKEN[\s\S]*secrets\.json[\s\S]*demo\.json/)
    await expect.poll(() => page.inputValue('#token')).toBe('')
    expect(await axe(page)).toEqual([])
    await page.context().close()
  })

  it('the operator page publishes a quarantined file with an accepted rule', async () => {
    expect(await ingest('T86_20260630.json', '2026-06-30')).toEqual(['refused'])
    const page = await open()
    await expect
      .poll(() => page.locator('#attention .concern', { hasNotText: 'is overdue' }).allInnerTexts())
      .toEqual(['decision needed 1 file refused, waiting for a decision'])
    await openReport(page, 'T86_20260630.json')
    await expect.poll(() => page.locator('#report .faults').innerText()).toContain('same_body')
    await page.check('#decide input[type=checkbox]')
    await page.getByLabel('Reason (recorded)').fill('figures checked by hand')
    await page.getByRole('button', { name: 'Accept and publish' }).click()
    await expect.poll(() => page.locator('.confirm legend').innerText()).toBe(`Publish T86_20260630.json to ${FEED}, accepting same_body?`)
    expect(await axe(page)).toEqual([])
    await picture(page, 'operator-report')
    await page.getByRole('button', { name: 'Yes, publish' }).click()
    await page.waitForSelector('#outcome :text("published")', { timeout: 50_000 })
    await expect
      .poll(() => page.locator('#outcome').innerText())
      .toMatch(/published.*accepted rules: same_body[\s\S]*Institutional positioning/)
    await page.waitForSelector('#quarantine :text("No refused files.")')
    const key = portal!.keyOn('max')
    await vi.waitFor(
      async () => {
        const read = await fetch(`${portal!.url}/v2/datasets/${TRADES}?symbol=2331&start_date=2026-06-30`, {
          headers: { 'x-api-key': key },
        })
        const { data } = (await read.json()) as { readonly data: readonly unknown[] }
        expect(data).toMatchObject([{ ticker: '2331', trade_date: '2026-06-30', foreign_net_buy: 2 }])
      },
      { timeout: 20_000, interval: 200 },
    )
    await page.context().close()
  })

  it('the operator page shows why a file is refused again and discards it', async () => {
    expect(await ingest('T86_20260701.json', '2026-07-01')).toEqual(['refused'])
    const page = await open('/zh/operator', { ...PHONE, theme: 'dark' })
    await openReport(page, 'T86_20260701.json')
    await expect.poll(() => page.locator('#report .faults').innerText()).toMatch(/完全相同；[\s\S]*請重新取得該日資料/)
    await expect.poll(() => page.locator('#report .faults').innerText()).not.toContain('are identical to')
    expect(await axe(page)).toEqual([])
    expect(await scrollsSideways(page)).toBe(false)
    await page.getByRole('button', { name: '接受並發布' }).click()
    await page.getByRole('button', { name: '確定發布' }).click()
    await page.waitForSelector('#outcome :text("再次遭拒")', { timeout: 50_000 })
    await expect
      .poll(() => page.locator('#report .faults').innerText())
      .toMatch(/same_body[\s\S]*TWSE 2026-07-01 的資料列與 TWSE 2026-06-\d\d 完全相同；/)
    await picture(page, 'operator-report-phone')
    await page.getByRole('button', { name: '捨棄' }).click()
    await page.getByRole('button', { name: '確定捨棄' }).click()
    await page.waitForSelector('#outcome :text("已捨棄")')
    await page.waitForSelector('#quarantine :text("沒有遭拒檔案")')
    await page.click('#quarantine summary')
    await expect.poll(() => page.locator('#settled tbody tr').first().innerText()).toContain('T86_20260701.json')
    expect(portal!.service.control.db.prepare("SELECT count(*) AS n FROM audit_log WHERE action = 'quarantine discard'").get()).toEqual({
      n: 1,
    })
    await page.context().close()
  })

  it('the operator page refreshes while it is visible and not paused', async () => {
    const page = await open()
    await expect.poll(() => page.getByRole('button', { name: 'Refresh now' }).isEnabled()).toBe(true)
    // The page's clock advances only on request in this test.
    await page.clock.pauseAt(await page.evaluate<number>('Date.now() + 100'))
    const requests: string[] = []
    page.on('request', request => requests.push(new URL(request.url()).pathname))
    const hide = (isHidden: boolean) =>
      page.evaluate(`Object.defineProperty(document, 'hidden', { value: ${isHidden}, configurable: true });
        document.dispatchEvent(new Event('visibilitychange'))`)
    const pass = async (seconds: number): Promise<number> => {
      requests.length = 0
      await page.clock.fastForward(seconds * 1_000)
      await expect.poll(() => page.getByRole('button', { name: 'Refresh now' }).isEnabled()).toBe(true)
      return requests.length
    }
    expect(await pass(8)).toBe(0)
    await pass(8)
    await expect.poll(() => requests.length).toBe(REQUESTS)
    await hide(true)
    expect(await pass(60)).toBe(0)
    await hide(false)
    await expect.poll(() => requests.length).toBe(REQUESTS)
    await page.getByRole('button', { name: 'Pause' }).click()
    expect(await pass(60)).toBe(0)
    await expect.poll(() => page.locator('.refreshing').innerText()).toContain('Paused.')
    await page.getByRole('button', { name: 'Pause' }).click()
    await expect.poll(() => requests.length).toBe(REQUESTS)
    await page.context().close()
  })

  it('the operator page folds empty queues, and shows a failing queue and a skipped inbox file without a click', async () => {
    const page = await open()
    await expect.poll(() => page.locator('#queues > :not(h2)').allInnerTexts()).toEqual(['All queues are empty.'])
    const start = await fetch(`${portal!.url}/v2/self-serve/onboarding/start`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'ann@example.test' }),
    })
    expect(start.status).toBe(200)
    mkdirSync(join(portal!.dir, 'inbox', 'daily-price'), { recursive: true })
    writeFileSync(join(portal!.dir, 'inbox', 'daily-price', 'x.csv'), 'a\n')
    await page.waitForSelector('#attention :text("Mail cannot be sent; 1 waiting")', { timeout: 40_000 })
    await expect
      .poll(() => page.locator('#attention .concern', { hasNotText: 'is overdue' }).locator('.badge').allInnerTexts())
      .toEqual(['broken', 'decision needed'])
    await expect.poll(() => page.locator('#inbox tr:has-text("x.csv")').innerText()).toContain('daily-prices')
    await expect.poll(() => page.locator('#queues').innerText()).toContain('ECONNREFUSED')
    expect(await page.locator('#queues .card h3').allInnerTexts()).toEqual(['Mail'])
    expect(await page.locator('#queues').innerText()).toContain('Empty: Ledger, Payment events, Webhooks.')
    await expect.poll(() => page.locator('#queues').innerText()).not.toContain('ann@example.test')
    await page.context().close()
  })

  it('the Chinese operator page translates messages of the service and marks others as English quotations', async () => {
    const last_run = { at: '2026-07-01T18:05:00.000+08:00', outcome: 'late', said: 'It gives an earlier day.', said_zh: '資料日期較早。' }
    const failed = { ...last_run, outcome: 'refused', said: 'disk I/O error', said_zh: undefined }
    const next = { next_at: '2026-07-01T18:35:00.000+08:00', covers: null, tries: 2 }
    mkdirSync(join(portal!.dir, 'fetch'), { recursive: true })
    const state = { 'twse-income': { ...next, last_run }, 'tpex-income': { ...next, last_run: failed } }
    writeFileSync(join(portal!.dir, 'fetch', 'schedule.json'), JSON.stringify(state))
    const page = await open('/zh/operator')
    const textOf = (place: string) => page.locator(place).first().innerText()
    await expect.poll(() => textOf('#inbox tr:has-text("x.csv")')).toContain('沒有名為 daily-price 的資料集')
    await expect.poll(() => textOf('#feeds tr:has-text("twse-income")')).toMatch(/逾期 資料日期較早。[\s\S]*每/)
    await expect.poll(() => textOf('#feeds tr:has-text("tpex-income")')).toContain('遭拒 「disk I/O error」')
    await expect.poll(() => textOf('#feeds tr:has-text("twse-t86")')).toContain('三大法人買賣超')
    // Neither an internal dataset nor another one is named by its slug.
    const named = await page.locator('#feeds tbody td:last-child').allInnerTexts()
    expect(named).toContain('公司中英文簡稱')
    expect(named.filter(text => /[a-z]-[a-z]/.test(text))).toEqual([])
    await expect.poll(() => textOf('#queues')).toMatch(/「[^」]*ECONNREFUSED[^」]*」/)
    const quoted = await page.locator('#feeds [lang=en], #queues [lang=en]').allInnerTexts()
    expect(quoted).toEqual(expect.arrayContaining(['disk I/O error', expect.stringContaining('ECONNREFUSED')]))
    expect(await axe(page)).toEqual([])
    await page.context().close()
  })

  it('the Chinese operator page names products and stages of slow reads in Chinese', async () => {
    const headers = { 'x-api-key': portal!.keyOn('max') }
    for (const path of ['/v2/datasets/daily-prices?symbol=2330', '/v2/datasets/daily-prices?symbol=2317&format=csv', '/v2/search?q=2330'])
      expect((await fetch(portal!.url + path, { headers })).status).toBe(200)
    const page = await open('/zh/operator')
    const stages = await page.locator('#slow-reads tbody td:nth-child(3)').allInnerTexts()
    expect(stages.join()).toMatch(/驗證 [\d.]+ · /)
    expect(stages.filter(text => /[a-z]/i.test(text))).toEqual([])
    await expect.poll(() => page.locator('#slow-reads th[scope=row]').allInnerTexts()).toContain('搜尋')
    await page.locator('#slow-reads').scrollIntoViewIfNeeded()
    await picture(page, 'operator-slow-reads')
    await page.context().close()
  })

  it('the operator page finds an account, suspends it with a reason and restores it', async () => {
    const key = portal!.keyOn('pro', 'customer@example.test')
    const status = async () => (await fetch(`${portal!.url}/v2/account/entitlements`, { headers: { 'x-api-key': key } })).status
    const page = await open()
    await page.fill('#account-search', 'customer@')
    await page.keyboard.press('Enter')
    await page.click('#accounts tbody button:has-text("customer@example.test")')
    await page.getByLabel('Reason, shown to the owner').fill('unpaid invoice')
    await page.getByRole('button', { name: 'Suspend' }).click()
    await expect.poll(() => page.locator('#account-status').innerText()).toMatch(/^suspended, .*: unpaid invoice$/)
    await expect.poll(() => page.locator('#account-notes').innerText()).toContain('admin: Suspended: unpaid invoice')
    expect(await status()).toBe(403)
    expect(await axe(page)).toEqual([])
    await picture(page, 'operator-account')
    await page.getByRole('button', { name: 'Restore the account' }).click()
    await expect.poll(() => page.locator('#account-status').innerText()).toBe('active')
    expect(await status()).toBe(200)
    await page.getByLabel('Credits a month').fill('0')
    await page.getByRole('button', { name: 'Set limits' }).click()
    await expect.poll(() => page.locator('#account dl').innerText()).toMatch(/0 \/ 0/)
    await page.context().close()
  })

  it.each([
    ['', null, 'Pro (granted, no end date)'],
    ['', '2026-12-31T00:00:00.000Z', 'Pro (granted until 2026-12-31)'],
    ['/zh', null, 'Pro（授予，無期限）'],
    ['/zh', '2026-12-31T00:00:00.000Z', 'Pro（授予至 2026-12-31）'],
  ])('%s/operator states the end of a plan grant, or that it has none: %s', async (language, end, text) => {
    portal!.keyOn('pro', 'granted@example.test')
    const { accounts } = portal!.service.control
    const { id } = accounts.ensure(readEmail('granted@example.test')!, NOW)
    accounts.grantPlan(id, 'pro', { expiresAt: end }, NOW)
    const page = await open(`${language}/operator?account=${id}`)
    await expect.poll(() => page.locator('#account dd').nth(2).innerText()).toBe(text)
    await page.context().close()
  })

  it('the operator page never stores the token, and discards it when the user leaves the page or signs out', async () => {
    const page = await portal!.visit('/operator')
    const sent: string[] = []
    page.on('request', request => sent.push(`${request.url()} ${request.postData() ?? ''} ${request.headers()['referer'] ?? ''}`))
    await enter(page, SECRETS.ADMIN_TOKEN)
    await page.waitForSelector('#releases table')
    await page.click('#releases button:text("List")')
    await page.waitForSelector('#history table')
    const stored = await page.evaluate<string>(
      'JSON.stringify([location.href, history.state, { ...localStorage }, { ...sessionStorage }, document.cookie, document.documentElement.outerHTML])',
    )
    const cookies = JSON.stringify(await page.context().cookies())
    for (const text of [stored, cookies, ...sent, ...portal!.lines]) expect(text).not.toContain(SECRETS.ADMIN_TOKEN)
    expect(sent.some(line => line.includes('/v2/admin/releases/'))).toBe(true)
    expect(portal!.lines.length).toBeGreaterThan(0)
    // The browser fires this event when a user leaves a page, which it may cache for the back
    // button.
    await page.evaluate("dispatchEvent(new Event('pagehide'))")
    await page.waitForSelector('#token')
    await expect.poll(() => page.inputValue('#token')).toBe('')
    await enter(page, SECRETS.ADMIN_TOKEN)
    await page.waitForSelector('#releases table')
    await page.click('#forget')
    await page.waitForSelector('#token')
    await expect.poll(() => page.locator('#releases').count()).toBe(0)
    await page.context().close()
  })

  it.each([
    ['in English on a desktop, light', '/operator', { ...DESKTOP, theme: 'light' }],
    ['in Chinese on a phone, dark', '/zh/operator', { ...PHONE, theme: 'dark' }],
  ] as const)('the operator page %s passes axe and does not scroll sideways', async (name, path, display) => {
    const page = await open(path, display)
    await page.click('#releases .small')
    await page.waitForSelector('#history table')
    expect(await axe(page)).toEqual([])
    expect(await scrollsSideways(page)).toBe(false)
    await picture(page, `operator-open-${name.split(',')[1]!.trim()}`)
    expect(portal!.faults.splice(0)).toEqual([])
    await page.context().close()
  })
})
