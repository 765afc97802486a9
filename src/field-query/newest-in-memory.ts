import { type Dataset, defaultOrder, type FieldView } from '../../catalog/index.ts'
import type { Chunk } from '../engine/index.ts'
import { type Run, vectorOf } from '../row-cache/index.ts'
import { type Fact, factsIn } from './facts.ts'
import { columnsFor } from './select.ts'

/**
 * Reads the facts of every entity's newest rows from cached rows of a part, with the same result as
 * the view's statement.
 *
 * @param runs by key
 * @returns undefined if the statement is needed: for a view with a row condition, or if uncached
 * rows may matter
 */
export async function newestInMemory(
  dataset: Dataset,
  view: FieldView,
  runs: ReadonlyMap<string, Run>,
): Promise<readonly Fact[] | undefined> {
  if (view.rows !== undefined || view.id !== dataset.key || !isNewestFirst(dataset, view.date)) return undefined
  const names = columnsFor(dataset, view)
  const isOneRowADay = dataset.grain.every(column => column === view.id || column === view.date)
  const chunks: Chunk[] = []
  for (const run of runs.values()) {
    const rows = isOneRowADay ? 1 : newestRows(run, view.date)
    if (rows === undefined) return undefined
    chunks.push({ rows, column: index => vectorOf(run.columns.get(names[index]!)!, run.from) })
  }
  return factsIn(dataset, view, names, chunks)
}

/** True if the newest rows come first. In a view without a date, all rows count. */
const isNewestFirst = (dataset: Dataset, date: string | undefined): boolean =>
  date === undefined || (defaultOrder(dataset)[0]!.join() === `${date},desc` && dataset.columns[date]!.type === 'date')

/**
 * Number of rows of a run's newest day, which come first. Undefined if uncached rows may belong to
 * that day.
 */
function newestRows({ columns, from, to, complete }: Run, date: string | undefined): number | undefined {
  if (date === undefined) return complete ? to - from : undefined
  const { items, valid } = columns.get(date)!
  if (valid !== null) return undefined
  let end = from + 1
  while (end < to && items[end] === items[from]) end++
  return end < to || complete ? end - from : undefined
}
