import { type Dataset, keyedByTicker } from '../../../../catalog/index.ts'
import type { WorkspaceWidget } from './schemas.ts'
import { CATEGORY, chartId, chartWidget, tableWidget, widgetId } from './widgets.ts'

export const widgetsOf = (datasets: readonly Dataset[]): Readonly<Record<string, WorkspaceWidget>> =>
  Object.fromEntries(
    datasets.flatMap((dataset): [string, WorkspaceWidget][] => {
      const chart = chartWidget(dataset)
      return [[widgetId(dataset), tableWidget(dataset)], ...(chart ? [[chartId(dataset), chart] as [string, WorkspaceWidget]] : [])]
    }),
  )

/** OpenBB Workspace synchronizes only groups with names of this form. */
const GROUP = 'Group 1'
const WIDTH = 40
const HEIGHT = 12

/** One app for a company, one app for the market. */
export function appsOf(datasets: readonly Dataset[]) {
  const companies = datasets.filter(dataset => keyedByTicker(dataset) && dataset.filters['symbol']?.required)
  const others = datasets.filter(dataset => !companies.includes(dataset))
  const symbol = companies[0]?.filters['symbol']?.example
  return [
    {
      ...appOf(
        'Taiwan company',
        'Prices, flows, events and financial statements of one Taiwanese company, selected by one symbol.',
        companies,
      ),
      groups:
        symbol === undefined
          ? []
          : [
              {
                name: GROUP,
                type: 'endpointParam' as const,
                paramName: 'symbol',
                defaultValue: symbol,
                widgetIds: Object.keys(widgetsOf(companies)),
              },
            ],
    },
    {
      ...appOf('Taiwan market', 'Yield curve, indices, calendar, securities, firms and branches of the Taiwanese market.', others),
      groups: [],
    },
  ].filter(({ tabs }) => Object.keys(tabs).length > 0)
}

function appOf(name: string, description: string, datasets: readonly Dataset[]) {
  const families = [...Map.groupBy(datasets, ({ family }) => family)]
  const isCompany = (dataset: Dataset): boolean => keyedByTicker(dataset) && dataset.filters['symbol']?.required === true
  const tabs = families.map(([family, members]) => {
    const placed = members.flatMap(member => Object.keys(widgetsOf([member])).map(id => ({ id, inGroup: isCompany(member) })))
    const layout = placed.map(({ id, inGroup }, index) => ({
      i: id,
      x: (index % 2) * (WIDTH / 2),
      y: Math.floor(index / 2) * HEIGHT,
      w: WIDTH / 2,
      h: HEIGHT,
      groups: inGroup ? [GROUP] : [],
    }))
    return [family, { id: family, name: CATEGORY[family], layout }] as const
  })
  return { name, description, img: '', allowCustomization: true, tabs: Object.fromEntries(tabs), prompts: [] }
}
