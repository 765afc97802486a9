import { type AnnouncedView, type Dataset, defaultOrder, type FieldView } from '../../catalog/index.ts'
import { createSlices, type Pace, PROMPT } from '../core/index.ts'
import { type Chunk, isValid } from '../engine/index.ts'
import { dayNumber, firstUpTo } from '../read/index.ts'
import type { PastRelease } from '../releases/index.ts'
import { type Columns, type Run, type StoredColumns, textAt, vectorOf } from '../row-cache/index.ts'
import { type Fact, factsIn, newestOf } from './facts.ts'
import { columnsFor } from './select.ts'

/**
 * Reads the newest rows of each key from memory.
 *
 * @param runs cached rows by key
 * @returns undefined if some rows are not in memory
 */
export async function newestInMemory(
  dataset: Dataset,
  view: FieldView,
  runs: ReadonlyMap<string, Run>,
  pace: Pace,
): Promise<readonly Fact[] | undefined> {
  if (!isInMemory(dataset, view)) return undefined
  const rows: RowRef[] = []
  const endOfStep = createSlices(pace)
  for (const run of runs.values()) {
    const newest = rowsThrough(dataset, view, run, Number.POSITIVE_INFINITY, () => true)
    if (newest === undefined) return undefined
    rows.push(...newest)
    const pause = endOfStep()
    if (pause) await pause
  }
  return factsOfRows(dataset, view, rows, pace)
}

export interface MemoryLookup<V extends FieldView> {
  readonly view: V
  readonly release: PastRelease
  readonly ids: readonly string[]
  readonly asOf: string
}

/** Entities whose rows are not in memory are absent. */
type FactsById = ReadonlyMap<string, readonly Fact[]>

/** Reads the rows of each entity's newest day up to `asOf`. */
export async function newestUpTo(lookup: MemoryLookup<FieldView>, columns: Columns): Promise<FactsById> {
  const facts = await factsUpTo(lookup, columns, () => true)
  return new Map([...facts].map(([id, rows]) => [id, newestOf(rows)]))
}

/** Reads the rows that `selectAnnounced` would select. The order is the same. */
export async function announcedUpTo(lookup: MemoryLookup<AnnouncedView>, columns: Columns): Promise<FactsById> {
  const { view, asOf } = lookup
  const lastDay = dayNumber(asOf)
  const facts = await factsUpTo(lookup, columns, ({ columns, row }) => {
    const { items, valid } = columns.get(view.announced)!
    return !isValid({ valid, from: 0 }, row) || (items[row] as number) <= lastDay
  })
  return new Map([...facts].map(([id, rows]) => [id, throughSettled(rows, asOf)]))
}

/**
 * Removes rows that are too old to be the answer: days before the newest day with a row that was
 * announced by `asOf`.
 *
 * @param facts newest first
 */
function throughSettled(facts: readonly Fact[], asOf: string): readonly Fact[] {
  const settled = facts.reduce((day, fact) => ((fact.announced ?? '') <= asOf && fact.day! > day ? fact.day! : day), '')
  return facts
    .filter(({ day }) => day! >= settled)
    .sort((a, b) => (a.day === b.day ? (a.grain < b.grain ? -1 : 1) : a.day! > b.day! ? -1 : 1))
}

/** Newest first. Omits days before the day of the first row for which `isLast` is true. */
async function factsUpTo(
  { view, release, ids, asOf }: MemoryLookup<FieldView>,
  columns: Columns,
  isLast: (row: RowRef) => boolean,
): Promise<FactsById> {
  const { dataset, manifest } = release
  if (!isInMemory(dataset, view) || view.date === undefined || manifest.key !== dataset.key) return new Map()
  const lastDay = dayNumber(asOf)
  const cached: string[] = []
  const rows: RowRef[] = []
  for (const id of ids) {
    const runs = columns.runsOf(release, id)
    if (runs === undefined) continue
    const found = runs.map(run => rowsThrough(dataset, view, run, lastDay, isLast))
    if (found.includes(undefined)) columns.complete(release, id)
    else {
      cached.push(id)
      for (const those of found) rows.push(...those!)
    }
  }
  const byId = Map.groupBy(await factsOfRows(dataset, view, rows, PROMPT), ({ entity }) => entity)
  return new Map(cached.map(id => [id, byId.get(id) ?? []]))
}

interface RowRef {
  readonly columns: StoredColumns
  readonly row: number
}

/** True if the cached rows are in the order of the view. */
const isInMemory = (dataset: Dataset, { id, date }: FieldView): boolean =>
  id === dataset.key &&
  (date === undefined || (defaultOrder(dataset)[0]!.join() === `${date},desc` && dataset.columns[date]!.type === 'date'))

/**
 * Reads rows up to the day `upTo`, newest first. Undefined if some rows are not in memory.
 *
 * @param upTo the last day, in days since 1970
 */
function rowsThrough(
  { grain }: Dataset,
  { id, date, rows: condition }: FieldView,
  { columns, from, to, complete }: Run,
  upTo: number,
  isLast: (row: RowRef) => boolean,
): readonly RowRef[] | undefined {
  const { items, valid } = columns.get(date ?? id)!
  if (valid !== null) return undefined
  const days = items as Int32Array
  const found: RowRef[] = []
  let lastDay: number | undefined
  for (let row = date === undefined ? from : firstUpTo(days, from, to, upTo); row < to; row++) {
    if (lastDay !== undefined && days[row] !== lastDay) return found
    const ref = { columns, row }
    if (condition !== undefined && !isIncluded(condition, ref)) continue
    found.push(ref)
    if (date !== undefined && isLast(ref)) lastDay ??= days[row]
  }
  const isOneADay = grain.every(column => column === id || column === date)
  return complete || (isOneADay && lastDay !== undefined) ? found : undefined
}

function isIncluded({ column, equals }: NonNullable<FieldView['rows']>, { columns, row }: RowRef): boolean {
  const stored = columns.get(column)!
  if (!isValid({ valid: stored.valid, from: 0 }, row)) return false
  return (stored.dictionary ? textAt(stored, row) : stored.items[row]) === equals
}

function factsOfRows(dataset: Dataset, view: FieldView, rows: readonly RowRef[], pace: Pace): Promise<readonly Fact[]> {
  const names = columnsFor(dataset, view)
  const chunks = rows.map(({ columns, row }): Chunk => ({ rows: 1, column: index => vectorOf(columns.get(names[index]!)!, row) }))
  return factsIn(dataset, view, names, chunks, pace)
}
