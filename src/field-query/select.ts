import { type AnnouncedView, type Dataset, type FieldView, viewColumns } from '../../catalog/index.ts'
import { literal, quote, type Statement } from '../engine/index.ts'

export interface Selection {
  readonly statement: Statement
  readonly columns: readonly string[]
}

/** Column that contains the path of the file of each row. */
export const FILE = '_part'

/** Both days are inclusive. An absent member sets no limit. */
export interface Bounds {
  readonly ids?: readonly string[]
  readonly from?: string
  readonly to?: string
}

export type Relation = string

/** Selects the rows of each entity's newest day. Selects all rows if there is no date column. */
export function selectNewest(dataset: Dataset, view: FieldView, rows: Relation, bounds: Bounds): Selection {
  const { columns, where, values } = bounded(dataset, view, bounds)
  const newest =
    view.date === undefined ? '' : `\nQUALIFY rank() OVER (PARTITION BY ${quote(view.id)} ORDER BY ${quote(view.date)} DESC) = 1`
  const text = `SELECT ${columns.map(quote).join(', ')}\nFROM ${rows}${where}${newest}\nORDER BY ${dataset.grain.map(quote).join(', ')}`
  return { statement: statementOf(text, values, bounds.ids), columns }
}

/**
 * Selects the newest period that was announced by `to`, and all newer periods, for each entity. An
 * older version of a newer period may have been announced by `to`. Newest period first.
 */
export function selectAnnounced(
  dataset: Dataset,
  view: AnnouncedView,
  rows: Relation,
  { ids, to }: Required<Pick<Bounds, 'ids' | 'to'>>,
): Selection {
  const { columns, where, values, bind } = bounded(dataset, view, { ids, to })
  const id = quote(view.id)
  const date = quote(view.date)
  const announced = quote(view.announced)
  const settled = `max(CASE WHEN ${announced} IS NULL OR ${announced} <= ${bind(to)}::DATE THEN ${date} END) OVER (PARTITION BY ${id})`
  const text = [
    `SELECT ${columns.map(quote).join(', ')}`,
    `FROM ${rows}${where}`,
    `QUALIFY coalesce(${date} >= ${settled}, true)`,
    `ORDER BY ${date} DESC, ${dataset.grain.map(quote).join(', ')}`,
  ].join('\n')
  return { statement: statementOf(text, values, ids), columns }
}

export interface VersionBounds extends Required<Bounds> {
  readonly order: readonly string[]
  readonly undated: boolean
}

/**
 * Selects each entity's newest period with a version that was announced by `to`. Among versions
 * with the same announcement, the first file in `order` wins.
 */
export function selectVersions(
  dataset: Dataset,
  view: AnnouncedView,
  rows: Relation,
  { order, undated, ...bounds }: VersionBounds,
): Selection {
  const { columns, where, values, bind } = bounded(dataset, view, bounds)
  const [id, date, announced, part] = [view.id, view.date, view.announced, FILE].map(quote)
  const isKnown = `${announced} <= ${bind(bounds.to)}::DATE${undated ? ` OR ${announced} IS NULL` : ''}`
  const text = [
    `SELECT ${[...columns, FILE].map(quote).join(', ')}`,
    `FROM ${rows}${where} AND (${isKnown})`,
    `QUALIFY rank() OVER (PARTITION BY ${id} ORDER BY ${date} DESC) = 1`,
    `AND row_number() OVER (PARTITION BY ${id}, ${date}, ${announced} ORDER BY strpos(${bind(order.join('\n'))}, ${part})) = 1`,
    `ORDER BY strpos(${bind(order.join('\n'))}, ${part})`,
  ].join('\n')
  return { statement: { text, values, once: true }, columns: [...columns, FILE] }
}

/** Caches only statements for one id, because only such statements repeat often. */
const statementOf = (text: string, values: Statement['values'], ids: Bounds['ids']): Statement =>
  ids?.length === 1 ? { text, values } : { text, values, once: true }

export const columnsFor = (dataset: Dataset, view: FieldView): readonly string[] => [...new Set([...viewColumns(view), ...dataset.grain])]

export function conditionOf({ columns }: Dataset, { rows }: FieldView): string | undefined {
  if (rows === undefined) return undefined
  const { column, equals } = rows
  return `${columns[column]!.virtual ?? quote(column)} = ${typeof equals === 'number' ? equals : literal(equals)}`
}

function bounded(dataset: Dataset, view: FieldView, { ids, from, to }: Bounds) {
  const values: string[] = []
  const bind = (value: string): string => `$${values.push(value)}`
  const date = view.date === undefined ? undefined : quote(view.date)
  const condition = conditionOf(dataset, view)
  const terms = [
    ...(condition === undefined ? [] : [`(${condition})`]),
    ...(ids === undefined ? [] : [`${quote(view.id)} IN (${ids.map(bind).join(', ')})`]),
    ...(from === undefined || date === undefined ? [] : [`${date} >= ${bind(from)}::DATE`]),
    ...(to === undefined || date === undefined ? [] : [`${date} <= ${bind(to)}::DATE`]),
  ]
  return { columns: columnsFor(dataset, view), where: terms.length > 0 ? `\nWHERE ${terms.join(' AND ')}` : '', values, bind }
}
