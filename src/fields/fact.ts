import type { Column, Dataset, FieldView, Row } from '../../catalog/index.ts'
import type { Pool } from '../engine/index.ts'
import { encodeJsonRows } from '../formats/index.ts'
import type { PastRelease } from '../releases/index.ts'
import { FILE, type Selection } from './select.ts'

/** What one row says of one entity. */
export interface Fact {
  readonly entity: string
  /** Tells the entity's rows apart, and orders those of one day. */
  readonly grain: string
  /** Day it speaks of; null where the view has no date. */
  readonly day: string | null
  readonly period: string | null
  readonly announced: string | null
  readonly role: string
  /** Path of the part it was read from; empty where that was not asked for. */
  readonly file: string
  /** Values as JSON text, by column. */
  readonly cells: Readonly<Record<string, string>>
}

/** Rows that answer for an entity, all of one day, and the release they were read from. */
export interface Found {
  readonly facts: readonly Fact[]
  readonly release: PastRelease
}

const FILE_COLUMN: Column = { type: 'text', zh: '', doc: '' }

/** Runs a selection. Values are those a read of the dataset sends: they go through the same encoder. */
export async function readFacts(pool: Pool, dataset: Dataset, view: FieldView, selection: Selection): Promise<readonly Fact[]> {
  const chunks = await pool.read({ ...selection.statement, once: true })
  const rows = chunks.reduce((sum, chunk) => sum + chunk.rows, 0)
  if (rows === 0) return []
  const columns = { ...dataset.columns, [FILE]: FILE_COLUMN }
  const json = await encodeJsonRows({ columns, names: selection.columns, page: { chunks, rows, more: false, position: new Map() } })
  return (JSON.parse(`[${Buffer.concat([json].flat())}]`) as Row[]).map(row => factOf(dataset, view, row))
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
