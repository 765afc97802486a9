import { type Dataset, defaultOrder, type FieldView } from '../../catalog/index.ts'
import type { Chunk } from '../engine/index.ts'
import { type Run, vectorOf } from '../row-cache/index.ts'
import { type Fact, factsIn } from './facts.ts'
import { columnsFor } from './select.ts'

/**
 * What the newest rows of every entity state, out of a part's rows in memory: the facts that its statement would read.
 *
 * @param runs by key
 * @returns undefined where the statement has to be asked: for a view of some rows only, or where rows that are not in memory may count
 */
export async function newestInMemory(
  dataset: Dataset,
  view: FieldView,
  runs: ReadonlyMap<string, Run>,
): Promise<readonly Fact[] | undefined> {
  if (view.rows !== undefined || view.id !== dataset.key || !isNewestFirst(dataset, view.date)) return undefined
  const names = columnsFor(dataset, view)
  const oneADay = dataset.grain.every(column => column === view.id || column === view.date)
  const chunks: Chunk[] = []
  for (const run of runs.values()) {
    const rows = oneADay ? 1 : newestRows(run, view.date)
    if (rows === undefined) return undefined
    chunks.push({ rows, column: index => vectorOf(run.columns.get(names[index]!)!, run.from) })
  }
  return factsIn(dataset, view, names, chunks)
}

/** Every row counts of a view without a date. */
const isNewestFirst = (dataset: Dataset, date: string | undefined): boolean =>
  date === undefined || (defaultOrder(dataset)[0]!.join() === `${date},desc` && dataset.columns[date]!.type === 'date')

/** How many rows the newest day of a run has, which begins with them; undefined where rows that are not in memory may be of that day. */
function newestRows({ columns, from, to, complete }: Run, date: string | undefined): number | undefined {
  if (date === undefined) return complete ? to - from : undefined
  const { items, valid } = columns.get(date)!
  if (valid !== null) return undefined
  let end = from + 1
  while (end < to && items[end] === items[from]) end++
  return end < to || complete ? end - from : undefined
}
