import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { loadCatalog } from '../../catalog/index.ts'
import { calendarDays } from '../../ingest/calendar/index.ts'
import { SAMPLES } from '../../ingest/samples/index.ts'
import { runTwmd, twmd } from '../fixtures/cli/in-process.ts'
import { ended, environment, type Serving, serving, startTwmd } from '../fixtures/cli/twmd.ts'
import { stored } from '../fixtures/publish/store.ts'

let dir: string
let demo: Serving
/**
 * Answers of the second start while it creates samples, and the samples of the killed first start.
 */
let early: { readonly ready: Answer; readonly health: Answer; readonly output: string; readonly reads: readonly number[] }
let madeBefore: readonly string[]
type Answer = { readonly code: number; readonly status: string; readonly checks: { readonly preparing: string } }

const ask = async (path: string): Promise<Answer> => {
  const response = await fetch(`${demo.url}${path}`)
  return { code: response.status, ...((await response.json()) as Omit<Answer, 'code'>) }
}
/** Sends the requests of the printed commands. */
const statusesOf = (output: string): Promise<readonly number[]> =>
  Promise.all(
    [...output.matchAll(/X-API-Key: (\S+)' '(\S+)'/g)].map(([, key, url]) =>
      fetch(url!, { headers: { 'x-api-key': key! } }).then(({ status }) => status),
    ),
  )
const published = async (home: string): Promise<readonly string[]> =>
  (await readdir(join(home, 'releases'))).filter(slug => existsSync(join(home, 'releases', slug, 'current'))).sort()

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twmd-'))
  const killed = startTwmd(dir, ['demo'], { PORT: '0' })
  await new Promise<void>(resolve =>
    killed.stderr!.on('data', bytes => /synthetic sample of company-earnings/.test(String(bytes)) && resolve()),
  )
  killed.kill('SIGKILL')
  await ended(killed)
  madeBefore = await published(dir)
  demo = await serving(dir, 'demo', { LOG_LEVEL: 'info' })
  await demo.waitFor('symbol=TWGB&limit=5')
  const output = demo.output()
  early = { ready: await ask('/readyz'), health: await ask('/healthz'), output, reads: await statusesOf(output) }
  await demo.waitFor('Ctrl-C')
}, 300_000)
afterAll(async () => {
  await demo.stop()
  await rm(dir, { recursive: true, force: true })
})

const demoFile = () => JSON.parse(readFileSync(join(dir, 'demo.json'), 'utf8'))

it('GET /readyz of a demo answers 503 with its progress while samples are made, and 200 afterwards', async () => {
  expect(early.output).not.toContain('Ctrl-C')
  expect(early.ready).toMatchObject({ code: 503, status: 'not_ready' })
  expect(early.ready.checks.preparing).toMatch(/^creating sample data: \d+ of \d+ datasets done, now [a-z-]+$/)
  expect(early.health.code).toBe(200)
  expect(await ask('/readyz')).toMatchObject({ code: 200, status: 'ready', checks: { preparing: 'ok' } })
})

it('the commands that a demo prints answer before all samples are created', () => {
  expect(early.output).toContain(`${demo.url} already answers`)
  expect(early.reads).toEqual([200, 200, 200])
})

it('if a demo is killed during its start, the next start makes only the missing samples', async () => {
  expect(madeBefore.length).toBeGreaterThan(1)
  for (const slug of Object.keys(SAMPLES)) expect.soft(stored(join(dir, 'releases'), slug).manifest.synthetic, slug).toBe(true)
  expect(demo.output()).not.toContain('synthetic sample of all-segments')
})

it('demo.json contains address, keys and tokens and is readable by its owner only', () => {
  expect(statSync(join(dir, 'demo.json')).mode & 0o777).toBe(0o600)
  const text = expect.stringMatching(/^\S{32,}$/)
  const key = expect.stringMatching(/^sk_live_[0-9A-Za-z]{38}$/)
  expect(demoFile()).toEqual({
    url: demo.url,
    keys: { free: key, pro: key, max: key },
    service_token: text,
    admin_token: text,
    diagnostics_secret: text,
    diagnostics_probe: text,
  })
})

it('a demo shows its data to visitors, and twmd doctor explains VISITORS', async () => {
  const session = await fetch(`${demo.url}/v2/self-serve/browser-session`, { headers: { 'x-portal': '1' } })
  expect(await session.json()).toMatchObject({ signed_in: false, visitor: { plan: 'max' } })
  expect((await fetch(`${demo.url}/v2/datasets/bond-yield-curve?limit=1`)).status).toBe(401)
  const { stdout } = await runTwmd(dir, ['doctor'], { VISITORS: 'pro' })
  expect(stdout).toMatch(/^ok +configuration .*VISITORS shows the datasets of plan pro without an account: the licences/m)
  expect((await twmd(dir, 'doctor')).stdout).not.toContain('VISITORS')
})

