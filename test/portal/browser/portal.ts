import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { AxeBuilder } from '@axe-core/playwright'
import type { BrowserContextOptions, Page } from 'playwright-core'
import type { PlanId } from '../../../catalog/index.ts'
import { SAMPLES } from '../../../ingest/samples/index.ts'
import { buildPortal } from '../../../portal/index.ts'
import { readEmail } from '../../../src/accounts/index.ts'
import { openIntake } from '../../../src/cli/publish/intake.ts'
import { createLog, readConfig } from '../../../src/core/index.ts'
import { type Service, startService } from '../../../src/main.ts'
import { samples } from '../../fixtures/publish/samples.ts'
import { dataFolder, NOW, SECRETS } from '../../support.ts'
import { browser } from './chromium.ts'

/** Folder of the screenshots: `.browser/` of the project. */
const PICTURES = new URL('../../../.browser/', import.meta.url).pathname

/**
 * Maximum random delay of API answers in milliseconds. With delays, answers arrive in another
 * order. This reveals tests that do not wait, and pages that show outdated data.
 * `BROWSER_LATE_MS=1500 npx vitest run test/portal/browser`
 */
const LATE_MS = Number(process.env['BROWSER_LATE_MS'] ?? 0)

/** Display settings of a page. */
export interface Look {
  readonly width?: number
  readonly height?: number
  readonly theme?: 'light' | 'dark'
  /** False for a browser without scripts. Default: true. */
  readonly script?: boolean
}

export const DESKTOP = { width: 1280, height: 900 } as const satisfies Look
export const PHONE = { width: 360, height: 740 } as const satisfies Look

/**
 * A fault of a page: a violation of the content security policy, a script error, or a request to
 * another host.
 */
export type Fault = string

/**
 * A running service with samples of every dataset, visitors allowed on every plan, and a real
 * browser. The clocks of service and browser start on the evening of `NOW`.
 *
 * @param environment additional environment variables of the service
 */
export async function openPortal(environment: Readonly<Record<string, string>> = {}) {
  await buildPortal()
  const { dir, remove } = await dataFolder()
  await cp(await samples(), dir, { recursive: true })
  const lines: string[] = []
  const startedAt = performance.now()
  const clock = () => new Date(NOW.getTime() + performance.now() - startedAt)
  const config = readConfig({
    DATA_DIR: dir,
    LOG_LEVEL: 'info',
    PORT: '0',
    DUCKDB_THREADS: '1',
    DUCKDB_MEMORY_LIMIT: '1GB',
    VISITORS: 'max',
    ...environment,
  })
  const service: Service = await startService({
    config,
    secrets: SECRETS,
    log: createLog('info', { write: line => void lines.push(line) }),
    clock,
    intake: openIntake(config),
  })
  const chromium = await browser()
  const opened: { close(): Promise<void> }[] = []
  const faults: Fault[] = []
  const watch = (page: Page): void => {
    page.on('pageerror', error => faults.push(`${page.url()}: ${error.message}`))
    page.on('console', message => {
      // The console also reports refused requests. They are no faults, because tests check how the
      // page handles them.
      if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) faults.push(`${page.url()}: ${message.text()}`)
    })
    page.on('request', request => {
      if (!request.url().startsWith(service.url) && !request.url().startsWith('data:')) faults.push(`${page.url()} asked ${request.url()}`)
    })
  }
  return {
    url: service.url,
    dir,
    lines,
    service,
    /** Faults of all pages so far. A test file expects none at its end. */
    faults,
    /**
     * A page of a new visitor without cookies or storage.
     * @param path for example `/zh/company/2330`
     */
    async visit(path: string, { theme = 'light', script = true, ...size }: Look = {}): Promise<Page> {
      const options: BrowserContextOptions = {
        viewport: { ...DESKTOP, ...size },
        colorScheme: theme,
        locale: path.startsWith('/zh') ? 'zh-TW' : 'en-US',
        timezoneId: 'Asia/Taipei',
        reducedMotion: 'reduce',
        javaScriptEnabled: script,
      }
      const context = await chromium.newContext(options)
      opened.push(context)
      await context.clock.setSystemTime(clock())
      if (LATE_MS > 0)
        await context.route(/\/v[12]\//, async route => {
          await sleep(Math.random() * LATE_MS)
          // Fails if the page was closed, or has sent a newer request.
          await route.continue().catch(() => {})
        })
      const page = await context.newPage()
      watch(page)
      await page.goto(`${service.url}${path}`)
      return page
    },
    /** A key of a new account on a plan. */
    keyOn(plan: PlanId, email = `${plan}@example.test`): string {
      const account = service.control.accounts.ensure(readEmail(email)!, clock())
      service.control.accounts.grantPlan(account.id, plan, {}, clock())
      return service.control.keys.issue(account.id, 'test', clock()).secret
    },
    async close(): Promise<void> {
      for (const context of opened) await context.close()
      await service.stop()
      await remove()
    },
  }
}

export type Portal = Awaited<ReturnType<typeof openPortal>>

/** Slugs of datasets that have samples. */
export const WITH_SAMPLES = Object.keys(SAMPLES)

/** Violations of WCAG 2.2 A and AA according to axe, one line each: rule, count, first place. */
export async function axe(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']).analyze()
  return violations.map(({ id, nodes }) => `${id} ×${nodes.length}: ${nodes[0]!.target.join(' ')} ${nodes[0]!.failureSummary ?? ''}`)
}

/** True if the page scrolls horizontally, which no page may do on a phone. */
export const scrollsSideways = (page: Page): Promise<boolean> =>
  page.evaluate<boolean>('document.documentElement.scrollWidth > document.documentElement.clientWidth + 1')

/** Saves a screenshot of the page in `.browser/`. */
export async function picture(page: Page, name: string): Promise<void> {
  await mkdir(PICTURES, { recursive: true })
  await page.screenshot({ path: join(PICTURES, `${name}.png`), fullPage: false })
}
