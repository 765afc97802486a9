import { type Dataset, type FieldView, STORED, schemaHash, viewColumns } from '../../catalog/index.ts'
import { Refusal } from '../core/index.ts'
import { fromParts, literal, type Pool, quote } from '../engine/index.ts'
import type { Lineage, Part, PastRelease } from '../releases/index.ts'
import { FILE, type Relation } from './select.ts'

/** Parts of one release. */
export interface Source {
  readonly release: PastRelease
  readonly parts: readonly Part[]
}

/**
 * A relation over parts of one release or several, each hashed once before, with the columns a view needs; with the part of each row
 * under `FILE` where `named`. Undefined where there are no parts.
 *
 * A column that a release of former columns lacks is null, where it may be.
 *
 * @throws Refusal integrity where a part is damaged, or a former column was of another type
 */
export async function relationOf(
  pool: Pool,
  lineage: Lineage,
  view: FieldView,
  sources: readonly Source[],
  named = false,
): Promise<Relation | undefined> {
  const whole = sources.filter(({ parts }) => parts.length > 0)
  for (const { release, parts } of whole) await lineage.verify(release, parts)
  const shapes = [...Map.groupBy(whole, ({ release }) => release.manifest.schema_hash).values()]
  const relations = await Promise.all(shapes.map(alike => relationOfShape(pool, view, alike, named)))
  return relations.length > 1 ? `(${relations.map(rows => `FROM ${rows}`).join(' UNION ALL ')})` : relations[0]
}

async function relationOfShape(pool: Pool, view: FieldView, sources: readonly Source[], named: boolean): Promise<Relation> {
  const { dataset, manifest } = sources[0]!.release
  const paths = sources.flatMap(({ release, parts }) => parts.map(release.pathOf))
  const found = manifest.schema_hash === schemaHash(dataset) ? undefined : await storedColumns(pool, paths[0]!)
  const columns = neededColumns(dataset, view).map(name => (found ? adapted(dataset, name, found, manifest.release) : quote(name)))
  const files = named
    ? `read_parquet([${paths.map(literal).join(', ')}], hive_partitioning = false, filename = ${literal(FILE)})`
    : fromParts(paths)
  return `(SELECT ${[...columns, ...(named ? [quote(FILE)] : [])].join(', ')} FROM ${files})`
}

/** Columns that the view's statements name. */
function neededColumns(dataset: Dataset, view: FieldView): readonly string[] {
  const told = Object.keys(dataset.columns).filter(name => new RegExp(`\\b${name}\\b`).test(view.rows ?? ''))
  return [...new Set([...viewColumns(view), ...dataset.grain, ...told])]
}

function adapted({ id, columns }: Dataset, name: string, found: ReadonlyMap<string, string>, release: string): string {
  const { type, nullable } = columns[name]!
  if (found.get(name) === STORED[type]) return quote(name)
  if (found.has(name) || !nullable) throw new Refusal('integrity', { dataset: id, release })
  return `NULL::${STORED[type]} AS ${quote(name)}`
}

/** Name → type of the columns a part was written with. */
async function storedColumns(pool: Pool, path: string): Promise<ReadonlyMap<string, string>> {
  const text = `SELECT column_name, column_type FROM (DESCRIBE FROM ${fromParts([path])})`
  const columns = new Map<string, string>()
  for (const chunk of await pool.read({ text, values: [] })) {
    const [name, type] = [chunk.column(0), chunk.column(1)]
    for (let row = 0; row < chunk.rows; row++) columns.set(name.text(row), type.text(row))
  }
  return columns
}
