import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { request } from 'undici'
import { expect, it } from 'vitest'
import { FAMILIES, type Family } from '../../src/metrics/index.ts'
import { anchorsOf } from '../behaviour/documents/documents.ts'
import { service } from '../support.ts'

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string }[]
}
const DASHBOARD = JSON.parse(await readFile('docs/deploy/grafana/twmd.json', 'utf8')) as {
  readonly panels: readonly Panel[]
  readonly annotations: { readonly list: readonly { readonly expr: string }[] }
  readonly templating: { readonly list: readonly { readonly name: string }[] }
}
const drawn = [...DASHBOARD.panels.flatMap(({ targets = [] }) => targets), ...DASHBOARD.annotations.list].map(({ expr }) => expr)

const RULES = await readFile('docs/deploy/prometheus/alerts.yml', 'utf8')
const alerts = RULES.split('- alert: ')
  .slice(1)
  .map(text => {
    const of = (name: string): string => new RegExp(`^ +${name}: (.*)$`, 'm').exec(text)?.[1]?.replace(/^'(.*)'$/, '$1') ?? ''
    return { name: text.split('\n', 1)[0]!, expr: of('expr'), summary: of('summary'), action: of('action'), runbook: of('runbook') }
  })

/** What Prometheus adds to every sample. */
const OF_PROMETHEUS = ['job', 'instance']

/** Metrics of an expression, each with the labels it is chosen by. */
function selectorsOf(expr: string): readonly { readonly metric: string; readonly labels: readonly string[] }[] {
  const bare = expr.replaceAll(/"[^"]*"|\[[^\]]*\]|\bby \([^)]*\)/g, '')
  return [...bare.matchAll(/([a-z_][a-z0-9_]*)(?:\{([^}]*)\})?(\s*\()?/g)].flatMap(([, metric = '', chosen = '', isCalled]) =>
    isCalled !== undefined || ['or', 'unless', 'and'].includes(metric) ? [] : [{ metric, labels: chosen.match(/[a-z_]+/g) ?? [] }],
  )
}

const families = new Map<string, Family>(Object.entries(FAMILIES))
/** The family of a name in an expression; undefined where the service tells no such metric. */
function familyOf(metric: string): Family | undefined {
  if (metric === 'up') return { kind: 'gauge', help: '', labels: [] }
  const [, base = '', part] = /^(.*?)(_bucket|_sum|_count)?$/.exec(metric)!
  const found = families.get(metric) ?? (part ? families.get(base) : undefined)
  return found && (found.kind === 'histogram') === (part !== undefined) ? found : undefined
}

it('dashboard and alarms use only metrics and labels that the service reports', () => {
  const all = [...drawn, ...alerts.map(({ expr }) => expr)].flatMap(selectorsOf)
  expect(all.length).toBeGreaterThan(60)
  const wrong = all.flatMap(({ metric, labels }) => {
    const family = familyOf(metric)
    if (!family) return [metric]
    return labels.filter(label => ![...OF_PROMETHEUS, ...family.labels, 'le'].includes(label)).map(label => `${metric}{${label}}`)
  })
  expect(wrong).toEqual([])
})

it('each of the eleven alarms has a summary, an action and a documented section', async () => {
  expect(new Set(alerts.map(({ name }) => name)).size).toBe(11)
  for (const { name, expr, summary, action, runbook } of alerts) {
    expect(
      [expr, summary, action].every(text => text.length > 10),
      name,
    ).toBe(true)
    const [document = '', anchor = ''] = runbook.split('#')
    expect(anchorsOf(document), name).toContain(anchor)
    expect(await readFile(document, 'utf8'), 'the document names the alarm').toContain(`\`${name}\``)
  }
})

it('panels of the dashboard have unique ids and do not overlap', () => {
  const { panels } = DASHBOARD
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length)
  expect(DASHBOARD.templating.list.map(({ name }) => name)).toEqual(['datasource', 'instance'])
  for (const { title, gridPos: at } of panels) {
    expect(at.x + at.w, title).toBeLessThanOrEqual(24)
    const over = panels.filter(
      ({ gridPos: to, title: other }) =>
        other !== title && at.x < to.x + to.w && to.x < at.x + at.w && at.y < to.y + to.h && to.y < at.y + at.h,
    )
    expect(
      over.map(panel => panel.title),
      title,
    ).toEqual([])
  }
})

const promtool = process.env['PROMTOOL'] ?? 'promtool'
it.skipIf(spawnSync(promtool, ['--version']).status !== 0)(
  'each alarm fires for its fault and for nothing else; skipped where neither the path nor PROMTOOL has promtool',
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
  'a real Prometheus evaluates every expression of the dashboard; skipped where neither the path nor PROMETHEUS has it',
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
        drawn.map(async expr => ({ expr, ...(await query(expr.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*'))) })),
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
