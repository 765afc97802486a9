import { versionDateOf } from '../../../catalog/index.ts'
import { quote } from '../../../src/engine/index.ts'
import { type Parent, readParts } from '../write/parent.ts'
import type { Workspace } from '../write/workspace.ts'
import { type Batch, type BatchFault, MOST_SAMPLES } from './batch.ts'
import { equal, type Relation } from './relations.ts'

/**
 * Reports rows that are older than the served rows that they would replace, such as last year's
 * register. Only for datasets that merge rows: a list that is replaced is compared as a whole.
 */
export async function olderRows(
  { session }: Workspace,
  { dataset, accept }: Batch,
  incoming: Relation,
  parent: Parent | undefined,
): Promise<readonly BatchFault[]> {
  const { grain, publish } = dataset
  const date = versionDateOf(dataset)
  if (publish.mode !== 'merge' || date === undefined || accept.includes('dates_backwards')) return []
  if (!parent || parent.manifest.parts.length === 0) return []
  const day = quote(date)
  const keys = grain.map(name => `'${name}': n.${quote(name)}::VARCHAR`).join(', ')
  const rows = await session.rows(
    `SELECT n."_source"::INTEGER AS source, count(*)::INTEGER AS count, max(n.${day})::VARCHAR AS day, max(o.${day})::VARCHAR AS served,
       to_json(list({${keys}, 'day': n.${day}::VARCHAR, 'served': o.${day}::VARCHAR} ORDER BY n.${quote(grain[0]!)})[:${MOST_SAMPLES}])::VARCHAR AS samples
     FROM ${incoming} AS n JOIN ${await readParts(parent, parent.manifest.parts)} AS o ON ${equal(grain, 'n', 'o')}
     WHERE n.${day} < o.${day} GROUP BY 1 ORDER BY 1`,
  )
  return rows.map(({ source, count, day: newest, served, samples }) => ({
    rule: 'dates_backwards',
    source: Number(source),
    column: date,
    count: Number(count),
    samples: JSON.parse(String(samples)),
    message: `${count} rows dated ${newest} or earlier would replace newer rows, which go up to ${served}. Publish the newer list, or pass --accept dates_backwards.`,
    message_zh: `${count} 列的日期為 ${newest} 或更早，將取代提供中較新的資料列（最新為 ${served}）；請發布較新的清單，或以 --accept dates_backwards 放行。`,
  }))
}