it('a demo prints three curl commands that return rows', async () => {
  const lines = demo
    .output()
    .split('serves at')[1]!
    .split('\n')
    .filter(line => line.startsWith('curl '))
  expect(lines).toHaveLength(3)
  for (const command of lines) {
    const { stdout } = await promisify(execFile)('sh', ['-c', command], { env: environment(dir) })
    const body = JSON.parse(stdout)
    expect([body.detail, body.data.length]).toEqual([undefined, Number(/limit=(\d)/.exec(command)![1])])
  }
})

it('a demo in a folder with real rows makes no samples and prints curl commands for served datasets only', async () => {
  const other = await mkdtemp(join(tmpdir(), 'twmd-'))
  const publish = async (slug: string): Promise<void> => {
    const rows = join(other, `${slug}.ndjson`)
    writeFileSync(rows, JSON.stringify((await loadCatalog()).get(slug)!.example[0]))
    expect(await twmd(other, 'publish', slug, rows)).toMatchObject({ code: 0 })
  }
  const printed = async (env: Readonly<Record<string, string>> = {}) => {
    const running = await serving(other, 'demo', env)
    await running.waitFor('Ctrl-C')
    await running.stop()
    return running.output()
  }
  await publish('income-statements')
  const before = await published(other)
  const none = await printed()
  expect(await published(other)).toEqual([...new Set([...before, 'trading-calendar'])].sort())
  expect(none).toMatch(/^There is no release of securities-firm-master, .*\. http:\S+ lists the datasets that have one\.$/m)
  expect(none).not.toMatch(/curl|Try/)
  await publish('bond-yield-curve')
  const output = (await printed({ METRICS_PORT: '0' })).split('\n')
  expect(output.filter(line => line.startsWith('curl '))).toEqual([expect.stringContaining('/v2/datasets/bond-yield-curve?')])
  expect(output.find(line => line.startsWith('twmd serves'))).toMatch(/ Metrics are at http:\/\/127\.0\.0\.1:\d+\/metrics\. Try:$/)
  expect(none).not.toContain('Metrics')
  await rm(other, { recursive: true, force: true })
})

it('a demo has rows for every sample dataset, each marked as synthetic', async () => {
  for (const slug of Object.keys(SAMPLES)) {
    const { manifest } = stored(join(dir, 'releases'), slug)
    expect.soft([manifest.synthetic, manifest.statistics.rows > 0], slug).toEqual([true, true])
  }
  const body = await (
    await fetch(`${demo.url}/v2/datasets/securities-firm-master?limit=1`, { headers: { 'x-api-key': demoFile().keys.free } })
  ).text()
  expect(JSON.stringify(JSON.parse(body).warnings)).toContain('synthetic')
})

it('a demo publishes the bundled trading calendar as real rows', () => {
  const { manifest } = stored(join(dir, 'releases'), 'trading-calendar')
  expect([manifest.synthetic, manifest.statistics.rows]).toEqual([false, 2 * calendarDays().length])
})

it('twmd serve and demo report a port in use in one sentence and exit with 2', async () => {
  const taken = createServer()
  const port = await new Promise<number>(resolve => taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port)))
  const other = await mkdtemp(join(tmpdir(), 'twmd-'))
  for (const command of ['serve', 'demo']) {
    const { code, stderr } = await ended(startTwmd(other, [command], { PORT: String(port), LOG_LEVEL: 'silent' }))
    expect([code, stderr]).toEqual([
      2,
      `Port ${port} on 127.0.0.1 is in use. Stop the program that uses it, or start with PORT=<another port>.\n`,
    ])
  }
  await new Promise(resolve => taken.close(resolve))
  await rm(other, { recursive: true, force: true })
})

it('a demo stops on SIGTERM and keeps its keys and data for the next start', async () => {
  const before = { keys: demoFile().keys, releases: stored(join(dir, 'releases'), 'earnings').release }
  expect(await demo.stop()).toBe(0)
  demo = await serving(dir, 'demo')
  await demo.waitFor('Ctrl-C')
  expect({ keys: demoFile().keys, releases: stored(join(dir, 'releases'), 'earnings').release }).toEqual(before)
  expect([demoFile().url, demo.output()]).toEqual([demo.url, expect.not.stringContaining('synthetic sample of')])
  const answer = await fetch(`${demo.url}/v2/datasets/securities-firm-master?limit=1`, { headers: { 'x-api-key': before.keys.free } })
  expect(answer.status).toBe(200)
})
