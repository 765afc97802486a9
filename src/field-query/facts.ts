import { type Column, type Dataset, type FieldView, isStoredAs, type Row, STORED, schemaHash, viewColumns } from '../../catalog/index.ts'
import { createSlices, ofDataset, type Pace, PROMPT, Refusal } from '../core/index.ts'
import { type Chunk, fromParts, literal, quote, type Reads } from '../engine/index.ts'
import { encodeJsonRows } from '../formats/index.ts'
import type { Lineage, Part, PastRelease } from '../releases/index.ts'
import { conditionOf, FILE, type Relation, type Selection } from './select.ts'

export interface Fact {
  readonly entity: string
  /**
   * Values of the columns that identify a row, as one text. Rows of the same day are sorted by this
   * text.
   */
  readonly grain: string
  /** Null if the dataset has no date column. */
  readonly day: string | null
  readonly period: string | null
  readonly announced: string | null
  readonly role: string
  /** Path of the Parquet file with the row. Empty if unknown. */
  readonly file: string
  readonly cells: Readonly<Record<string, string>>
}

/** Rows of one entity on one day, with the release that contains the rows. */
export interface FactSet {
  readonly facts: readonly Fact[]
  readonly release: PastRelease
}

const FILE_COLUMN: Column = { type: 'text', zh: '', doc: '', docZh: '' }

export const readFacts = (
  pool: Reads,
  dataset: Dataset,
  view: FieldView,
  { statement, columns }: Selection,
  pace: Pace = PROMPT,
): Promise<readonly Fact[]> => pool.read(statement, chunks => factsIn(dataset, view, columns, chunks, pace))

/** Converting 32 rows takes about 0.3 ms. */
const ROWS_PER_STEP = 32

/**
 * Converts rows. Uses the encoder that also encodes reads of a dataset.
 *
 * @param names column names, in the order of the chunks' columns
 */
export async function factsIn(
  dataset: Dataset,
  view: FieldView,
  names: readonly string[],
  chunks: readonly Chunk[],
  pace: Pace,
): Promise<readonly Fact[]> {
  const columns = { ...dataset.columns, [FILE]: FILE_COLUMN }
  const facts: Fact[] = []
  const endOfStep = createSlices(pace)
  for (let next = 0; next < chunks.length; ) {
    const first = next
    let rows = 0
    while (next < chunks.length && rows < ROWS_PER_STEP) rows += chunks[next++]!.rows
    if (rows === 0) continue
    const page = { chunks: chunks.slice(first, next), rows, more: false, position: new Map() }
    const json = await encodeJsonRows({ columns, names, page })
    for (const row of JSON.parse(`[${Buffer.concat(json)}]`) as Row[]) facts.push(factOf(dataset, view, row))
    await endOfStep()
  }
  return facts
}

function factOf(dataset: Dataset, view: FieldView, row: Row): Fact {
  const text = (column: string | undefined): string | null => (column === undefined ? null : (row[column] as string | null))
  return {
    entity: String(row[view.id]),
    grain: dataset.grain.map(column => row[column]).join(' '),
    day: text(view.date),
    period: view.time === 'announced' ? text(view.period) : null,
    announced: view.time === 'announced' ? text(view.announced) : null,
    role: text(view.role) ?? dataset.lineage.role,
    file: String(row[FILE] ?? ''),
    cells: Object.fromEntries(Object.values(view.names).map(column => [column, JSON.stringify(row[column])])),
  }
}

/** Sorted by the columns that identify a row. */
export function newestOf(facts: readonly Fact[]): readonly Fact[] {
  if (facts.length < 2) return facts
  const newest = facts.reduce((day, fact) => ((fact.day ?? '') > day ? fact.day! : day), '')
  return facts.filter(({ day }) => (day ?? '') === newest).sort((a, b) => (a.grain < b.grain ? -1 : 1))
}

export interface ReleaseParts {
  readonly release: PastRelease
  readonly parts: readonly Part[]
}

/**
 * Returns SQL that reads verified Parquet files. Undefined if there are no files. A nullable column
 * that an older release lacks is null.
 *
 * @param named true to add the path of the file as column `FILE`
 * @throws Refusal integrity if a file is damaged, or if a column has another type
 */
export async function relationOf(
  pool: Reads,
  lineage: Lineage,
  view: FieldView,
  sources: readonly ReleaseParts[],
  named = false,
): Promise<Relation | undefined> {
  const nonEmpty = sources.filter(({ parts }) => parts.length > 0)
  for (const { release, parts } of nonEmpty) await lineage.verify(release, parts)
  const shapes = [...Map.groupBy(nonEmpty, ({ release }) => release.manifest.schema_hash).values()]
  const relations = await Promise.all(shapes.map(sameShape => relationOfShape(pool, view, sameShape, named)))
  return relations.length > 1 ? `(${relations.map(rows => `FROM ${rows}`).join(' UNION ALL ')})` : relations[0]
}

async function relationOfShape(pool: Reads, view: FieldView, sources: readonly ReleaseParts[], named: boolean): Promise<Relation> {
  const { dataset, manifest } = sources[0]!.release
  const paths = sources.flatMap(({ release, parts }) => parts.map(release.pathOf))
  const stored = manifest.schema_hash === schemaHash(dataset) ? undefined : await storedColumns(pool, paths[0]!)
  const columns = neededColumns(dataset, view).map(name => (stored ? adapted(dataset, name, stored, manifest.release) : quote(name)))
  const files = named
    ? `read_parquet([${paths.map(literal).join(', ')}], hive_partitioning = false, filename = ${literal(FILE)})`
    : fromParts(paths)
  return `(SELECT ${[...columns, ...(named ? [quote(FILE)] : [])].join(', ')} FROM ${files})`
}

function neededColumns(dataset: Dataset, view: FieldView): readonly string[] {
  const condition = conditionOf(dataset, view) ?? ''
  const inCondition = Object.keys(dataset.columns).filter(name => new RegExp(`\\b${name}\\b`).test(condition))
  return [...new Set([...viewColumns(view), ...dataset.grain, ...inCondition])]
}

function adapted(dataset: Dataset, name: string, stored: ReadonlyMap<string, string>, release: string): string {
  const { type, nullable } = dataset.columns[name]!
  if (isStoredAs(type, stored.get(name))) return quote(name)
  if (stored.has(name) || !nullable) throw new Refusal('integrity', { ...ofDataset(dataset), release })
  return `NULL::${STORED[type]} AS ${quote(name)}`
}

async function storedColumns(pool: Reads, path: string): Promise<ReadonlyMap<string, string>> {
  const text = `SELECT column_name, column_type FROM (DESCRIBE FROM ${fromParts([path])})`
  const columns = new Map<string, string>()
  await pool.read({ text, values: [] }, chunks => {
    for (const chunk of chunks) {
      const name = chunk.column(0)
      const type = chunk.column(1)
      for (let row = 0; row < chunk.rows; row++) columns.set(name.text(row), type.text(row))
    }
  })
  return columns
}
