import { type AnnouncedView, type Dataset, type FieldView, viewColumns } from '../../catalog/index.ts'
import { literal, quote, type Statement } from '../engine/index.ts'

/** A statement and the columns it selects, in order. */
export interface Selection {
  readonly statement: Statement
  readonly columns: readonly string[]
}

/**
 * Name of the column with the path of each row's part. Used in selections over several releases.
 */
export const FILE = '_part'

/**
 * Restricts a selection to entities and to an inclusive range of days. An absent member means no
 * restriction.
 */
export interface Bounds {
  readonly ids?: readonly string[]
  readonly from?: string
  readonly to?: string
}

/** SQL text of a relation with the columns of a view, from `relationOf`. */
export type Relation = string

/**
 * Selects the rows of each entity's newest day within the bounds, in grain order. Selects all rows
 * if the view has no date.
 */
export function selectNewest(dataset: Dataset, view: FieldView, rows: Relation, bounds: Bounds): Selection {
  const { columns, where, values } = bounded(dataset, view, bounds)
  const newest =
    view.date === undefined ? '' : `\nQUALIFY rank() OVER (PARTITION BY ${quote(view.id)} ORDER BY ${quote(view.date)} DESC) = 1`
  const text = `SELECT ${columns.map(quote).join(', ')}\nFROM ${rows}${where}${newest}\nORDER BY ${dataset.grain.map(quote).join(', ')}`
  return { statement: statementOf(text, values, bounds.ids), columns }
}

/**
 * Selects, for each entity, the newest settled period: a period that was announced by `to` or has
 * no announcement day. Also selects the newer periods that ended by `to`, because an older version
 * of their rows may have been announced by then. Sorted from the newest period.
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

/** Chooses between versions of a row in several releases. */
export interface VersionBounds extends Required<Bounds> {
  /**
   * Paths of the parts, in order of preference. If two versions qualify, the version in the earlier
   * part is chosen.
   */
  readonly order: readonly string[]
  /** True to include versions without an announcement day. */
  readonly undated: boolean
}

/**
 * Selects, for each entity, the newest period that has a version announced by `to`. If several
 * parts have a version of the same announcement, selects the first one in `order`.
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

/**
 * Marks statements that will not recur, so that they are not cached. The text depends on the number
 * of ids, and only statements for one id are likely to recur.
 */
const statementOf = (text: string, values: Statement['values'], ids: Bounds['ids']): Statement =>
  ids?.length === 1 ? { text, values } : { text, values, once: true }

/** Columns that the facts of a view need. */
export const columnsFor = (dataset: Dataset, view: FieldView): readonly string[] => [...new Set([...viewColumns(view), ...dataset.grain])]

/** SQL condition that selects the rows of a view. Undefined if it has all rows. */
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
