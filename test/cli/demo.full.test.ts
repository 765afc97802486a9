import { execFile } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadCatalog } from '../../catalog/index.ts'
import { calendarDays } from '../../ingest/calendar/index.ts'
import { SAMPLES } from '../../ingest/samples/index.ts'
import { ended, environment, type Serving, serving, startTwmd, twmd } from '../fixtures/cli/twmd.ts'
import { stored } from '../fixtures/publish/store.ts'

let dir: string
let demo: Serving
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twmd-'))
  demo = await serving(dir, 'demo')
})
afterAll(async () => {
  await demo.stop()
  await rm(dir, { recursive: true, force: true })
})

const file = () => join(dir, 'demo.json')
const kept = () => JSON.parse(readFileSync(file(), 'utf8'))

describe('twmd demo', () => {
  it('keeps its address, keys and tokens in demo.json, for its owner alone', () => {
    expect(statSync(file()).mode & 0o777).toBe(0o600)
    const text = expect.stringMatching(/^\S{32,}$/)
    const key = expect.stringMatching(/^sk_live_[0-9A-Za-z]{38}$/)
    expect(kept()).toEqual({
      url: demo.url,
      keys: { free: key, pro: key, max: key },
      service_token: text,
      admin_token: text,
      diagnostics_secret: text,
      diagnostics_probe: text,
    })
  })

  it('shows its data to visitors, which the doctor explains where it is asked for', async () => {
    const looked = await fetch(`${demo.url}/v2/self-serve/browser-session`, { headers: { 'x-portal': '1' } })
    expect(await looked.json()).toMatchObject({ signed_in: false, visitor: { plan: 'max' } })
    expect((await fetch(`${demo.url}/v2/datasets/bond-yield-curve?limit=1`)).status).toBe(401)
    const { stdout } = await ended(startTwmd(dir, ['doctor'], { VISITORS: 'pro' }))
    expect(stdout).toMatch(/^ok +configuration .*VISITORS shows the datasets of plan pro to everybody without an account: the licences/m)
    expect((await twmd(dir, 'doctor')).stdout).not.toContain('VISITORS')
  })

  it('prints three curl lines that work as printed', async () => {
    const lines = demo
      .output()
      .split('\n')
      .filter(line => line.startsWith('curl '))
    expect(lines).toHaveLength(3)
    for (const line of lines) {
      const { stdout } = await promisify(execFile)('sh', ['-c', line], { env: environment(dir) })
      const body = JSON.parse(stdout)
      expect([body.detail, body.data.length]).toEqual([undefined, Number(/limit=(\d)/.exec(line)![1])])
    }
  })

  it('prints curl lines for served datasets only, and one line where there are none', async () => {
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
    const none = await printed()
    expect(none).toMatch(/^None of securities-firm-master, .* has a release here; http:\S+ shows which datasets do\.$/m)
    expect(none).not.toMatch(/curl|Try/)
    await publish('bond-yield-curve')
    const one = (await printed({ METRICS_PORT: '0' })).split('\n')
    expect(one.filter(line => line.startsWith('curl '))).toEqual([expect.stringContaining('/v2/datasets/bond-yield-curve?')])
    expect(one.find(line => line.startsWith('twmd serves'))).toMatch(/ Metrics are at http:\/\/127\.0\.0\.1:\d+\/metrics\. Try:$/)
    expect(none).not.toContain('Metrics')
    await rm(other, { recursive: true, force: true })
  })

  it('has rows for every dataset that has a sample, each marked as made up', async () => {
    for (const slug of Object.keys(SAMPLES)) {
      const { manifest } = stored(join(dir, 'releases'), slug)
      expect([slug, manifest.synthetic, manifest.statistics.rows > 0]).toEqual([slug, true, true])
    }
    const body = await (
      await fetch(`${demo.url}/v2/datasets/securities-firm-master?limit=1`, { headers: { 'x-api-key': kept().keys.free } })
    ).text()
    expect(JSON.stringify(JSON.parse(body).warnings)).toContain('synthetic')
  })

  it('has the trading calendar of the project as real rows, which no answer calls made up', () => {
    const { manifest } = stored(join(dir, 'releases'), 'trading-calendar')
    expect([manifest.synthetic, manifest.statistics.rows]).toEqual([false, 2 * calendarDays().length])
  })

  it('makes the samples an interrupted start did not get to, and none beside real rows', async () => {
    const other = await mkdtemp(join(tmpdir(), 'twmd-'))
    const first = startTwmd(other, ['demo'], { PORT: '0' })
    await new Promise<void>(resolve =>
      first.stderr!.on('data', bytes => /synthetic sample of company-earnings/.test(String(bytes)) && resolve()),
    )
    first.kill('SIGKILL')
    await ended(first)
    const second = await serving(other, 'demo')
    await second.stop()
    const slugs = async () => (await readdir(join(other, 'releases'))).filter(slug => existsSync(join(other, 'releases', slug, 'current')))
    expect((await slugs()).sort()).toEqual((await readdir(join(dir, 'releases'))).sort())
    expect(second.output()).not.toContain('synthetic sample of all-segments')

    await rm(join(other, 'releases'), { recursive: true })
    const row = join(other, 'row.ndjson')
    writeFileSync(row, JSON.stringify((await loadCatalog()).get('bond-yield-curve')!.example[0]))
    await twmd(other, 'publish', 'bond-yield-curve', row)
    const third = await serving(other, 'demo')
    expect((await slugs()).sort()).toEqual(['bond-yield-curve', 'trading-calendar'])
    await third.stop()
    await rm(other, { recursive: true, force: true })
  })

  it('answers /readyz 503 with what is still being made, and 200 once every sample is there', async () => {
    const other = await mkdtemp(join(tmpdir(), 'twmd-'))
    const running = await serving(other, 'demo', { LOG_LEVEL: 'info' })
    const ask = async (path: string) => {
      const response = await fetch(`${running.url}${path}`)
      return { code: response.status, ...((await response.json()) as { status: string; checks: { preparing: string } }) }
    }
    await running.waitFor('] synthetic sample of')
    expect(running.output()).not.toContain('Ctrl-C')
    const early = await ask('/readyz')
    expect(early).toMatchObject({ code: 503, status: 'not_ready' })
    expect(early.checks.preparing).toMatch(/^sample data is being made: \d+ of \d+ datasets done, now [a-z-]+$/)
    expect((await ask('/healthz')).code).toBe(200)
    await running.waitFor('Ctrl-C')
    expect(await ask('/readyz')).toMatchObject({ code: 200, status: 'ready', checks: { preparing: 'ok' } })
    await running.stop()
    await rm(other, { recursive: true, force: true })
  })

  it('says in one sentence that a port is in use, and how to choose another', async () => {
    const taken = createServer()
    const port = await new Promise<number>(resolve =>
      taken.listen(0, '127.0.0.1', () => resolve((taken.address() as { port: number }).port)),
    )
    const other = await mkdtemp(join(tmpdir(), 'twmd-'))
    for (const command of ['serve', 'demo']) {
      const { code, stderr } = await ended(startTwmd(other, [command], { PORT: String(port), LOG_LEVEL: 'silent' }))
      expect([code, stderr]).toEqual([
        2,
        `Port ${port} on 127.0.0.1 is in use; stop what listens there or start with PORT=<another port>.\n`,
      ])
    }
    await new Promise(resolve => taken.close(resolve))
    await rm(other, { recursive: true, force: true })
  })

  it('stops on a signal, and has the same keys and data when it starts again', async () => {
    const before = { keys: kept().keys, releases: stored(join(dir, 'releases'), 'earnings').release }
    expect(await demo.stop()).toBe(0)
    demo = await serving(dir, 'demo')
    expect({ keys: kept().keys, releases: stored(join(dir, 'releases'), 'earnings').release }).toEqual(before)
    expect([kept().url, demo.output()]).toEqual([demo.url, expect.not.stringContaining('synthetic sample of')])
    const answer = await fetch(`${demo.url}/v2/datasets/securities-firm-master?limit=1`, { headers: { 'x-api-key': before.keys.free } })
    expect(answer.status).toBe(200)
  })
})
