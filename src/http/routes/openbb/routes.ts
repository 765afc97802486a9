import type { Dataset } from '../../../../catalog/index.ts'
import { type CatalogState, type CatalogStateDeps, cachePerState, createCatalogState } from '../../../coverage/index.ts'
import { type Endpoint, type Route, route } from '../../kernel/index.ts'
import { appsOf, widgetsOf } from './apps.ts'
import { Apps, Widgets } from './schemas.ts'

const COMMON = { group: 'service', caller: 'public', example: {} } as const

const WIDGETS = {
  ...COMMON,
  summary: 'Widgets for OpenBB Workspace',
  summaryZh: 'OpenBB Workspace 小工具',
  description: 'One table per dataset with rows, and a chart for daily series. Reads require a key in X-API-Key.',
  answer: Widgets,
} as const satisfies Endpoint

const APPS = {
  ...COMMON,
  summary: 'Apps for OpenBB Workspace',
  summaryZh: 'OpenBB Workspace 應用',
  description: 'Dashboards of these widgets: one company by symbol, and the market.',
  answer: Apps,
} as const satisfies Endpoint

/**
 * Routes that OpenBB Workspace requests from a backend: widgets and apps, created from the catalog.
 */
export function openbbRoutes(deps: CatalogStateDeps): readonly Route<'public'>[] {
  const state = createCatalogState(deps)
  const [widgets, apps] = [cachePerState(now => widgetsOf(readable(now))), cachePerState(now => appsOf(readable(now)))]
  return [route('GET /widgets.json', WIDGETS, () => widgets(state())), route('GET /apps.json', APPS, () => apps(state()))]
}

/** Datasets whose reads are answered with rows: neither planned, nor without a release. */
const readable = ({ datasets }: CatalogState): readonly Dataset[] =>
  datasets.filter(({ dataset, release }) => !dataset.planned && release !== null).map(({ dataset }) => dataset)
