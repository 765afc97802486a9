import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Locator } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadCatalog } from '../../../catalog/index.ts'
import { ingestFiles } from '../../../ingest/index.ts'
import { openWorkspace, type Workspace } from '../../../ingest/publish/index.ts'
import { readEmail } from '../../../src/accounts/index.ts'
import { connect, paidEnvironment, STRIPE_KEY, until } from '../../billing/shop.ts'
import { feeds, t86Body } from '../../fixtures/ingest/bodies.ts'
import { type Control, controlOf } from '../../fixtures/provider/client.ts'
import { type RunningProvider, startProvider } from '../../fixtures/provider/server.ts'
import { postOffice } from '../../mail/mail-server.ts'
import { NOW, publishRows, SECRETS } from '../../support.ts'
import { receiver } from '../../webhooks/receiver.ts'
import { WITHOUT } from './chromium.ts'
import { openPortal, type Portal } from './portal.ts'

const MOST_CLICKS = 4
/** Newest days of a chart that a test compares. */
const DAYS_COMPARED = 20

type Row = Readonly<Record<string, unknown>>

/** Rows of a response of the API. */
const rowsOf = (body: { readonly data?: readonly Row[]; readonly envelope?: { readonly data: readonly Row[] } }): readonly Row[] =>
  body.data ?? body.envelope!.data

/** Number in a text, such as a title with a unit. */
const numberIn = (text: string | null): number => Number(/-?[\d,.]*\d/.exec(text ?? '')?.[0].replaceAll(',', ''))

/** Runs copied code in a shell. The environment has nothing but the key. */
async function runInShell(code: string, key = ''): Promise<readonly Row[]> {
  const { stdout } = await promisify(execFile)('sh', ['-c', code], { env: { PATH: process.env['PATH'], TWMD_API_KEY: key } })
  return rowsOf(JSON.parse(stdout))
}

