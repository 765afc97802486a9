import type { Dataset } from '../../../catalog/index.ts'
import { quote } from '../../../src/engine/index.ts'
import { type Parent, readParts } from '../write/parent.ts'
import type { Workspace } from '../write/workspace.ts'
import type { BatchFault } from './batch.ts'
import type { Relation } from './relations.ts'

const [ROLE, STAND_IN] = ['source_role', 'stand_in']

/**
 * Reports substitute rows for days that have official rows. A substitute fills gaps and never
 * replaces official rows.
 */
export async function standInFaults(
  { session }: Workspace,
  { columns, date }: Dataset,
  incoming: Relation,
  parent: Parent | undefined,
): Promise<readonly BatchFault[]> {
  if (!parent || parent.manifest.parts.length === 0 || date === undefined || !(ROLE in columns)) return []
  const standIns = `SELECT "_source", ${quote(date)} AS day FROM ${incoming} WHERE ${ROLE} = '${STAND_IN}'`
  const [some] = await session.rows(`SELECT count(*)::INTEGER AS rows FROM (${standIns})`)
  if (Number(some!['rows']) === 0) return []
  const official = `SELECT DISTINCT ${quote(date)} AS day FROM ${await readParts(parent, parent.manifest.parts)} WHERE ${ROLE} <> '${STAND_IN}'`
  const rows = await session.rows(
    `SELECT "_source"::INTEGER AS source, day::VARCHAR AS day, count(*)::INTEGER AS rows FROM (${standIns}) WHERE day IN (${official}) GROUP BY 1, 2 ORDER BY 1, 2`,
  )
  return rows.map(({ source, day, rows: count }) => ({
    rule: 'stand_in_over_official',
    source: Number(source),
    column: ROLE,
    count: Number(count),
    samples: [{ day }],
    message: `Official rows of ${day} are already served, and the rows of this file are substitutes. Remove ${day} from the file.`,
    message_zh: `${day} 已提供正式資料列，這些僅為替代資料；請移除該日。`,
  }))
}
