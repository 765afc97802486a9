import { readFile } from 'node:fs/promises'

interface Panel {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly targets?: readonly { readonly expr: string }[]
}
/** The Grafana dashboard of `docs/deploy`. */
export const DASHBOARD = JSON.parse(await readFile('docs/deploy/grafana/twmd.json', 'utf8')) as {
  readonly panels: readonly Panel[]
  readonly annotations: { readonly list: readonly { readonly expr: string }[] }
  readonly templating: { readonly list: readonly { readonly name: string }[] }
}
/** Query expressions of the dashboard. */
export const expressions = [...DASHBOARD.panels.flatMap(({ targets = [] }) => targets), ...DASHBOARD.annotations.list].map(
  ({ expr }) => expr,
)

/** The alert rules of `docs/deploy`. */
export const RULES = await readFile('docs/deploy/prometheus/alerts.yml', 'utf8')