/** Each journey starts on the home page and needs at most four clicks. */
describe.skipIf(WITHOUT !== '')(`journeys${WITHOUT}`, () => {
  let post: Awaited<ReturnType<typeof postOffice>>
  let running: RunningProvider
  let provider: Control
  let hooks: Awaited<ReturnType<typeof receiver>>
  let portal: Portal
  let workspace: Workspace

  beforeAll(async () => {
    const startedAt = performance.now()
    post = await postOffice()
    running = await startProvider({ secretKey: STRIPE_KEY, now: () => new Date(NOW.getTime() + performance.now() - startedAt) })
    provider = controlOf(running.url)
    const { DATA_DIR, PORT, ...paid } = paidEnvironment('', running.url)
    hooks = await receiver()
    portal = await openPortal({ ...paid, MAIL_URL: post.url, WEBHOOK_PRIVATE_HOSTS: 'on' })
    await connect(provider, portal.url)
    workspace = await openWorkspace(portal.dir, () => NOW)
    const search = () => fetch(`${portal.url}/v2/search?q=2330`, { headers: { 'x-portal': '1' } })
    await until('the search index is built', async () => (await search()).ok)
  })
  afterAll(async () => {
    workspace?.close()
    await portal?.close()
    await running?.close()
    hooks?.close()
    await post?.close()
  })

  /** Rows that the API returns for a key of the plan Max. */
  async function read(path: string): Promise<readonly Row[]> {
    const answer = await fetch(`${portal.url}/v2/datasets/${path}`, { headers: { 'x-api-key': portal.keyOn('max') } })
    return rowsOf((await answer.json()) as { data: readonly Row[] })
  }

  describe.each(['en', 'zh'] as const)('in the language %s', language => {
    const say = (en: string, zh: string): string => (language === 'en' ? en : zh)

    /** A user on the home page. Counts the clicks and the texts that the user types. */
    async function openHome(session?: string) {
      const page = await portal.visit(session === undefined ? say('/', '/zh') : '/docs')
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      if (session !== undefined) {
        await page.context().addCookies([{ name: 'twmd-session', value: session, url: portal.url }])
        await page.goto(`${portal.url}${say('/', '/zh')}`)
      }
      const effort = { clicks: 0, texts: 0 }
      return {
        page,
        effort,
        button: (name: string) => page.getByRole('button', { name, exact: true }),
        async click(target: Locator): Promise<void> {
          effort.clicks++
          await target.click()
        },
        async enter(target: Locator, text: string): Promise<void> {
          effort.texts++
          await target.fill(text)
          await target.press('Enter')
        },
        async copied(): Promise<string> {
          await page.getByRole('status').getByText(say('Copied', '已複製'), { exact: true }).waitFor()
          return page.evaluate<string>('navigator.clipboard.readText()')
        },
        async saved(click: Promise<void>): Promise<string> {
          const [download] = await Promise.all([page.waitForEvent('download'), click])
          return readFile(await download.path(), 'utf8')
        },
        async end(): Promise<void> {
          expect(effort.clicks).toBeGreaterThan(0)
          expect(effort.clicks).toBeLessThanOrEqual(MOST_CLICKS)
          await page.context().close()
        },
      }
    }

    /** A signed-in user on the home page, with a key. */
    async function openHomeSignedIn(name: string) {
      const { accounts, keys, sessions } = portal.service.control
      const email = `${name}-${language}@example.test`
      const { id } = accounts.ensure(readEmail(email)!, NOW)
      const { token } = sessions.open(id, NOW)
      return { email, key: keys.issue(id, 'notebook', NOW).secret, token, ...(await openHome(token)) }
    }

    /** Moves over the days of a chart with the arrow keys, newest first. Returns the legends. */
    async function legendOf(panel: Locator, days: number) {
      const shown: { readonly day: string; readonly texts: readonly string[]; readonly values: readonly number[] }[] = []
      const parts = panel.locator('.chart-legend > span')
      await panel.scrollIntoViewIfNeeded()
      await panel.locator('canvas').first().waitFor()
      await panel.locator('.chart-place').press('End')
      for (let at = 0; at < days; at++) {
        if (at > 0) await panel.locator('.chart-place').press('ArrowLeft')
        await expect.poll(() => parts.first().innerText(), { interval: 5 }).not.toBe(shown.at(-1)?.day)
        const titles = await Promise.all((await parts.all()).map(part => part.getAttribute('title')))
        const [day, ...texts] = await parts.allInnerTexts()
        shown.push({ day: day!, texts, values: titles.slice(1).map(numberIn) })
      }
      return shown
    }

    it('a visitor sees the institutional flows of a company and copies code that returns the drawn numbers', async () => {
      const { page, click, enter, copied, end } = await openHome()
      const panel = page.locator('#institutional')
      await enter(page.locator('#search input'), '2330')
      await click(page.locator('.company-bar a[href="#institutional"]'))
      const drawn = await legendOf(panel, DAYS_COMPARED)
      await click(panel.getByRole('tab', { name: say('Query', '查詢') }))
      await click(panel.getByRole('button', { name: say('Copy curl', '複製 curl') }))
      const rows = await runInShell(await copied(), portal.keyOn('pro'))
      expect(drawn.map(({ day, values }) => [day, values[1]])).toEqual(
        rows.slice(0, DAYS_COMPARED).map(row => [row['trade_date'], row['institutional_net_buy_total']]),
      )
      await end()
    })

    it('a new user signs up and reads with the first command shown', async () => {
      const { page, click, enter, button, copied, end } = await openHome()
      const email = `newcomer-${language}@example.test`
      await click(page.locator('#account'))
      await enter(page.locator('#email'), email)
      const mail = () => post.mails.find(({ to }) => to[0] === email)
      await until('the code is mailed', () => mail() !== undefined)
      await enter(page.locator('#code'), /\d{8}/.exec(mail()!.text)![0])
      const key = await page.locator('.secret code.whole').innerText()
      await click(button(say('Copy the command', '複製指令')))
      const command = await copied()
      expect(command).toContain(key)
      expect(await runInShell(command)).toEqual(await read('daily-prices?symbol=2330&limit=5'))
      await end()
    })

    it('a visitor saves who bought most on the last day, with the rows of the ranking and of the API', async () => {
      const { page, click, saved, end } = await openHome()
      await click(page.locator('.last-day').getByRole('link', { name: say('Top net buying', '買超排行') }))
      const panel = page.locator('#buyers')
      const shown = panel.locator('.ranking tbody tr')
      await shown.nth(19).waitFor()
      const ranking = await Promise.all(
        (await shown.all()).map(async line => [
          await line.locator('code').innerText(),
          numberIn(await line.locator('td').first().getAttribute('title')),
        ]),
      )
      const [head, ...lines] = (await saved(click(panel.getByRole('button', { name: say('Save as CSV', '存為 CSV') }))))
        .slice(1)
        .trimEnd()
        .split('\r\n')
      const columns = head!.split(',')
      const [{ data_as_of: day } = { data_as_of: '' }] = (
        (await (await fetch(`${portal.url}/v2/datasets`)).json()) as { data: { slug: string; data_as_of: string }[] }
      ).data.filter(({ slug }) => slug === 'institutional-positioning')
      const rows = await read(`institutional-positioning/cross-section?date=${day}&sort=-institutional_net_buy_total&limit=20`)
      expect(ranking).toEqual(rows.map(row => [row['ticker'], row['institutional_net_buy_total']]))
      expect(columns).toEqual(expect.arrayContaining(['ticker', 'trade_date', 'institutional_net_buy_total']))
      expect(lines).toEqual(rows.map(row => columns.map(column => row[column]).join()))
      await end()
    })

    it('a visitor compares prices, flows, revenue and valuation of two securities', async () => {
      const { page, click, enter, end } = await openHome()
      await enter(page.locator('#search input'), '2330')
      await click(page.locator('.company-head').getByRole('link', { name: say('Compare', '比較'), exact: true }))
      await enter(page.getByLabel(say('Add a security', '加入證券')), '2454')
      await expect.poll(() => page.locator('.chosen code').allInnerTexts()).toEqual(['2330', '2454'])
      const names = [say('TSMC', '台積電'), say('MediaTek', '聯發科')]
      const start = `${NOW.getUTCFullYear() - 1}${NOW.toISOString().slice(4, 10)}`
      const historyOf = async (slug: string, column: string) =>
        Promise.all(
          ['2330', '2454'].map(async ticker => {
            const values = (await read(`${slug}?symbol=${ticker}&start_date=${start}&limit=2000`)).map(row => row[column])
            return values.filter(value => typeof value === 'number').toReversed()
          }),
        )
      const [last, sum] = [(values: readonly number[]) => values.at(-1)!, (values: readonly number[]) => values.reduce((a, b) => a + b, 0)]
      for (const [id, slug, column, summarize] of [
        ['prices', 'adjusted-prices', 'close', (values: readonly number[]) => 100 * (last(values) / values[0]! - 1)],
        ['institutional', 'institutional-positioning', 'institutional_net_buy_total', sum],
        ['revenue', 'monthly-revenue', 'yoy_pct', last],
        ['pe', 'valuation', 'pe_ratio', last],
        ['yield', 'valuation', 'dividend_yield', last],
      ] as const) {
        const panel = page.locator(`#${id}`)
        await panel.scrollIntoViewIfNeeded()
        await expect.poll(() => panel.locator('.chart-legend > span').allInnerTexts()).toHaveLength(3)
        const [shown] = await legendOf(panel, 1)
        expect(shown!.texts.map(text => text.trim().split(' ')[0])).toEqual(names)
        const expected = (await historyOf(slug, column)).map(summarize)
        for (const [index, value] of expected.entries()) expect(shown!.values[index], `${id} of ${names[index]}`).toBeCloseTo(value, 5)
      }
      await end()
    })

    it('on an ex-day the traded price falls by the dividend and the adjusted price does not', async () => {
      const { page, click, enter, end } = await openHome()
      await enter(page.locator('#search input'), '2330')
      await click(page.locator('.company-bar a[href="#dividends"]'))
      const [event] = await read('ex-rights?symbol=2330&limit=1')
      const exDay = event!['ex_date'] as string
      const line = page.locator('#dividends tbody tr').first()
      await expect.poll(() => line.innerText()).toContain(exDay)
      expect((await line.locator('td').allInnerTexts()).slice(0, 3).map(numberIn)).toEqual([
        event!['cash_dividend'],
        event!['value'],
        event!['close_before'],
      ])
      /** Closes of the day before the ex-day and of the ex-day, as drawn. */
      const drawnCloses = async (slug: string): Promise<readonly [before: number, on: number]> => {
        const rows = await read(`${slug}?symbol=2330&limit=${DAYS_COMPARED}&columns=trade_date,close`)
        const at = rows.findIndex(row => row['trade_date'] === exDay)
        const shown = await legendOf(page.locator('#prices'), at + 2)
        const closes = shown.map(({ texts }) => numberIn(/(?:C|收) ([\d,.]+)/.exec(texts[0]!)![1]!))
        expect(shown.map(({ day }) => day)).toEqual(rows.slice(0, at + 2).map(row => row['trade_date']))
        for (const [index, close] of closes.entries()) expect(close).toBeCloseTo(rows[index]!['close'] as number, 2)
        return [closes[at + 1]!, closes[at]!]
      }
      const [adjustedBefore, adjusted] = await drawnCloses('adjusted-prices')
      await click(page.getByRole('button', { name: say('Adjusted', '還原權息') }))
      await page.locator('#prices').getByText(say('As traded, not adjusted.', '實際成交價，未還原權息。')).waitFor()
      const [before, on] = await drawnCloses('daily-prices')
      expect(before).toBe(event!['close_before'])
      expect(on).toBeLessThan(before)
      // The exchange's reference price is the close before the ex-day without the dividend.
      expect(adjusted / adjustedBefore).toBeCloseTo(on / (event!['reference_price'] as number), 4)
      expect(on / before).toBeLessThan(adjusted / adjustedBefore)
      await end()
    })

    it('a user upgrades the plan and sees the new plan', async () => {
      const { page, click, button, key, end } = await openHomeSignedIn('buyer')
      await click(page.locator('#account'))
      await expect.poll(() => page.locator('#plan-name').innerText()).toBe('Free')
      await click(page.getByRole('link', { name: say('Plan and billing', '方案與帳務') }))
      await click(button(say('Choose Pro', '選擇 Pro')))
      await page.waitForURL(`${provider.url}/**`)
      // The customer pays, and the provider sends the browser back.
      const session = (await provider.sessions()).find(({ id }) => page.url().includes(id))
      await provider.complete(session!.id)
      await page.goto(session!['success_url'] as string)
      await page.getByText(say('Your plan Pro is active', 'Pro 方案已生效')).waitFor()
      await expect.poll(() => page.locator('#plan-name').innerText()).toBe('Pro')
      await expect.poll(() => page.locator('html').getAttribute('lang')).toBe(say('en', 'zh-Hant'))
      const { plan_id } = (await (await fetch(`${portal.url}/v2/account/entitlements`, { headers: { 'x-api-key': key } })).json()) as {
        plan_id: string
      }
      expect(plan_id).toBe('pro')
      await end()
    })

    it('a user finds the used credits of each dataset, equal to the charges of the reads and to the ledger', async () => {
      const { page, click, button, saved, key, end } = await openHomeSignedIn('reader')
      let charged = 0
      for (const path of ['daily-prices?symbol=2330', 'daily-prices?symbol=2454', 'securities-firm-master?limit=1']) {
        const answer = await fetch(`${portal.url}/v2/datasets/${path}`, { headers: { 'x-api-key': key } })
        charged += Number(answer.headers.get('x-credits-charged'))
      }
      expect(charged).toBeGreaterThan(2)
      await click(page.locator('#account'))
      await click(page.getByRole('link', { name: say('Usage', '用量'), exact: true }))
      await expect
        .poll(() => page.locator('#usage-totals').innerText())
        .toContain(say(`3 reads, ${charged} credits`, `3 次讀取、${charged} 點`))
      const creditsIn = async () =>
        (await page.locator('#usage table').first().locator('tbody tr td:nth-child(2)').allInnerTexts()).map(numberIn)
      expect(await creditsIn()).toEqual([charged])
      await click(button(say('By dataset', '依資料集')))
      await expect.poll(async () => (await creditsIn()).length).toBe(2)
      const shown = await creditsIn()
      expect(shown[0]! + shown[1]!).toBe(charged)
      const [head, ...entries] = (await saved(click(button(say('Download as CSV', '下載 CSV'))))).trim().split(/\r?\n/)
      const at = head!.split(',').indexOf('credits')
      expect(entries).toHaveLength(3)
      expect(entries.reduce((sum, entry) => sum + Number(entry.split(',')[at]), 0)).toBe(charged)
      await end()
    })

    it('a user creates a webhook for a dataset by its name and sees the delivery of its next release', async () => {
      const dataset = (await loadCatalog()).get('fx-rates')!
      const { page, click, enter, end } = await openHomeSignedIn('subscriber')
      await click(page.locator('#account'))
      await click(page.getByRole('link', { name: 'Webhook' }))
      await click(page.locator('.dataset-choice summary'))
      await click(page.locator('.dataset-choice').getByLabel(say(dataset.title, dataset.titleZh), { exact: true }))
      await enter(page.getByLabel(say('Endpoint URL', '接收網址')), hooks.url)
      await expect.poll(() => page.locator('#webhooks table').first().innerText()).toContain(say(dataset.title, dataset.titleZh))
      await publishRows(workspace, portal.dir, dataset, [{ ...dataset.example[0]!, date: say('2026-07-01', '2026-06-30') }])
      await until('the message arrives', () => hooks.messages.length > 0)
      const [message] = hooks.taken()
      expect(message!.event.data['slug']).toBe('fx-rates')
      const line = page.locator('#deliveries tbody tr')
      await expect.poll(() => line.innerText()).toContain(message!.id)
      await expect
        .poll(() => line.innerText())
        .toMatch(new RegExp(`${say(dataset.title, dataset.titleZh)}[\\s\\S]*${say('delivered', '已送達')}[\\s\\S]*HTTP 200`))
      await end()
    })

    it('a user closes the account, and its key is refused', async () => {
      const { page, click, enter, email, key, end } = await openHomeSignedIn('leaver')
      const status = async () => (await fetch(`${portal.url}/v2/datasets/securities-firm-master`, { headers: { 'x-api-key': key } })).status
      expect(await status()).toBe(200)
      await click(page.locator('#account'))
      await click(page.getByRole('link', { name: say('Close', '關閉'), exact: true }))
      await click(page.locator('#closing summary'))
      await enter(page.locator('#closing input'), email)
      await expect.poll(() => page.locator('#gone').innerText()).toContain(say('1 key was revoked', '已撤銷 1 把金鑰'))
      expect(await status()).not.toBe(200)
      await end()
    })

    it('the operator finds the overdue datasets and a refused file with its reason', async () => {
      const file = join(portal.dir, `T86_${language}.json`)
      writeFileSync(file, t86Body('2026-06-29', { '2330': [1, 2, 3, 7] }))
      await ingestFiles(workspace, feeds.get('twse-t86')!, [file], { requestedDay: undefined, accept: [], progress: () => {} })
      const { page, click, enter, end } = await openHome()
      await click(page.getByRole('link', { name: say('Operator', '營運管理'), exact: true }))
      await enter(page.locator('#token'), SECRETS.ADMIN_TOKEN)
      const { data } = (await (await fetch(`${portal.url}/v2/datasets`)).json()) as {
        data: { title: string; title_zh: string; freshness_state: string; data_as_of: string }[]
      }
      const overdue = data.filter(({ freshness_state: state }) => state === 'late')
      expect(overdue.length).toBeGreaterThan(0)
      const concerns = page.locator('#attention .concern', { hasText: say('is overdue', '逾期') })
      await expect.poll(() => concerns.count()).toBe(overdue.length)
      for (const dataset of overdue) {
        const concern = concerns.filter({ hasText: say(`${dataset.title} is overdue`, `${dataset.title_zh}逾期`) })
        await expect.poll(() => concern.innerText()).toContain(dataset.data_as_of)
      }
      await click(page.locator('#attention a[href="#quarantine"]'))
      await click(page.locator('#kept tr', { hasText: `T86_${language}.json` }).getByRole('button'))
      const faults = page.locator('#report .faults')
      await expect.poll(() => faults.innerText()).toContain(say('add up to the published total', '三大法人相加等於交易所公布的合計'))
      await click(faults.locator('summary'))
      await expect.poll(() => faults.locator('pre').innerText()).toContain('2330')
      await end()
    })
  })
})
