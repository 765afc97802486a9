import { readFile } from 'node:fs/promises'
import type { Download, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readEmail } from '../../../src/accounts/index.ts'
import { connect, paidEnvironment, STRIPE_KEY, until } from '../../billing/shop.ts'
import { type Control, controlOf } from '../../fixtures/provider/client.ts'
import { type RunningProvider, startProvider } from '../../fixtures/provider/server.ts'
import { postOffice } from '../../mail/mail-server.ts'
import { NOW } from '../../support.ts'
import { receiver } from '../../webhooks/receiver.ts'
import { WITHOUT } from './chromium.ts'
import { axe, DESKTOP, openPortal, PHONE, type Portal, picture } from './portal.ts'

const EMAIL = 'analyst@example.test'
const READ = '/v2/datasets/securities-firm-master?limit=3'

/** Smallest distance in pixels between two of the elements, horizontally or vertically. */
async function smallestGap(page: Page, selector: string): Promise<number> {
  const boxes = await Promise.all((await page.locator(selector).all()).map(async one => (await one.boundingBox())!))
  const gaps = boxes.flatMap((a, at) =>
    boxes.slice(at + 1).map(b => Math.max(b.x - a.x - a.width, a.x - b.x - b.width, b.y - a.y - a.height, a.y - b.y - b.height)),
  )
  return Math.min(...gaps)
}

/** Right edges of the elements in pixels. */
const rightEdges = (page: Page, selector: string): Promise<readonly number[]> =>
  page.evaluate<readonly number[]>(`[...document.querySelectorAll('${selector}')].map(one => one.getBoundingClientRect().right)`)

/**
 * One user signs up, reads, pays and closes the account. Each test continues after the previous
 * one.
 */
