import { join } from 'node:path'
import { parse } from 'node-html-parser'
import { expect, it, onTestFinished } from 'vitest'
import { readEmail } from '../../src/accounts/index.ts'
import { createLog, readConfig } from '../../src/core/index.ts'
import { openService } from '../../src/main.ts'
import { plain } from '../state/schema.ts'
import { dataFolder, NOW, SECRETS } from '../support.ts'

const DAY_MS = 86_400_000
const ANSWERED = '/v2/datasets'
/** Refused with 503, because the data folder has no release. */
const FAILED = '/v2/datasets/daily-prices?symbol=2330'

/** Runs a service on the folder, requests the URLs and reads the status page. */
async function statusAfter(dir: string, now: Date, urls: readonly string[], path = '/status') {
  const config = readConfig({ DATA_DIR: dir, HOST: '127.0.0.1', PORT: '0', DUCKDB_THREADS: '1', DUCKDB_MEMORY_LIMIT: '512MB' })
  const { listener, control, close } = await openService({
    config,
    secrets: SECRETS,
    log: createLog('error', { write: () => {} }),
    clock: () => now,
  })
  try {
    const account = control.accounts.ensure(readEmail('reader@example.test')!, now)
    const key = control.keys.issue(account.id, 'test', now).secret
    const statuses: number[] = []
    const origin = await listener.listen()
    for (const url of urls) {
      const response = await fetch(`${origin}${url}`, { headers: { 'x-api-key': key } })
      await response.bytes()
      statuses.push(response.status)
    }
    // A response is counted when its connection has received all bytes.
    await expect.poll(listener.running).toBe(0)
    const root = parse(await (await fetch(`${origin}${path}`)).text())
    const bars = root.querySelectorAll('#requests + svg rect').map(bar => bar.querySelector('title')!.textContent)
    return { statuses, bars, heading: root.querySelector('#requests')!.textContent, list: root.querySelectorAll('details li') }
  } finally {
    await close()
  }
}

async function folder(): Promise<string> {
  const { dir, remove } = await dataFolder()
  onTestFinished(remove)
  return dir
}

const after = (days: number): Date => new Date(NOW.getTime() + days * DAY_MS)

it('the status page shows the share of answered API requests per day, and earlier days as unknown', async () => {
  const dir = await folder()
  const requests = [ANSWERED, FAILED, ANSWERED, '/v2/updates', '/', '/readyz', '/healthz', '/v2/nothing']
  const { statuses, bars, heading, list } = await statusAfter(dir, NOW, requests)
  expect(statuses).toEqual([200, 503, 200, 200, 200, 503, 200, 404])
  expect(heading).toBe('Answered API requests, 90 days: 75.00%')
  expect([bars.length, bars.at(-2), bars.at(-1)]).toEqual([90, '2026-06-30 unknown', '2026-07-01 75.00%'])
  expect(list.map(item => item.textContent.trim())).toEqual(['2026-07-01 75.00%'])
})

it('a new service shows all days as unknown', async () => {
  const { bars, heading } = await statusAfter(await folder(), NOW, [], '/zh/status')
  expect(heading).toBe('近 90 日 API 請求成功率：未知')
  expect(bars.every(bar => bar.endsWith(' 未知'))).toBe(true)
})

it('counts survive a restart, and days without requests are not shown as answered', async () => {
  const dir = await folder()
  await statusAfter(dir, NOW, [ANSWERED, FAILED])
  const { bars, heading } = await statusAfter(dir, after(2), [ANSWERED, ANSWERED])
  expect(bars.slice(-4)).toEqual(['2026-06-30 unknown', '2026-07-01 50.00%', '2026-07-02 no requests', '2026-07-03 100%'])
  expect(heading).toContain('75.00%')
})

it('a request belongs to its day in Taipei', async () => {
  const { bars } = await statusAfter(await folder(), new Date('2026-07-01T16:00:00Z'), [ANSWERED])
  expect(bars.slice(-2)).toEqual(['2026-07-01 unknown', '2026-07-02 100%'])
})

it('days older than 90 days are deleted, and the history is still known to be older', async () => {
  const dir = await folder()
  await statusAfter(dir, NOW, [ANSWERED])
  await statusAfter(dir, after(90), [FAILED])
  const days = plain(join(dir, 'state.sqlite'), db => db.prepare('SELECT day, answered, failed FROM traffic_day ORDER BY day').raw().all())
  expect(days).toEqual([
    ['2026-07-02', 0, 0],
    ['2026-09-29', 0, 1],
  ])
  const { bars } = await statusAfter(dir, after(90), [])
  expect([bars[0], bars.at(-1)]).toEqual(['2026-07-02 no requests', '2026-09-29 0.00%'])
})
