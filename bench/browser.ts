import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { publishCalendar } from '../ingest/calendar/index.ts'
import { openWorkspace } from '../ingest/publish/index.ts'
import { publishSamples, samplesMissing } from '../ingest/samples/index.ts'
import { buildPortal } from '../portal/index.ts'
import { taipeiDay } from '../src/core/index.ts'
import { browser, chromiumPath } from '../test/portal/browser/chromium.ts'
import { startChild } from './child.ts'
import { clock, folderOf, type Size, shuffled, tickersOf } from './data.ts'
import { openReader } from './reader.ts'
import type { Served } from './server.ts'
import { type Line, median, quantile } from './table.ts'

export const SAMPLES = join(import.meta.dirname, '.data', 'samples')
export const SLOWED = 4
/** Frames that take longer are dropped. */
const FRAME_MS = 1_000 / 60

export async function ensureSamples(): Promise<void> {
  if (existsSync(join(SAMPLES, 'releases', 'valuation'))) return
  const workspace = await openWorkspace(SAMPLES, clock)
  try {
    await publishCalendar(workspace)
    await publishSamples(
      workspace,
      await samplesMissing(workspace),
      () => taipeiDay(clock()),
      () => {},
    )
  } finally {
    workspace.close()
  }
}

/**
 * Measures pages in a real browser.
 *
 * @param rounds number of visits of each page
 * @param points number of point reads with visitors, and of point reads without visitors
 */
export async function measureBrowser(size: Size, [rounds, points]: readonly [number, number]): Promise<readonly Line[]> {
  if (!chromiumPath()) return []
  await buildPortal()
  await ensureSamples()
  const [samples, rows] = [startChild('server.ts'), startChild('server.ts')]
  try {
    const env = { VISITORS: 'max' }
    const { url } = await samples.ask<Served>('start', SAMPLES, { env })
    const big = await rows.ask<Served>('start', folderOf(size), { env })
    await Promise.all([samples.ask('rest'), rows.ask('rest')])
    const lines = [
      await timed('first page usable, processor 4 times slower, p50', 1_000, rounds, () => firstPage(url)),
      await timed('search: last key to results, p50', 100, rounds, () => searching(url)),
      await timed('company page, every panel drawn, p50', 1_500, rounds, () => company(url)),
      await scrolling(big.url),
      await withVisitors(big, size, points),
    ]
    return lines
  } finally {
    await (await browser()).close()
    await Promise.all([samples.stop(), rows.stop()])
  }
}

/** Does not measure the first visit, which compiles code and starts the browser. */
async function timed(name: string, atMost: number, rounds: number, visit: () => Promise<number>): Promise<Line> {
  await visit()
  const times: number[] = []
  for (let round = 0; round < rounds; round++) times.push(await visit())
  return { name, measured: median(times), unit: 'ms', goal: { atMost } }
}

/** Opens each page as a new visitor, so that pages share no cache. */
async function asVisitor<T>(look: (page: Page) => Promise<T>): Promise<T> {
  const context = await (await browser()).newContext({
    viewport: { width: 1_280, height: 900 },
    // Playwright evaluates text in the page, which the content security policy forbids.
    bypassCSP: true,
  })
  try {
    return await look(await context.newPage())
  } finally {
    await context.close()
  }
}

const firstPage = (url: string): Promise<number> =>
  asVisitor(async page => {
    const devtools = await page.context().newCDPSession(page)
    await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWED })
    await page.addInitScript(`new MutationObserver((_, observer) => {
      if (!document.querySelector('#search input')) return
      observer.disconnect()
      window.usableAfter = performance.now()
    }).observe(document, { childList: true, subtree: true })`)
    await page.goto(url, { waitUntil: 'load' })
    return page.waitForFunction('window.usableAfter').then(after => after.jsonValue() as Promise<number>)
  })

