import { literal, quote, type Session } from '../../src/engine/index.ts'
import type { Relation } from '../publish/index.ts'

/** `confirmed`: only provenance columns differ, because another source reports the same values. */
export const DIFFERENCES = ['added', 'changed', 'removed', 'confirmed'] as const
export type DifferenceKind = (typeof DIFFERENCES)[number]

/** Days are `YYYY-MM-DD`, times RFC 3339 in Taipei. */
export interface DifferingCell {
  readonly column: string
  readonly old: unknown
  readonly new: unknown
}

export interface DifferingRow {
  readonly kind: DifferenceKind
  readonly grain: Readonly<Record<string, unknown>>
  /** In catalog order. Empty for added and removed rows. */
  readonly cells: readonly DifferingCell[]
}

export interface DifferenceCounts extends Readonly<Record<DifferenceKind, number>> {
  /** Includes confirmed rows. */
  readonly unchanged: number
  /** Number of changed rows per column. Omits unchanged columns. */
  readonly by_column: Readonly<Record<string, number>>
}

export interface DifferenceSummary {
  readonly dataset: string
  readonly from: string
  readonly to: string
  readonly grain: readonly string[]
  readonly rows: DifferenceCounts
  /** Columns that only the newer release has. */
  readonly columns_added: readonly string[]
  readonly columns_removed: readonly string[]
  /** `compared` counts parts that only one release has, `shared` parts that both have. */
  readonly parts: { readonly compared: number; readonly shared: number }
}

export interface Differences {
  readonly summary: DifferenceSummary
  /** Returns the differing rows in pages, sorted by key, day and grain. */
  pages(kinds: readonly DifferenceKind[], limit?: number): AsyncGenerator<readonly DifferingRow[]>
}

const PAGE = 4_096

/** @param rows columns `n` (row number, from 1), `op`, the grain, and `cells` */
export function differencesOf(session: Session, rows: Relation, summary: DifferenceSummary): Differences {
  const { added, changed, removed, confirmed } = summary.rows
  const all = added + changed + removed + confirmed
  return {
    summary,
    async *pages(kinds, limit = Number.POSITIVE_INFINITY) {
      let left = limit
      for (let from = 1; from <= all && left > 0; from += PAGE) {
        const page = (await readPage(session, rows, summary.grain, from)).filter(({ kind }) => kinds.includes(kind)).slice(0, left)
        left -= page.length
        if (page.length > 0) yield page
      }
    },
  }
}

async function readPage(session: Session, rows: Relation, grain: readonly string[], from: number): Promise<readonly DifferingRow[]> {
  const named = `{${grain.map(name => `${literal(name)}: ${quote(name)}`).join(', ')}}`
  const found = await session.rows(
    `SELECT op, to_json(${named})::VARCHAR AS grain, to_json(cells)::VARCHAR AS cells FROM ${rows} WHERE n BETWEEN ${from} AND ${from + PAGE - 1} ORDER BY n`,
  )
  return found.map(row => ({
    kind: row['op'] as DifferenceKind,
    grain: JSON.parse(String(row['grain'])) as DifferingRow['grain'],
    cells: JSON.parse(String(row['cells'])) as DifferingRow['cells'],
  }))
}

/** @param total rows of the newer release */
export async function countDifferences(session: Session, rows: Relation, total: number): Promise<DifferenceCounts> {
  const counted = await session.rows(`SELECT op, count(*)::INTEGER AS rows FROM ${rows} GROUP BY op`)
  const of = (kind: DifferenceKind): number => Number(counted.find(row => row['op'] === kind)?.['rows'] ?? 0)
  const cells = await session.rows(
    `SELECT cell."column" AS name, count(*)::INTEGER AS rows FROM (SELECT unnest(cells) AS cell FROM ${rows}) GROUP BY 1 ORDER BY 2 DESC, 1`,
  )
  const [added, changed, removed, confirmed] = [of('added'), of('changed'), of('removed'), of('confirmed')]
  return {
    added,
    changed,
    removed,
    confirmed,
    unchanged: total - added - changed,
    by_column: Object.fromEntries(cells.map(row => [String(row['name']), Number(row['rows'])])),
  }
}
