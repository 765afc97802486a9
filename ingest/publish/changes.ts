import type { Dataset } from '../../catalog/index.ts'
import { quote } from '../../src/engine/index.ts'
import type { Changes } from '../../src/releases/index.ts'
import type { Parent } from './parent.ts'
import type { Workspace } from './workspace.ts'

/** What a publication adds, changes and removes, counted over `upsert` and `removed`, or over `target` for a first release. */
export async function countChanges(
  { session }: Workspace,
  { date }: Dataset,
  parent: Parent | undefined,
  compared: boolean,
): Promise<Changes> {
  const day = date === undefined ? 'NULL::DATE' : quote(date)
  const moved = compared
    ? `SELECT "_op" AS op, ${day} AS day FROM upsert UNION ALL SELECT 'removed', ${day} FROM removed`
    : `SELECT 'added' AS op, ${day} AS day FROM target`
  const [row] = await session.rows(
    `SELECT count(*) FILTER (op = 'added')::INTEGER AS added, count(*) FILTER (op = 'changed')::INTEGER AS changed,
       count(*) FILTER (op = 'removed')::INTEGER AS removed, min(day)::VARCHAR AS first, max(day)::VARCHAR AS last,
       ${(['added', 'changed', 'removed'] as const).map(reachOf).join(', ')} FROM (${moved})`,
  )
  const reach = (op: string) => (row![`${op}_first`] === null ? null : ([row![`${op}_first`], row![`${op}_last`]] as [string, string]))
  const [added, changed, removed] = [Number(row!['added']), Number(row!['changed']), Number(row!['removed'])]
  return {
    kind: kindOf(parent, added, changed + removed, row!['added_last'] as string | null),
    rows_added: added,
    rows_changed: changed,
    rows_removed: removed,
    date_from: row!['first'] as string | null,
    date_to: row!['last'] as string | null,
    reach: { added: reach('added'), changed: reach('changed'), removed: reach('removed') },
  }
}

const reachOf = (op: string): string =>
  `(min(day) FILTER (op = '${op}'))::VARCHAR AS ${op}_first, (max(day) FILTER (op = '${op}'))::VARCHAR AS ${op}_last`

/** New rows reach past what was known; a backfill fills in before it; a revision changes or removes. */
function kindOf(parent: Parent | undefined, added: number, revised: number, lastAdded: string | null): Changes['kind'] {
  const known = parent?.manifest.statistics.last_date ?? null
  if (revised > 0 && (added === 0 || known === null || lastAdded === null || lastAdded <= known)) return 'revision'
  return known !== null && lastAdded !== null && lastAdded < known ? 'backfill' : 'new_rows'
}
