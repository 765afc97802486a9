import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { FAMILIES, type Family } from '../../src/metrics/index.ts'
import { anchorsOf } from '../behaviour/documents/documents.ts'
import { DASHBOARD, expressions, RULES } from './deploy-files.ts'

const alerts = RULES.split('- alert: ')
  .slice(1)
  .map(text => {
    const fieldOf = (name: string): string => new RegExp(`^ +${name}: (.*)$`, 'm').exec(text)?.[1]?.replace(/^'(.*)'$/, '$1') ?? ''
    return {
      name: text.split('\n', 1)[0]!,
      expr: fieldOf('expr'),
      summary: fieldOf('summary'),
      action: fieldOf('action'),
      runbook: fieldOf('runbook'),
    }
  })

/** Labels that Prometheus adds to every sample. */
const OF_PROMETHEUS = ['job', 'instance']

/** Metrics of an expression, each with its label matchers. */
function selectorsOf(expr: string): readonly { readonly metric: string; readonly labels: readonly string[] }[] {
  const bare = expr.replaceAll(/"[^"]*"|\[[^\]]*\]|\bby \([^)]*\)/g, '')
  return [...bare.matchAll(/([a-z_][a-z0-9_]*)(?:\{([^}]*)\})?(\s*\()?/g)].flatMap(([, metric = '', chosen = '', isCalled]) =>
    isCalled !== undefined || ['or', 'unless', 'and'].includes(metric) ? [] : [{ metric, labels: chosen.match(/[a-z_]+/g) ?? [] }],
  )
}

const families = new Map<string, Family>(Object.entries(FAMILIES))
/** The family of a name in an expression; undefined if the service has no such metric. */
function familyOf(metric: string): Family | undefined {
  if (metric === 'up') return { kind: 'gauge', help: '', labels: [] }
  const [, base = '', part] = /^(.*?)(_bucket|_sum|_count)?$/.exec(metric)!
  const found = families.get(metric) ?? (part ? families.get(base) : undefined)
  return found && (found.kind === 'histogram') === (part !== undefined) ? found : undefined
}

it('dashboard and alarms use only metrics and labels that the service reports', () => {
  const all = [...expressions, ...alerts.map(({ expr }) => expr)].flatMap(selectorsOf)
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
  for (const { title, gridPos: position } of panels) {
    expect(position.x + position.w, title).toBeLessThanOrEqual(24)
    const overlapping = panels.filter(
      ({ gridPos: otherPosition, title: other }) =>
        other !== title &&
        position.x < otherPosition.x + otherPosition.w &&
        otherPosition.x < position.x + position.w &&
        position.y < otherPosition.y + otherPosition.h &&
        otherPosition.y < position.y + position.h,
    )
    expect(
      overlapping.map(panel => panel.title),
      title,
    ).toEqual([])
  }
})

it('the Caddyfile sends HSTS with every answer for at least half a year', async () => {
  const [, seconds] = /^\theader Strict-Transport-Security "max-age=(\d+)/m.exec(await readFile('docs/deploy/Caddyfile', 'utf8')) ?? []
  expect(Number(seconds)).toBeGreaterThanOrEqual(15_552_000)
})

it('the compose guide runs commands in the running container and makes a backup every night', async () => {
  const guide = await readFile('docs/deploy/README.md', 'utf8')
  const commands = [...guide.matchAll(/^```text\n([\s\S]*?)^```$/gm)].flatMap(([, text]) => text!.split('\n'))
  expect(commands.filter(line => /\bcompose run\b/.test(line))).toEqual([])
  expect(commands.filter(line => line.startsWith('docker compose exec twmd node src/run.mjs ')).length).toBeGreaterThanOrEqual(2)
  expect(commands).toContainEqual(
    expect.stringMatching(/^\d+ \d+ \* \* \* .*compose exec -T twmd node src\/run\.mjs backup \/data\/backups --keep \d+/),
  )
})
