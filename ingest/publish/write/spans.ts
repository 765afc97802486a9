import type { Dataset } from '../../../catalog/index.ts'
import { quote } from '../../../src/engine/index.ts'
import { bucketOf, type Spans } from '../../../src/releases/index.ts'
import { DELTA, type Layout } from './layout.ts'
import type { Parent } from './parent.ts'
import type { BatchSlice } from './slices.ts'
import type { Workspace } from './workspace.ts'

type KeySpans = Spans['base']

/**
 * Returns the days and the number of rows of each key. Written rows are measured, and spans of
 * retained buckets are copied from the parent release.
 */
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
  const written = await keySpans(workspace, dataset, key, layout)
  return {
    base: { ...Object.fromEntries(retained), ...written.base },
    delta: written.delta,
    slices: { ...former, ...Object.fromEntries(slices.map(({ name, rows, fingerprint }) => [name, [rows, fingerprint]])) },
  }
}

async function keySpans({ session }: Workspace, { date }: Dataset, key: string, { final }: Layout): Promise<Pick<Spans, 'base' | 'delta'>> {
  const ends =
    date === undefined ? 'NULL AS first, NULL AS last' : `min(${quote(date)})::VARCHAR AS first, max(${quote(date)})::VARCHAR AS last`
  const rows = await session.rows(
    `SELECT "_bucket" = ${DELTA} AS fresh, ${quote(key)}::VARCHAR AS key, ${ends}, count(*)::INTEGER AS rows FROM ${final} GROUP BY 1, 2 ORDER BY 2`,
  )
  const spansOf = (fresh: boolean): KeySpans =>
    Object.fromEntries(
      rows
        .filter(row => row['fresh'] === fresh)
        .map(row => [String(row['key']), [row['first'], row['last'], Number(row['rows'])] as KeySpans[string]]),
    )
  return { base: spansOf(false), delta: spansOf(true) }
}
