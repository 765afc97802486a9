import {
  allColumns,
  type Column,
  type Dataset,
  defaultOrder,
  type Filter,
  isOneADay,
  keyedByTicker,
  pathOf,
} from '../../../../catalog/index.ts'
import type { OptionType } from '../../../operations/index.ts'
import type { CELL_TYPES, WorkspaceWidget } from './schemas.ts'

/** OpenBB Workspace groups widgets by these titles. */
export const CATEGORY: Readonly<Record<Dataset['family'], string>> = {
  macroeconomics: 'Macroeconomics',
  market_structure: 'Market structure',
  capital_flows: 'Capital flows',
  companies_events: 'Company events',
  financial_statements: 'Financial statements',
  internal: 'Internal',
}

const ROWS = { table: 100, chart: 250 } as const
/** A reader could not distinguish more lines. */
const MOST_LINES = 4
/** Maximum age of the rows in a reopened dashboard, in ms. */
const STALE_MS = 3_600_000
const GRID = { w: 20, h: 12 }

export const widgetId = ({ slug }: Dataset): string => slug.replaceAll('-', '_')
export const chartId = (dataset: Dataset): string => `${widgetId(dataset)}_chart`

export function tableWidget(dataset: Dataset): WorkspaceWidget {
  return {
    ...common(dataset, ROWS.table),
    name: `${dataset.title} ${dataset.titleZh}`,
    data: { dataKey: dataKeyOf(dataset), table: { enableCharts: true, showAll: true, columnsDefs: columnsOf(dataset) } },
  }
}

/** Null if the rows are not a series of one key, or have no figures. */
export function chartWidget(dataset: Dataset): WorkspaceWidget | null {
  const lines = linesOf(dataset)
  if (lines.length === 0) return null
  const chartView = { enabled: true, chartType: 'line' as const, cellRangeCols: { line: [dataset.date!, ...lines] } }
  const shown = new Set([dataset.date!, dataset.key!, ...lines])
  const columnsDefs = columnsOf(dataset).filter(({ field }) => shown.has(field))
  return {
    ...common(dataset, ROWS.chart),
    name: `${dataset.title} ${dataset.titleZh}: chart`,
    data: { dataKey: dataKeyOf(dataset), table: { enableCharts: true, showAll: false, chartView, columnsDefs } },
  }
}

function common(dataset: Dataset, rows: number) {
  const { description, family, access, lineage } = dataset
  return {
    description: `${description} Plan ${access!.plan}, ${access!.credits} credits per read.`,
    category: 'Taiwan',
    subCategory: CATEGORY[family],
    type: 'table' as const,
    endpoint: pathOf(dataset).slice(1),
    gridData: GRID,
    params: [...Object.entries(dataset.filters).map(([name, filter]) => control(dataset, name, filter)), rowsControl(rows)],
    source: [lineage.attribution],
    // Every read costs credits, so widgets do not refresh periodically.
    refetchInterval: false as const,
    staleTime: STALE_MS,
  }
}

/** Path to the rows in a JSON response. */
const dataKeyOf = ({ envelope }: Dataset): string => (envelope.kind === 'B' ? 'envelope.data' : 'data')

type Columns = WorkspaceWidget['data']['table']['columnsDefs']
type Control = WorkspaceWidget['params'][number]

const CELLS: Readonly<Record<Column['type'], (typeof CELL_TYPES)[number]>> = {
  text: 'text',
  date: 'dateString',
  timestamp: 'text',
  number: 'number',
  integer: 'number',
  boolean: 'boolean',
  json: 'object',
}

const columnsOf = (dataset: Dataset): Columns =>
  allColumns(dataset).map(field => {
    const { type, unit, doc, zh, provenance } = dataset.columns[field]!
    return {
      field,
      headerName: unit === undefined ? titled(field) : `${titled(field)} (${unit})`,
      headerTooltip: `${zh}: ${doc}`,
      cellDataType: CELLS[type],
      chartDataType: field === dataset.date ? 'time' : isFigure(dataset, field) ? 'series' : type === 'json' ? 'excluded' : 'category',
      ...(unit === 'percent' ? { formatterFn: 'percent' } : type === 'integer' ? { formatterFn: 'int' } : {}),
      ...(field === dataset.key ? { pinned: 'left' as const } : {}),
      ...(provenance ? { hide: true } : {}),
    }
  })

const isFigure = ({ columns }: Dataset, name: string): boolean => {
  const { type, provenance } = columns[name]!
  return (type === 'number' || type === 'integer') && !provenance
}

/**
 * Returns columns with the same unit. Empty if a read does not return a daily series of one key.
 */
function linesOf(dataset: Dataset): readonly string[] {
  const keyFilter = Object.values(dataset.filters).find(
    ({ column, required, all }) => column === dataset.key && required && all === undefined,
  )
  if (!isOneADay(dataset) || !keyFilter || defaultOrder(dataset)[0]![0] !== dataset.date) return []
  const fields = (dataset.fields ?? []).flatMap(({ names, defaults }) => (defaults ?? []).map(field => names[field]!))
  const figures = (fields.length > 0 ? fields : allColumns(dataset)).filter(name => isFigure(dataset, name))
  const unit = dataset.columns[figures[0] ?? '']?.unit
  return figures.filter(name => dataset.columns[name]!.unit === unit).slice(0, MOST_LINES)
}

/** Optional filters start empty, and the read omits empty filters. */
function control(dataset: Dataset, paramName: string, filter: Filter): Control {
  const { op, column, doc, required, values, example, max = 1 } = filter
  const optionType = values ? undefined : optionTypeOf(dataset, filter)
  const isDay = dataset.columns[column]!.type === 'date' && (op === 'eq' || op === 'from' || op === 'to')
  return {
    paramName,
    type: op === 'latest' ? 'boolean' : isDay ? 'date' : optionType ? 'endpoint' : 'text',
    label: titled(paramName),
    description: doc,
    value: required ? example! : null,
    show: true,
    optional: required !== true,
    // All widgets share the control of a required key, and some accept only one value.
    ...(op === 'in' && max > 1 && !required ? { multiSelect: true, multiple: true } : {}),
    ...(optionType && { optionsEndpoint: optionsPath(optionType) }),
    ...(values && op !== 'latest' ? { options: values.map(value => ({ label: value, value })) } : {}),
  }
}

/** Widgets of a group must use the same path. */
const optionsPath = (type: OptionType): string => `/openbb/options/${type}`

/** Returns the list of choices for a filter. Undefined if search has no such list. */
function optionTypeOf(dataset: Dataset, { op, column }: Filter): OptionType | undefined {
  if (op !== 'eq' && op !== 'in') return undefined
  // Search has no computed datasets, and lists tenors of bonds as symbols.
  if (keyedByTicker(dataset) && column === dataset.key) return 'symbol'
  const type = dataset.search?.find(({ id }) => id === column)?.type
  return type === 'symbol' ? undefined : type
}

const rowsControl = (value: number): Control => ({
  paramName: 'limit',
  type: 'number',
  label: 'Rows',
  description: 'Maximum number of rows to return.',
  value,
  show: true,
  optional: true,
})

/** Converts `foreign_net_buy` to `Foreign net buy`. */
const titled = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')
