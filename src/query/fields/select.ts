import type { Dataset } from '../../../catalog/dataset.ts'
import type { AnnouncedView, FieldView } from '../../../catalog/field-view.ts'
import { viewColumns } from '../../../catalog/fields.ts'
import type { Statement } from '../duck.ts'
import { fromParts, literal, quote } from '../sql.ts'

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

/** The rows of each entity's newest day within the bounds, in the grain's order; every row where the view has no date. */
export function selectNewest(dataset: Dataset, view: FieldView, parts: readonly string[], bounds: Bounds): Selection {
  const { columns, where, values } = bounded(dataset, view, bounds)
  const newest =
    view.date === undefined ? '' : `\nQUALIFY rank() OVER (PARTITION BY ${quote(view.id)} ORDER BY ${quote(view.date)} DESC) = 1`
  const text = `SELECT ${columns.map(quote).join(', ')}\nFROM ${fromParts(parts)}${where}${newest}\nORDER BY ${dataset.grain.map(quote).join(', ')}`
  return { statement: { text, values }, columns }
}

/**
 * Of each entity, the newest period announced by the day `to`, and every newer one that ended before it: those may have been announced
 * in another version. Newest period first.
 *
 * @param published day the release was published, which stands in for an announcement day that is not known
 */
export function selectAnnounced(
  dataset: Dataset,
  view: AnnouncedView,
  parts: readonly string[],
  { ids, to, published }: Required<Pick<Bounds, 'ids' | 'to'>> & { readonly published: string },
): Selection {
  const { columns, where, values, bind } = bounded(dataset, view, { ids, to })
  const [id, date] = [quote(view.id), quote(view.date)]
  const known = `coalesce(${quote(view.announced)}, ${bind(published)}::DATE) <= ${bind(to)}::DATE`
  const text = [
    `SELECT ${columns.map(quote).join(', ')}`,
    `FROM ${fromParts(parts)}${where}`,
    `QUALIFY coalesce(${date} >= max(CASE WHEN ${known} THEN ${date} END) OVER (PARTITION BY ${id}), true)`,
    `ORDER BY ${date} DESC, ${dataset.grain.map(quote).join(', ')}`,
  ].join('\n')
  return { statement: { text, values }, columns }
}

/** Every version that can have been known by the day `to`, of periods from `from` on, with the part it is in. */
export function selectVersions(dataset: Dataset, view: AnnouncedView, parts: readonly string[], bounds: Required<Bounds>): Selection {
  const { columns, where, values, bind } = bounded(dataset, view, bounds)
  const files = `read_parquet([${parts.map(literal).join(', ')}], hive_partitioning = false, filename = ${literal(FILE)})`
  const announced = quote(view.announced)
  const text = `SELECT ${[...columns, FILE].map(quote).join(', ')}\nFROM ${files}${where} AND (${announced} IS NULL OR ${announced} <= ${bind(bounds.to)}::DATE)`
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
