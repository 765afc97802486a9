import { type Dataset, storedColumns } from '../../../catalog/index.ts'
import { fromParts, quote } from '../../../src/engine/index.ts'
import type { Manifest } from '../../../src/releases/index.ts'
import type { Batch } from '../check/batch.ts'
import { equal } from '../check/relations.ts'
import type { Basis } from '../check/served-basis.ts'
import type { Workspace } from '../write/workspace.ts'
import type { Difference } from './compare.ts'

type Check = Manifest['checks'][number]

/** Number of cells that are not null. The next publication updates the number. */
interface Filled extends Check {
  readonly rule: 'completeness'
  readonly measured: { readonly rows: number; readonly filled: number; readonly columns: readonly string[] }
}

/** Returns the columns in which an empty cell is a missing value. */
const countedColumns = (dataset: Dataset): readonly string[] =>
  storedColumns(dataset).filter(name => {
    const { provenance, mayNotApply } = dataset.columns[name]!
    return !provenance && !mayNotApply
  })

/** Counts cells that are not null. Undefined if responses do not report completeness. */
export async function countFilled(
  workspace: Workspace,
  { dataset }: Batch,
  { basis: { parent }, difference }: { readonly basis: Basis; readonly difference: Difference | null },
  rows: number,
  files: readonly string[],
): Promise<Filled | undefined> {
  const { kind } = dataset.envelope
  if (kind !== 'B' && kind !== 'C') return undefined
  const columns = countedColumns(dataset)
  const count = async (from: string): Promise<number> => {
    const [row] = await workspace.session.rows(
      `SELECT (${columns.map(name => `count(${quote(name)})`).join(' + ')})::DOUBLE AS filled FROM ${from}`,
    )
    return Number(row!['filled'])
  }
  const before = parent?.manifest.checks.find((check): check is Filled => check.rule === 'completeness')?.measured
  const sameCount = before !== undefined && JSON.stringify(before.columns) === JSON.stringify(columns)
  if (!sameCount || !difference) return filledOf(rows, files.length === 0 ? 0 : await count(fromParts(files)), columns)
  const { overlap, upsert, removed } = difference
  const gone = `(SELECT o.* FROM ${overlap} AS o WHERE EXISTS (SELECT 1 FROM ${upsert} AS u WHERE ${equal(dataset.grain, 'u', 'o')}) UNION ALL SELECT * FROM ${removed})`
  return filledOf(rows, before.filled - (await count(gone)) + (await count(upsert)), columns)
}

const filledOf = (rows: number, filled: number, columns: readonly string[]): Filled => ({
  rule: 'completeness',
  measured: { rows, filled, columns },
})

/**
 * Returns the share of cells that are not null. 0 if there are no rows, null if nothing was
 * counted.
 */
export const shareOf = (counted: Filled | undefined): number | null =>
  counted === undefined ? null : counted.measured.filled / Math.max(1, counted.measured.rows * counted.measured.columns.length)

/** Counts the distinct values that responses report for some columns. */
export async function countDistinct(
  { session }: Workspace,
  { envelope }: Dataset,
  files: readonly string[],
): Promise<Readonly<Record<string, number>>> {
  const counted = envelope.kind === 'C' ? [...new Set(Object.values(envelope.counts))] : []
  if (counted.length === 0) return {}
  if (files.length === 0) return Object.fromEntries(counted.map(name => [name, 0]))
  const measures = counted.map(name => `count(DISTINCT ${quote(name)})::INTEGER AS ${quote(name)}`)
  const [row] = await session.rows(`SELECT ${measures.join(', ')} FROM ${fromParts(files)}`)
  return Object.fromEntries(counted.map(name => [name, Number(row![name])]))
}
