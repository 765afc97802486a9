import type { Dataset } from '../../catalog/index.ts'
import { quote } from '../../src/engine/index.ts'
import { bucketOf, type Spans } from '../../src/releases/index.ts'
import { DELTA, type Layout } from './layout.ts'
import type { Parent } from './parent.ts'
import type { BatchSlice } from './slices.ts'
import type { Workspace } from './workspace.ts'

type KeySpans = Spans['base']

/** Spans of the new release: measured over what was written, kept from the parent for the buckets that were not. */
export async function measureSpans(
  workspace: Workspace,
  dataset: Dataset,
  parent: Parent | undefined,
  layout: Layout,
  slices: readonly BatchSlice[],
): Promise<Spans> {
  const key = dataset.key ?? dataset.grain[0]!
  const retainedBuckets = new Set(layout.retained.map(({ bucket }) => bucket))
  const retained = Object.entries(parent?.spans.base ?? {}).filter(([name]) => retainedBuckets.has(bucketOf(name, layout.buckets)))
  const former = layout.retained.length > 0 || (parent && dataset.publish.mode === 'merge') ? (parent?.spans.slices ?? {}) : {}
  return {
    base: { ...Object.fromEntries(retained), ...(await keySpans(workspace, dataset, key, `"_bucket" <> ${DELTA}`)) },
    delta: await keySpans(workspace, dataset, key, `"_bucket" = ${DELTA}`),
    slices: { ...former, ...Object.fromEntries(slices.map(({ name, rows, fingerprint }) => [name, [rows, fingerprint]])) },
  }
}

async function keySpans({ session }: Workspace, { date }: Dataset, key: string, where: string): Promise<KeySpans> {
  const ends =
    date === undefined ? 'NULL AS first, NULL AS last' : `min(${quote(date)})::VARCHAR AS first, max(${quote(date)})::VARCHAR AS last`
  const rows = await session.rows(
    `SELECT ${quote(key)}::VARCHAR AS key, ${ends}, count(*)::INTEGER AS rows FROM final WHERE ${where} GROUP BY 1 ORDER BY 1`,
  )
  return Object.fromEntries(rows.map(row => [String(row['key']), [row['first'], row['last'], Number(row['rows'])] as KeySpans[string]]))
}

/** Totals over the whole release. */
export function totalsOf({ base, delta }: Spans) {
  const spans = [...Object.values(base), ...Object.values(delta)]
  const days = (place: 0 | 1): readonly string[] =>
    spans
      .map(span => span[place])
      .filter(day => day !== null)
      .sort()
  return {
    rows: spans.reduce((sum, [, , rows]) => sum + rows, 0),
    keys: new Set([...Object.keys(base), ...Object.keys(delta)]).size,
    first_date: days(0)[0] ?? null,
    last_date: days(1).at(-1) ?? null,
  }
}
