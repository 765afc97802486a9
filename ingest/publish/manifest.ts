import { schemaHash, versionOf } from '../../catalog/index.ts'
import { taipei, taipeiDay } from '../../src/core/index.ts'
import { type Changes, Manifest, type Part, releasePaths, type Source, type Spans } from '../../src/releases/index.ts'
import type { Batch } from './batch.ts'
import type { Parent } from './parent.ts'
import type { Received } from './received.ts'
import { reconcile } from './reconcile.ts'
import type { BatchSlice } from './slices.ts'
import { totalsOf } from './spans.ts'
import { measureStated, newestListed } from './statistics.ts'
import type { Workspace } from './workspace.ts'

/** What the checks and the comparison found, of which a release is made. */
export interface Writing {
  readonly served: Parent | undefined
  /** The served release where the batch is merged into it. */
  readonly parent: Parent | undefined
  readonly changes: Changes
  readonly slices: readonly BatchSlice[]
  readonly rowsBySource: ReadonlyMap<number, number>
}

/** Rows of a release as they lie on disk. */
export interface Written {
  readonly buckets: number
  /** Those kept from the parent first. */
  readonly parts: readonly Part[]
  readonly spans: Spans & { readonly received: Received }
}

interface Making extends Writing, Written {
  readonly release: string
  readonly now: Date
  /** Of `spans.json`. */
  readonly spansSha256: string
}

/** What a release says of itself. Its statistics and comparisons are read from the parts as they lie on disk. */
export async function makeManifest(workspace: Workspace, batch: Batch, making: Making): Promise<Manifest> {
  const { served, parent, changes, rowsBySource, buckets, parts, spans, release, now, spansSha256 } = making
  const { dataset, synthetic } = batch
  const paths = releasePaths(workspace.releases, dataset.slug)
  const pathOf = (part: Part): string => paths.part(part.sha256)
  const totals = totalsOf(spans)
  const newest = totals.last_date ?? (await newestListed(workspace, dataset, parts, pathOf))
  return Manifest.parse({
    format: 1,
    dataset: dataset.slug,
    release,
    // A damaged release falls back to its parent: never from real rows to samples.
    parent: served?.manifest.synthetic === synthetic ? served.manifest.release : null,
    dataset_version: versionOf(dataset),
    schema_hash: schemaHash(dataset),
    published_at: taipei(now),
    data_as_of: newest ?? taipeiDay(now),
    synthetic,
    key: dataset.key ?? null,
    buckets,
    parts: [...parts],
    statistics: { ...totals, ...(await measureStated(workspace, dataset, parts, pathOf)), spans: spansSha256 },
    sources: [...sourcesOf(batch, rowsBySource)],
    changes,
    checks: passed(batch, totals.rows),
    reconciliation: [...(await reconcile(workspace, batch, parent, { release, parts, rows: totals.rows, received: spans.received }))],
  } satisfies Manifest)
}

/** Every rule the rows were held to, for the manifest. */
function passed({ dataset: { rules = [], publish }, accept }: Batch, rows: number): Manifest['checks'] {
  const slices = publish.slice ? ['same_body', 'row_count_drift'] : publish.mode === 'replace' ? ['row_count_drift', 'dates_backwards'] : []
  const bodies = publish.body ? ['same_body'] : []
  const names = ['columns', 'types', 'nulls', 'grain', 'dates', ...slices, ...bodies, ...rules.map(({ name }) => name), 'read_back']
  return names.map(rule => ({ rule, measured: { rows, broken: 0, let_pass: accept.includes(rule) } }))
}

const sourcesOf = ({ sources }: Batch, rows: ReadonlyMap<number, number>): readonly Source[] =>
  sources.flatMap((source, index) => (rows.has(index) ? [{ ...source, rows: rows.get(index)! }] : []))
