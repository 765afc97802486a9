import { type Dataset, isDailySeries, schemaHash } from '../../catalog/index.ts'
import { quote } from '../../src/engine/index.ts'
import type { MonthPart } from '../../src/releases/index.ts'
import type { Batch } from './batch.ts'
import type { Difference } from './compare.ts'
import { type Layout, untouchedRows } from './layout.ts'
import { type Parent, readParts, soundParts } from './parent.ts'
import { columnsOf, createTable, list, type Relation, storedOrder } from './relations.ts'
import type { Workspace } from './workspace.ts'

/** The second clustering of a release: which of its parent's months it retains, and the rows of those that are written. */
export interface Months {
  /** With `_month`, the month a row goes to as `YYYY-MM`, in the order they are stored. */
  readonly rows: Relation
  readonly retained: readonly MonthPart[]
}

/** Columns a month is sorted by: the day, then the key, then what is left of the grain. */
export const monthOrder = (dataset: Dataset): readonly string[] => [
  dataset.date!,
  ...storedOrder(dataset).filter(name => name !== dataset.date),
]

/**
 * Decides which months have to be written: those the batch adds to, changes or removes from, all of them where the parent has none or other
 * columns. Undefined where rows are no series by day, where one bucket holds them all, and where a part that would have to be read for it is
 * damaged: months are not worth refusing a publication for.
 */
export async function layOutMonths(
  workspace: Workspace,
  batch: Batch,
  parent: Parent | undefined,
  difference: Difference | null,
  layout: Layout,
): Promise<Months | undefined> {
  const { dataset } = batch
  if (!isDailySeries(dataset) || layout.buckets === 1) return undefined
  const former = parent?.manifest.schema_hash === schemaHash(dataset) ? parent.manifest.months : undefined
  if (parent && difference && former && dataset.publish.mode === 'merge') {
    const touched = await touchedMonths(workspace, dataset, difference)
    const isTouched = (part: MonthPart): boolean => touched.has(monthOf(part))
    const kept = await untouchedRows(batch, parent, difference, former.filter(isTouched))
    const rows = await sorted(workspace, dataset, [...kept, `SELECT ${list(columnsOf(dataset))} FROM ${difference.upsert}`])
    return { rows, retained: former.filter(part => !isTouched(part)) }
  }
  if (parent && (await soundParts(parent, layout.retained)).length < layout.retained.length) return undefined
  const columns = list(columnsOf(dataset))
  const kept = layout.retained.length > 0 ? [`SELECT ${columns} FROM ${await readParts(parent!, layout.retained)}`] : []
  return { rows: await sorted(workspace, dataset, [...kept, `SELECT ${columns} FROM ${layout.final}`]), retained: [] }
}

/** Months in the order of their days. */
export const inOrder = (months: readonly MonthPart[]): readonly MonthPart[] =>
  months.toSorted((a, b) => (a.first_date < b.first_date ? -1 : 1))

/** @example monthOf(part) // '2026-06' */
const monthOf = ({ first_date }: MonthPart): string => first_date.slice(0, 7)

const month = ({ date }: Dataset): string => `strftime(${quote(date!)}, '%Y-%m')`

async function touchedMonths({ session }: Workspace, dataset: Dataset, { upsert, removed }: Difference): Promise<ReadonlySet<string>> {
  const months = `SELECT ${month(dataset)} AS month FROM ${upsert} UNION SELECT ${month(dataset)} FROM ${removed}`
  return new Set((await session.rows(months)).map(row => String(row['month'])))
}

const sorted = ({ session }: Workspace, dataset: Dataset, selects: readonly string[]): Promise<Relation> =>
  createTable(
    session,
    'monthly',
    `SELECT *, ${month(dataset)} AS "_month" FROM (${selects.join(' UNION ALL ')}) ORDER BY ${list(monthOrder(dataset))}`,
  )
