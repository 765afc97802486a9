import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'
import { buildPortal } from '../portal/index.ts'
import { browser, chromiumPath } from '../test/portal/browser/chromium.ts'
import { ensureSamples, SAMPLES, SLOWED } from './browser.ts'
import { startChild } from './child.ts'
import type { Served } from './server.ts'
import { type Line, median } from './table.ts'

/** One page of each kind. Visitors usually open these pages first. */
const PATHS = [
  '/',
  '/datasets',
  '/datasets/institutional-positioning',
  '/company/2330',
  '/companies',
  '/compare?symbols=2330,2454',
  '/market/institutional',
  '/market/indices',
  '/market/heat-map',
  '/market/yield-curve',
  '/market/calendar',
  '/explore/daily-prices',
  '/pricing',
  '/status',
  '/docs',
]
/** Widths of the window, in pixels: a desktop computer and a phone. */
const WIDTHS = [1_440, 390]
/** Maximum transferred bytes, for pages that have a goal. */
const HEAVIEST: Readonly<Record<string, number>> = { '/': 60_000, '/company/2330': 180_000 }

/** Fast 3G as in Lighthouse: 150 ms per round trip, 1.6 Mbit/s down and 750 kbit/s up. */
const FAST_3G = { offline: false, latency: 150, downloadThroughput: 1.6e6 / 8, uploadThroughput: 750e3 / 8 }

/**
 * Waiting time after the last request, in milliseconds, so that the page has rendered its last
 * answer.
 */
const REST_MS = 700

interface Visit {
  /** Largest Contentful Paint, in milliseconds. */
  readonly lcp: number
  /** Sum of all layout shifts. */
  readonly cls: number
  /** Transferred bytes, compressed, with headers. */
  readonly bytes: number
  /** Time until every visible panel shows its rows, in milliseconds. 0 if the page has no panel. */
  readonly drawn: number
}

/**
 * Measures pages as a new visitor with Fast 3G and a processor that is four times slower.
 *
 * @param rounds number of visits of each page and width
 */
export async function measurePages(rounds: number, say: (text: string) => void): Promise<readonly Line[]> {
  if (!chromiumPath()) return []
  await buildPortal()
  await ensureSamples()
  const samples = startChild('server.ts')
  try {
    const { url } = await samples.ask<Served>('start', SAMPLES, { env: { VISITORS: 'max' } })
    await samples.ask('rest')
    const lines: Line[] = []
    for (const path of PATHS)
      for (const width of WIDTHS) {
        say(`${path}, ${width} pixels`)
        const visits: Visit[] = []
        // The first visit fills the caches of the service, and is not counted.
        for (let round = 0; round <= rounds; round++) visits.push(await visit(`${url}${path}`, width))
        lines.push(...linesOf(path, width, visits.slice(1)))
      }
    return lines
  } finally {
    await (await browser()).close()
    await samples.stop()
  }
}

function linesOf(path: string, width: number, visits: readonly Visit[]): readonly Line[] {
  const p50 = (of: keyof Visit): number => median(visits.map(visit => visit[of]))
  const heaviest = HEAVIEST[path]
  const lines: readonly (Line | false)[] = [
    { name: `${path}, ${width} px: largest paint, p50`, measured: p50('lcp'), unit: 'ms', goal: { atMost: 1_600 } },
    p50('drawn') > 0 && { name: '  panels show rows', measured: p50('drawn'), unit: 'ms' },
    { name: '  layout shift', measured: p50('cls'), unit: '', goal: { atMost: 0.1 } },
    { name: '  transferred', measured: p50('bytes') / 1_000, unit: 'kB', ...(heaviest && { goal: { atMost: heaviest / 1_000 } }) },
  ]
  return lines.filter(line => line !== false)
}

/** Records paints, layout shifts and the time when the last panel was drawn. */
const RECORD = `
  window.recorded = { lcp: 0, cls: 0, drawn: 0 }
  new PerformanceObserver(list => { for (const one of list.getEntries()) recorded.lcp = one.startTime })
    .observe({ type: 'largest-contentful-paint', buffered: true })
  new PerformanceObserver(list => { for (const one of list.getEntries()) recorded.cls += one.value })
    .observe({ type: 'layout-shift', buffered: true })
  let busy = 0
  new MutationObserver(() => {
    const panels = document.querySelectorAll('.panel-body')
    const now = [...panels].filter(panel => panel.querySelector('.skeleton')).length
    if (now < busy || (panels.length > 0 && now === 0 && recorded.drawn === 0)) recorded.drawn = performance.now()
    busy = now
  }).observe(document, { childList: true, subtree: true })`

async function visit(url: string, width: number): Promise<Visit> {
  const context = await (await browser()).newContext({ viewport: { width, height: 900 }, bypassCSP: true })
  try {
    const page = await context.newPage()
    const transferred = await slowDown(page)
    await page.addInitScript(RECORD)
    await page.goto(url)
    await page.waitForLoadState('networkidle')
    await sleep(REST_MS)
    return { ...(await page.evaluate<Omit<Visit, 'bytes'>>('recorded')), bytes: transferred() }
  } finally {
    await context.close()
  }
}

/**
 * Slows network and processor of a page.
 * @returns a function that returns the number of bytes transferred so far
 */
async function slowDown(page: Page): Promise<() => number> {
  const devtools = await page.context().newCDPSession(page)
  let bytes = 0
  devtools.on('Network.loadingFinished', ({ encodedDataLength }) => {
    bytes += encodedDataLength
  })
  await devtools.send('Network.enable')
  await devtools.send('Network.emulateNetworkConditions', FAST_3G)
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWED })
  return () => bytes
}
