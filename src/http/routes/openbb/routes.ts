import { z } from 'zod'
import type { Dataset } from '../../../../catalog/index.ts'
import { Refusal } from '../../../core/index.ts'
import { type CatalogState, type CatalogStateDeps, cachePerState, createCatalogState } from '../../../coverage/index.ts'
import { createListOptions, OPTION_TYPES, type SearchDeps } from '../../../operations/index.ts'
import type { SearchEntity } from '../../../search/index.ts'
import { type Endpoint, type Route, route } from '../../kernel/index.ts'
import { appsOf, widgetsOf } from './apps.ts'
import { Apps, Options, Widgets } from './schemas.ts'

const COMMON = { group: 'service', caller: 'public', example: {} } as const

const WIDGETS = {
  ...COMMON,
  summary: 'Widgets for OpenBB Workspace',
  summaryZh: 'OpenBB Workspace 小工具',
  description: 'Returns one table per dataset with rows, and one chart per daily series. Reads of widgets require a key in `X-API-Key`.',
  answer: Widgets,
} as const satisfies Endpoint

const APPS = {
  ...COMMON,
  summary: 'Apps for OpenBB Workspace',
  summaryZh: 'OpenBB Workspace 應用',
  description:
    'Returns two dashboards of widgets. One dashboard shows a company that the user selects by symbol. The other dashboard shows the market.',
  answer: Apps,
} as const satisfies Endpoint

const OPTIONS = {
  summary: 'Options of a widget parameter',
  summaryZh: 'OpenBB 小工具參數的選項',
  description: 'Returns all tickers, indices, themes, brokers or branches with rows, ordered by code. Free of charge.',
  group: 'service',
  caller: 'api_key',
  path: z.object({ type: z.string().meta({ description: `Type of options to return: ${OPTION_TYPES.join(', ')}.`, example: 'symbol' }) }),
  answer: Options,
  refusals: ['unknown_id', 'overloaded'],
  example: { path: { type: 'symbol' } },
} as const satisfies Endpoint

export function openbbRoutes(deps: CatalogStateDeps & Pick<SearchDeps, 'search'>): readonly Route<'public' | 'api_key'>[] {
  const state = createCatalogState(deps)
  const [widgets, apps] = [cachePerState(now => widgetsOf(readable(now))), cachePerState(now => appsOf(readable(now)))]
  const listOptions = createListOptions(deps)
  return [
    route('GET /widgets.json', WIDGETS, () => widgets(state())),
    route('GET /apps.json', APPS, () => apps(state())),
    route('GET /openbb/options/:type', OPTIONS, async ({ params }) => {
      const type = OPTION_TYPES.find(name => name === params.type)
      if (!type) throw new Refusal('unknown_id', { allowed: OPTION_TYPES })
      return (await listOptions(type)).map(optionOf)
    }),
  ]
}

const optionOf = ({ id, title, subtitle, market }: SearchEntity): z.input<typeof Options>[number] => ({
  label: title === id ? id : `${id} ${title}`,
  value: id,
  extraInfo: { description: subtitle ?? '', rightOfDescription: market ?? '' },
})

const readable = ({ datasets }: CatalogState): readonly Dataset[] =>
  datasets.filter(({ release }) => release !== null).map(({ dataset }) => dataset)
