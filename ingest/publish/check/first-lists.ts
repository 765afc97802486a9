import type { Parent } from '../write/parent.ts'
import type { Workspace } from '../write/workspace.ts'
import type { Batch, BatchFault } from './batch.ts'
import { list, type Relation } from './relations.ts'

/** Reports incomplete lists before the first list is served. */
export async function firstLists(
  { session }: Workspace,
  { dataset, leastRows = [], accept }: Batch,
  incoming: Relation,
  parent: Parent | undefined,
): Promise<readonly BatchFault[]> {
  const { slice } = dataset.publish
  const isServed = (name: string): boolean =>
    slice ? parent?.spans.slices[name] !== undefined : (parent?.manifest.statistics.rows ?? 0) > 0
  if (accept.includes('row_count_drift') || leastRows.every(least => least === 0)) return []
  const name = slice ? `concat_ws(' ', ${list(slice)})` : "''"
  const rows = await session.rows(
    `SELECT "_source"::INTEGER AS source, ${name} AS name, count(*)::INTEGER AS rows FROM ${incoming} GROUP BY ALL ORDER BY ALL`,
  )
  return rows.flatMap(row => {
    const [source, slice, count] = [Number(row['source']), String(row['name']), Number(row['rows'])]
    const least = leastRows[source] ?? 0
    if (count >= least || isServed(slice)) return []
    return [
      {
        rule: 'row_count_drift',
        source,
        column: null,
        count,
        samples: [{ ...(slice && { list: slice }), rows: count, least }],
        message: `The list ${slice && `of ${slice} `}has ${count} ${count === 1 ? 'row' : 'rows'}; a complete one has at least ${least}. Fetch the whole list, or pass --accept row_count_drift.`,
        message_zh: `${slice && `${slice} 的`}清單只有 ${count} 列，完整清單至少有 ${least} 列；請取得完整清單，或以 --accept row_count_drift 放行。`,
      },
    ]
  })
}