describe.skipIf(WITHOUT !== '')(`account page${WITHOUT}`, () => {
  let post: Awaited<ReturnType<typeof postOffice>>
  let running: RunningProvider
  let provider: Control
  let hooks: Awaited<ReturnType<typeof receiver>>
  let portal: Portal
  let page: Page
  /** Keys, tokens and codes of the run. */
  const secrets: string[] = []
  /** Every URL that the page requested. */
  const addresses: string[] = []

  beforeAll(async () => {
    const startedAt = performance.now()
    post = await postOffice()
    running = await startProvider({ secretKey: STRIPE_KEY, now: () => new Date(NOW.getTime() + performance.now() - startedAt) })
    provider = controlOf(running.url)
    const { DATA_DIR, PORT, ...paid } = paidEnvironment('', running.url)
    hooks = await receiver()
    portal = await openPortal({ ...paid, MAIL_URL: post.url, WEBHOOK_PRIVATE_HOSTS: 'on' })
    await connect(provider, portal.url)
    page = await portal.visit('/account')
    page.on('request', request => void addresses.push(request.url()))
    page.on('framenavigated', frame => void addresses.push(frame.url()))
  })
  afterAll(async () => {
    await portal?.close()
    await running?.close()
    hooks?.close()
    await post?.close()
  })

  const button = (name: string) => page.getByRole('button', { name, exact: true })
  const section = (name: string) => page.locator('.sections').getByRole('link', { name, exact: true }).click()
  const shown = () => page.locator('.secret code.whole').innerText()
  const admits = async (key: string): Promise<number> => (await fetch(`${portal.url}${READ}`, { headers: { 'x-api-key': key } })).status
  const saved = async (download: Promise<Download>): Promise<string> => readFile(await (await download).path(), 'utf8')

  it('the account page signs up with a mailed code and shows the first key until it is dismissed', async () => {
    await page.fill('#email', EMAIL)
    await button('Send code').click()
    await until('the code is mailed', () => post.mails.length > 0)
    const code = /\d{8}/.exec(post.mails[0]!.text)![0]
    await page.fill('#code', code)
    await button('Sign in').click()
    const key = await shown()
    expect(await admits(key)).toBe(200)
    await expect.poll(() => page.locator('.secret').innerText()).toContain(`curl -H 'X-API-Key: ${key}' '${portal.url}/v2/datasets/`)
    const cookies = await page.context().cookies()
    expect(cookies.map(({ httpOnly, sameSite }) => [httpOnly, sameSite])).toEqual([[true, 'Strict']])
    secrets.push(code, key, cookies[0]!.value)
    await button('Hide').click()
    expect(await page.content()).not.toContain(key)
    await page.reload()
    await page.waitForSelector('#credits-left')
    expect(await page.content()).not.toContain(key)
    await expect.poll(() => page.locator('#account').innerText()).toContain(EMAIL)
  })

  it('the account page creates, reveals and, after confirmation, revokes a key', async () => {
    await page.getByLabel('Name of the new key').fill('notebook')
    await page.getByLabel('Expires').selectOption('90')
    await button('Create').click()
    const key = await shown()
    secrets.push(key)
    await button('Hide').click()
    const row = page.locator('#keys tr', { hasText: 'notebook' })
    await expect.poll(() => row.innerText()).toContain('2026-09-29')
    await button('Show notebook').click()
    expect(await shown()).toBe(key)
    await page.setViewportSize(PHONE)
    const edges = await rightEdges(page, '#keys .acts button')
    expect(edges.length).toBeGreaterThan(1)
    expect(Math.max(...edges)).toBeLessThanOrEqual(PHONE.width)
    await picture(page, 'account-keys-phone')
    await page.setViewportSize(DESKTOP)
    await button('Revoke notebook').click()
    expect(await admits(key)).toBe(200)
    await button('Cancel').click()
    expect(await admits(key)).toBe(200)
    await button('Revoke notebook').click()
    await button('Yes, revoke').click()
    await row.getByText('revoked').waitFor()
    expect(await admits(key)).toBe(401)
    await expect.poll(() => page.locator('.secret').count()).toBe(0)
  })

  it('the account page draws usage, groups it by dataset and finds a read by request id', async () => {
    const answer = await fetch(`${portal.url}${READ}`, { headers: { 'x-api-key': secrets[1]! } })
    const id = answer.headers.get('x-request-id')!
    await page.goto(`${portal.url}/account#usage`)
    await expect.poll(() => page.locator('#usage-totals').innerText()).toMatch(/^4 reads, 4 credits, 12 rows/)
    await expect.poll(() => page.locator('.bars rect[height="0"]').count()).toBe(29)
    await button('By dataset').click()
    await expect.poll(() => page.locator('#usage table').first().innerText()).toMatch(/^Dataset\s[\s\S]*Securities firm master/)
    await page.getByLabel('Find by request id').fill(id)
    await button('Find').click()
    await page.locator('#found').getByText(id).waitFor()
    await page.getByLabel('Find by request id').fill(`${id.slice(0, -1)}${id.endsWith('0') ? '1' : '0'}`)
    await button('Find').click()
    await page.locator('#found').getByText('no charged read').waitFor()
    await picture(page, 'account-usage')
    expect(await axe(page)).toEqual([])
  })

  it.each([
    ['', 'Nothing was used in this period yet'],
    ['/zh', '此期間尚無紀錄'],
  ])('%s/account states that a period has no ledger entries', async (language, text) => {
    await page.goto(`${portal.url}${language}/account#usage`)
    await page.locator('#usage select').selectOption('last_month')
    await page.locator('#ledger').getByText(text).waitFor()
    await page.locator('#ledger').scrollIntoViewIfNeeded()
    await picture(page, `account-usage-empty${language.replace('/', '-')}`)
    await page.goto(`${portal.url}/account#usage`)
  })

  it('the account page shows the section that the URL names, and the back button returns to the previous section', async () => {
    const visible = () => page.locator('section[id]:visible > h2').allInnerTexts()
    await expect.poll(visible).toEqual(['Usage'])
    await section('Webhooks')
    await expect.poll(() => page.url()).toBe(`${portal.url}/account#webhooks`)
    await expect.poll(visible).toEqual(['Webhooks'])
    await expect.poll(() => page.locator('.sections [aria-current]').allInnerTexts()).toEqual(['Webhooks'])
    await page.goBack()
    await expect.poll(visible).toEqual(['Usage'])
    await page.goto(`${portal.url}/account`)
    await expect.poll(visible).toEqual(['Keys'])
  })

  it('the account page downloads the Delta Sharing profile and the ledger', async () => {
    const profile = page.waitForEvent('download')
    await section('Keys')
    await button('Download profile').click()
    expect(JSON.parse(await saved(profile))).toMatchObject({ endpoint: `${portal.url}/delta-sharing`, bearerToken: secrets[1] })
    const ledger = page.waitForEvent('download')
    await section('Usage')
    await button('Download as CSV').click()
    expect((await saved(ledger)).trim().split('\n')).toHaveLength(5)
  })

  it('the account page saves the mail settings', async () => {
    await section('Settings')
    await page.locator('#settings input').uncheck()
    await page.locator('#settings').getByText('Saved.').waitFor()
    await page.reload()
    await expect.poll(() => page.locator('#settings input').isChecked()).toBe(false)
  })

  it('the account page creates a webhook, tests and redelivers it, replaces its secret and, after confirmation, deletes it', async () => {
    await section('Webhooks')
    await page.getByLabel('Endpoint URL').fill('ftp://hooks.example.com/hook')
    await page.getByLabel('Symbols (all if empty)').fill('2330, 2454')
    await page.getByLabel('low credits').uncheck()
    await button('Create a webhook').click()
    await page.locator('#webhooks [role=alert]').first().waitFor()
    await page.getByLabel('Endpoint URL').fill(hooks.url)
    await button('Create a webhook').click()
    const secret = await shown()
    expect(secret).toMatch(/^whsec_/)
    secrets.push(secret)
    await button('Hide').click()
    await expect.poll(() => page.locator('#webhooks table').innerText()).toContain('; symbols: 2330, 2454')
    await expect.poll(() => page.locator('#webhooks table').innerText()).not.toContain('low credits')
    await button('Send test').click()
    await page.locator('#deliveries').getByText('delivered').waitFor()
    await expect.poll(() => page.locator('#deliveries').innerText()).toMatch(/: HTTP 20\d · \d+ ms/)
    const [first] = hooks.taken()
    await button('Send again').click()
    await until('it comes again', () => hooks.messages.length > 0)
    expect([first!.event.type, hooks.taken()[0]!.id]).toEqual(['webhook.test', first!.id])
    await picture(page, 'account-webhooks')
    for (const size of [DESKTOP, PHONE]) {
      await page.setViewportSize(size)
      expect(await smallestGap(page, '#webhooks .acts button'), `${size.width} px`).toBeGreaterThanOrEqual(7.5)
      expect(Math.max(...(await rightEdges(page, '#webhooks .acts button, #deliveries button'))), `${size.width} px`).toBeLessThanOrEqual(
        size.width,
      )
      expect(await smallestGap(page, '#webhooks form > button, #webhooks .scroll'), `${size.width} px`).toBeGreaterThanOrEqual(12)
      await page.locator('#webhooks .acts').scrollIntoViewIfNeeded()
      await picture(page, `account-webhooks-${size.width}`)
    }
    await page.setViewportSize(DESKTOP)
    expect(await axe(page)).toEqual([])
    await button('Replace secret').click()
    await button('Yes, replace').click()
    await until('another secret is shown', async () => (await shown()) !== secret)
    secrets.push(await shown())
    await button('Delete').click()
    await button('Yes, delete').click()
    await page.locator('#webhooks table').first().waitFor({ state: 'detached' })
    await expect.poll(() => page.locator('.secret').count()).toBe(0)
  })

  it('the account page opens Checkout for a plan and reports when the plan is active', async () => {
    await section('Plan and billing')
    await button('Choose Pro').click()
    await page.waitForURL(`${provider.url}/**`)
    const [session] = await provider.sessions()
    await page.goto(session!['success_url'] as string)
    await page.locator('#after-checkout').getByText('once the payment is confirmed').waitFor()
    await provider.complete(session!.id)
    await page.locator('#after-checkout').getByText('Your plan Pro is active').waitFor()
    await expect.poll(() => page.locator('#plan-name').innerText()).toBe('Pro')
    await expect.poll(() => page.locator('#invoice').innerText()).toContain('Total before tax')
    await page.setViewportSize(PHONE)
    expect(Math.max(...(await rightEdges(page, '#invoice td')))).toBeLessThanOrEqual(PHONE.width)
    await page.locator('#invoice').scrollIntoViewIfNeeded()
    await picture(page, 'account-invoice-phone')
    await page.setViewportSize(DESKTOP)
    await button('Change or cancel; invoices').click()
    await page.waitForURL(`${provider.url}/**`)
  })

  it('after its address is typed, the account page closes the account and names the active subscription', async () => {
    await page.goto(`${portal.url}/account`)
    await section('Close')
    await page.locator('#closing summary').click()
    await expect.poll(() => page.locator('#closing').innerText()).toContain('Your subscription to Pro')
    const close = button('Close the account permanently')
    await page.locator('#closing input').fill('analyst@example')
    await expect.poll(() => close.isDisabled()).toBe(true)
    await page.locator('#closing input').fill(EMAIL)
    await close.click()
    const left = () => page.locator('#gone').innerText()
    await expect.poll(left).toContain('Billing and usage records remain')
    await expect.poll(left).toContain('Your subscription to Pro continues and will be billed until you cancel it.')
    await expect.poll(left).not.toMatch(/portal_url|POST/)
    await expect.poll(() => page.getByRole('link', { name: 'Cancel at the payment provider' }).getAttribute('href')).toContain(provider.url)
    expect(await admits(secrets[1]!)).toBe(403)
    await page.locator('#account', { hasText: 'Sign in' }).waitFor()
    await expect.poll(() => page.context().cookies()).toEqual([])
    await picture(page, 'account-closed')
  })

  it('the account page requires a new sign-in before it reveals a key in an old session', async () => {
    const { accounts, keys, sessions } = portal.service.control
    const earlier = new Date(NOW.getTime() - 20 * 60_000)
    const { id } = accounts.ensure(readEmail('late@example.test')!, earlier)
    const { secret } = keys.issue(id, 'old', earlier)
    const late = await portal.visit('/zh')
    await late.context().addCookies([{ name: 'twmd-session', value: sessions.open(id, earlier).token, url: portal.url }])
    await late.goto(`${portal.url}/zh/account`)
    await late.getByRole('button', { name: '顯示 old' }).click()
    await late.getByRole('button', { name: '重新登入' }).click()
    await expect.poll(() => late.locator('#proving #email').inputValue()).toBe('late@example.test')
    await late.getByRole('button', { name: '寄送驗證碼' }).click()
    const mailed = () => post.mails.find(({ to }) => to[0] === 'late@example.test')
    await until('the code is mailed', () => mailed() !== undefined)
    await late.fill('#code', /\d{8}/.exec(mailed()!.text)![0])
    await late.getByRole('button', { name: '登入', exact: true }).click()
    await late.locator('#proving').waitFor({ state: 'detached' })
    await late.getByRole('button', { name: '顯示 old' }).click()
    await expect.poll(() => late.locator('.secret code.whole').innerText()).toBe(secret)
    await late.getByRole('button', { name: '登出' }).click()
    await late.waitForSelector('#email')
    expect(await late.content()).not.toContain(secret)
  })

  it('the account page leaves no secret in URLs, storage or log and contacts only the service and the payment provider', async () => {
    const stored = await page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }])')
    const places = [stored, addresses.join('\n'), portal.lines.join('\n')]
    expect(secrets).toHaveLength(6)
    expect(places.every(text => text.length > 0)).toBe(true)
    expect(secrets.filter(secret => places.some(text => text.includes(secret.replace(/^(sk_live|sst)_/, ''))))).toEqual([])
    expect(portal.faults.filter(fault => !fault.includes(` asked ${provider.url}/`))).toEqual([])
  })
})
