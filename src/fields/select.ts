import { type AnnouncedView, type Dataset, type FieldView, viewColumns } from '../../catalog/index.ts'
import { quote, type Statement } from '../engine/index.ts'

/** A statement and the columns it selects, in their order. */
export interface Selection {
  readonly statement: Statement
  readonly columns: readonly string[]
}

/** Name under which a selection over several releases gives the part a row was read from. */
export const FILE = '_part'

/** Which rows of a view: of which entities, between which days, both included. All of them where nothing is said. */
export interface Bounds {
  readonly ids?: readonly string[]
  readonly from?: string
  readonly to?: string
}

/** A relation with a view's columns, as `source.ts` makes it. */
export type Relation = string

/** The rows of each entity's newest day within the bounds, in the grain's order; every row where the view has no date. */
export function selectNewest(dataset: Dataset, view: FieldView, rows: Relation, bounds: Bounds): Selection {
  const { columns, where, values } = bounded(dataset, view, bounds)
  const newest =
    view.date === undefined ? '' : `\nQUALIFY rank() OVER (PARTITION BY ${quote(view.id)} ORDER BY ${quote(view.date)} DESC) = 1`
  const text = `SELECT ${columns.map(quote).join(', ')}\nFROM ${rows}${where}${newest}\nORDER BY ${dataset.grain.map(quote).join(', ')}`
  return { statement: { text, values }, columns }
}

/**
 * Of each entity, the newest period that was announced by the day `to` or whose announcement day is not known, and every newer one that
 * ended before it: those may have been announced in another version. Newest period first.
 */
export function selectAnnounced(
  dataset: Dataset,
  view: AnnouncedView,
  rows: Relation,
  { ids, to }: Required<Pick<Bounds, 'ids' | 'to'>>,
): Selection {
  const { columns, where, values, bind } = bounded(dataset, view, { ids, to })
  const [id, date, announced] = [quote(view.id), quote(view.date), quote(view.announced)]
  const settled = `max(CASE WHEN ${announced} IS NULL OR ${announced} <= ${bind(to)}::DATE THEN ${date} END) OVER (PARTITION BY ${id})`
  const text = [
    `SELECT ${columns.map(quote).join(', ')}`,
    `FROM ${rows}${where}`,
    `QUALIFY coalesce(${date} >= ${settled}, true)`,
    `ORDER BY ${date} DESC, ${dataset.grain.map(quote).join(', ')}`,
  ].join('\n')
  return { statement: { text, values }, columns }
}

/** How versions of one row are chosen from several releases. */
export interface VersionBounds extends Required<Bounds> {
  /** Paths of the relation's parts: of two versions the one whose part comes first is chosen. */
  readonly order: readonly string[]
  /** Versions without an announcement day count as well. */
  readonly undated: boolean
}

/**
 * Of each entity, the newest period with a version announced by the day `to`: of every announcement the version that comes first, with
 * the part it is in.
 */
export function selectVersions(
  dataset: Dataset,
  view: AnnouncedView,
  rows: Relation,
  { order, undated, ...bounds }: VersionBounds,
): Selection {
  const { columns, where, values, bind } = bounded(dataset, view, bounds)
  const [id, date, announced, part] = [view.id, view.date, view.announced, FILE].map(quote)
  const known = `${announced} <= ${bind(bounds.to)}::DATE${undated ? ` OR ${announced} IS NULL` : ''}`
  const text = [
    `SELECT ${[...columns, FILE].map(quote).join(', ')}`,
    `FROM ${rows}${where} AND (${known})`,
    `QUALIFY rank() OVER (PARTITION BY ${id} ORDER BY ${date} DESC) = 1`,
    `AND row_number() OVER (PARTITION BY ${id}, ${date}, ${announced} ORDER BY strpos(${bind(order.join('\n'))}, ${part})) = 1`,
    `ORDER BY strpos(${bind(order.join('\n'))}, ${part})`,
  ].join('\n')
  return { statement: { text, values }, columns: [...columns, FILE] }
}

function bounded(dataset: Dataset, view: FieldView, { ids, from, to }: Bounds) {
  const values: string[] = []
  const bind = (value: string): string => `$${values.push(value)}`
  const date = view.date === undefined ? undefined : quote(view.date)
  const terms = [
    ...(view.rows === undefined ? [] : [`(${view.rows})`]),
    ...(ids === undefined ? [] : [`${quote(view.id)} IN (${ids.map(bind).join(', ')})`]),
    ...(from === undefined || date === undefined ? [] : [`${date} >= ${bind(from)}::DATE`]),
    ...(to === undefined || date === undefined ? [] : [`${date} <= ${bind(to)}::DATE`]),
  ]
  const columns = [...new Set([...viewColumns(view), ...dataset.grain])]
  return { columns, where: terms.length > 0 ? `\nWHERE ${terms.join(' AND ')}` : '', values, bind }
}
