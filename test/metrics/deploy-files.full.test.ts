import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { request } from 'undici'
import { expect, it } from 'vitest'
import { service } from '../support.ts'
import { expressions, RULES } from './deploy-files.ts'
import { scrape } from './scrape.ts'

const promtool = process.env['PROMTOOL'] ?? 'promtool'
it.skipIf(spawnSync(promtool, ['--version']).status !== 0)(
  'each alarm fires for its own fault and for no other fault; skipped where neither the path nor PROMTOOL has promtool',
  () => {
    for (const args of [
      ['check', 'rules', 'docs/deploy/prometheus/alerts.yml'],
      ['test', 'rules', 'test/metrics/alerts.test.yml'],
    ]) {
      const { status, stdout, stderr } = spawnSync(promtool, args, { encoding: 'utf8' })
      expect(status, stdout + stderr).toBe(0)
    }
  },
)

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  server.close()
  return port
}

const prometheus = process.env['PROMETHEUS'] ?? 'prometheus'
it.skipIf(spawnSync(prometheus, ['--version']).status !== 0)(
  'a real Prometheus evaluates every expression of the dashboard; skipped where neither the path nor PROMETHEUS has Prometheus',
  async () => {
    const s = await service({ metrics: true })
    const target = new URL((await s.tellMetrics())!).host
    const dir = join(s.dir, 'prometheus')
    await mkdir(dir)
    const settings = (await readFile('docs/deploy/prometheus/prometheus.yml', 'utf8'))
      .replace('127.0.0.1:9464', target)
      .replaceAll('15s', '1s')
    await writeFile(join(dir, 'alerts.yml'), RULES)
    await writeFile(join(dir, 'prometheus.yml'), settings)
    const address = `127.0.0.1:${await freePort()}`
    const args = [`--config.file=${dir}/prometheus.yml`, `--storage.tsdb.path=${dir}/data`, `--web.listen-address=${address}`]
    const child = spawn(prometheus, args, { stdio: 'ignore' })
    const query = async (expr: string): Promise<{ status: string; data: { result: readonly unknown[] } }> => {
      const { body } = await request(`http://${address}/api/v1/query?query=${encodeURIComponent(expr)}`)
      return (await body.json()) as never
    }
    try {
      const isUp = async (): Promise<number> => (await query('up{job="twmd"} == 1').catch(() => null))?.data.result.length ?? 0
      await expect.poll(isUp, { timeout: 60_000, interval: 200 }).toBe(1)
      const answers = await Promise.all(
        expressions.map(async expr => ({
          expr,
          ...(await query(expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'))),
        })),
      )
      expect(answers.filter(({ status }) => status !== 'success').map(({ expr }) => expr)).toEqual([])
      expect((await query('count(twmd_dataset_rows)')).data.result.length).toBe(1)
    } finally {
      child.kill('SIGTERM')
      await once(child, 'exit')
      await s.close()
    }
  },
  120_000,
)

it.skipIf(spawnSync(promtool, ['--version']).status !== 0)(
  'promtool accepts the metrics; skipped where neither the path nor PROMTOOL has promtool',
  async () => {
    const s = await service({ metrics: true })
    try {
      const { text } = await scrape((await s.tellMetrics())!, 'text/plain')
      const { status, stderr } = spawnSync(promtool, ['check', 'metrics'], { input: text, encoding: 'utf8' })
      expect(`${status} ${stderr}`.trim()).toBe('0')
    } finally {
      await s.close()
    }
  },
)
