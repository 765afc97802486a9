import { type Dataset, isDailySeries, schemaHash } from '../../../catalog/index.ts'
import { quote } from '../../../src/engine/index.ts'
import type { MonthPart } from '../../../src/releases/index.ts'
import type { Batch } from '../check/batch.ts'
import { columnsOf, createTable, list, type Relation, storedOrder } from '../check/relations.ts'
import type { Difference } from '../compare/compare.ts'
import { type Layout, untouchedRows } from './layout.ts'
import { type Parent, readParts, soundParts } from './parent.ts'
import type { Workspace } from './workspace.ts'

/** Files by month are a second copy of all rows. */
export interface Months {
  readonly rows: string
  /** Ascending, as `YYYY-MM`. */
  readonly writing: readonly string[]
  readonly retained: readonly MonthPart[]
}

/** Sort order of a month: the day, the key, the rest of the grain. */
export const monthOrder = (dataset: Dataset): readonly string[] => [
  dataset.date!,
  ...storedOrder(dataset).filter(name => name !== dataset.date),
]

/**
 * Returns the months with added, changed or removed rows. Undefined if the parent has no months or
 * other columns.
 */
export async function layOutTouched(
  workspace: Workspace,
  batch: Batch,
  parent: Parent | undefined,
  difference: Difference | null,
): Promise<Months | undefined> {
  const { dataset } = batch
  const former = parent?.manifest.schema_hash === schemaHash(dataset) ? parent.manifest.months : undefined
  if (!parent || !difference || !former || dataset.publish.mode !== 'merge' || !isDailySeries(dataset)) return undefined
  const touched = await monthsOf(workspace, dataset, [difference.upsert, difference.removed])
  const isTouched = (part: MonthPart): boolean => touched.includes(monthOf(part))
  const untouched = await untouchedRows(batch, parent, difference, former.filter(isTouched))
  const rows = [...untouched, `SELECT ${list(columnsOf(dataset))} FROM ${difference.upsert}`].join(' UNION ALL ')
  return { rows, writing: touched, retained: former.filter(part => !isTouched(part)) }
}

/**
 * Returns all months, made from the rows by key. Undefined if the rows are not a daily series, the
 * dataset has no months, one bucket contains all rows, or a part is damaged. Months are optional,
 * so publication continues without them.
 */
export async function layOutMonths(
  workspace: Workspace,
  batch: Batch,
  parent: Parent | undefined,
  layout: Layout,
): Promise<Months | undefined> {
  const { dataset } = batch
  if (!isDailySeries(dataset) || dataset.publish.months === false || layout.buckets === 1) return undefined
  const columns = list(columnsOf(dataset))
  if (parent && (await soundParts(parent, layout.retained)).length < layout.retained.length) return undefined
  const from = [...(layout.retained.length > 0 ? [await readParts(parent!, layout.retained)] : []), layout.final]
  const rows = from.map(relation => `SELECT ${columns} FROM ${relation}`).join(' UNION ALL ')
  return { rows, writing: await monthsOf(workspace, dataset, from), retained: [] }
}

/**
 * How many months are sorted together: a number, or a share of all months. Each sort reads all
 * rows, and needs memory for the rows of its months.
 */
const [LEAST_SORTED, SORTED_SHARE] = [12, 1 / 4]

/** Groups adjacent months that are sorted together. */
export function sortGroups({ writing }: Months): readonly (readonly string[])[] {
  const size = Math.max(LEAST_SORTED, Math.ceil(writing.length * SORTED_SHARE))
  return Array.from({ length: Math.ceil(writing.length / size) }, (_, turn) => writing.slice(turn * size, (turn + 1) * size))
}

/**
 * Creates a table of the rows of adjacent months, in stored order. `_month` is the target file of
 * a row.
 */
export function sortMonths({ session }: Workspace, dataset: Dataset, { rows }: Months, months: readonly string[]): Promise<Relation> {
  // This condition lets the engine skip other files and row groups.
  const within = `${quote(dataset.date!)} BETWEEN DATE '${months[0]}-01' AND last_day(DATE '${months.at(-1)}-01')`
  return createTable(
    session,
    'monthly',
    `SELECT *, ${month(dataset)} AS "_month" FROM (${rows}) WHERE ${within} ORDER BY ${list(monthOrder(dataset))}`,
  )
}

export const inOrder = (months: readonly MonthPart[]): readonly MonthPart[] =>
  months.toSorted((a, b) => (a.first_date < b.first_date ? -1 : 1))

/** @example monthOf(part) // '2026-06' */
const monthOf = ({ first_date }: MonthPart): string => first_date.slice(0, 7)

const month = ({ date }: Dataset): string => `strftime(${quote(date!)}, '%Y-%m')`

async function monthsOf({ session }: Workspace, dataset: Dataset, relations: readonly string[]): Promise<readonly string[]> {
  const months = relations.map(relation => `SELECT DISTINCT ${month(dataset)} AS month FROM ${relation}`)
  return (await session.rows(`${months.join(' UNION ')} ORDER BY month`)).map(row => String(row['month']))
}