const searching = (url: string): Promise<number> =>
  asVisitor(async page => {
    await page.goto(url)
    const box = page.locator('#search input')
    await box.pressSequentially('233', { delay: 60 })
    await page.waitForSelector('#search [role=option]')
    const startedAt = performance.now()
    await box.press('0')
    await page.waitForFunction("document.querySelectorAll('#search [role=option]').length === 1")
    return performance.now() - startedAt
  })

/** Waits until no panel is loading. The window shows all panels. */
const company = (url: string): Promise<number> =>
  asVisitor(async page => {
    await page.setViewportSize({ width: 1_280, height: 6_000 })
    const startedAt = performance.now()
    await page.goto(`${url}/company/2330`, { waitUntil: 'commit' })
    await page.waitForSelector('.panel')
    await page.waitForFunction(
      "document.querySelectorAll('.panel-body').length >= 8 && [...document.querySelectorAll('.panel-body')].every(panel => panel.getAttribute('aria-busy') !== 'true' && panel.querySelector('canvas, table, .notice'))",
    )
    return performance.now() - startedAt
  })

const SCROLLED_S = 3
/** Expression for the element that scrolls. Undefined until the page knows the number of rows. */
const SCROLLER = "[...document.querySelectorAll('.rows-scroll')].find(one => one.scrollHeight > 100000)"

const scrolling = (url: string): Promise<Line> =>
  asVisitor(async page => {
    await page.goto(`${url}/explore/institutional-positioning?symbol=${tickersOf('small').slice(0, 40)}`)
    await page.waitForSelector('[role=row] td, tbody td')
    await page.waitForFunction(SCROLLER)
    await sleep(1_000)
    const frames = await page.evaluate<number[]>(`new Promise(resolve => {
      const scroller = ${SCROLLER}
      const times = []
      const startedAt = performance.now()
      const step = now => {
        times.push(now)
        scroller.scrollTop += 240
        if (now - startedAt < ${SCROLLED_S * 1_000}) requestAnimationFrame(step)
        else resolve(times.slice(1).map((time, at) => time - times[at]))
      }
      requestAnimationFrame(step)
    })`)
    const perSecond = frames.length / (frames.reduce((a, b) => a + b, 0) / 1_000)
    return {
      name: 'frames a second while 100,000 rows scroll',
      measured: perSecond,
      against: 1_000 / FRAME_MS,
      unit: '/s',
      goal: { atLeast: 0.95 },
    }
  })

/** Number of blocks with visitors, and of blocks without visitors. */
const BLOCKS = 4

const WARM_PASSES = 2

/** The ticker exists in every size of the data. */
const VISITED = ['/', '/datasets', '/company/1000', '/market/indices', '/assets/icon.svg']

/** Measures the p99 of point reads, with and without a visitor in another process. */
async function withVisitors({ url, keys }: Served, size: Size, points: number): Promise<Line> {
  const reader = openReader({ url, keys })
  const tickers = shuffled(tickersOf(size)).slice(0, points / BLOCKS)
  const [alone, visited, before]: [number[], number[], number[]] = [[], [], []]
  const visitor = startChild('visitor.ts')
  const readAll = async (times: number[]): Promise<void> => {
    for (const ticker of tickers) times.push((await reader.read(ticker)).ms)
  }
  const readBeside = async (times: number[]): Promise<void> => {
    await visitor.ask('begin', url, VISITED)
    await readAll(times)
    await visitor.ask('end')
  }
  try {
    for (let pass = 0; pass < WARM_PASSES; pass++) await readBeside(before)
    for (let block = 0; block < BLOCKS; block++) {
      if (block % 2 === 0) await readAll(alone)
      await readBeside(visited)
      if (block % 2 === 1) await readAll(alone)
    }
  } finally {
    reader.close()
    await visitor.stop()
  }
  return {
    name: 'point reads with visitors of pages, p99',
    measured: quantile(visited, 0.99),
    against: quantile(alone, 0.99),
    unit: 'ms',
    goal: { atMost: 1.2 },
  }
}
