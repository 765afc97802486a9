import { type Dataset, schemaHash } from '../../catalog/index.ts'
import { quote } from '../../src/engine/index.ts'
import { type Changes, releasePaths } from '../../src/releases/index.ts'
import type { Batch, BatchFault } from './batch.ts'
import { checkBodies } from './bodies.ts'
import { checkRows } from './checks.ts'
import { compareWithParent, computes, countChanges, derivedFaults, targetAlone } from './compare.ts'
import { checkWhole } from './drift.ts'
import { withLock } from './lock.ts'
import { checkOpenDays } from './open-days.ts'
import { adapted, openParent, type Parent } from './parent.ts'
import { writeRelease } from './release.ts'
import { checkSlices, measureSlices } from './slices.ts'
import { recordUnchanged } from './source-check.ts'
import { broughtDerived, typeBatch } from './typed.ts'
import type { Workspace } from './workspace.ts'

export interface Outcome {
  /** unchanged: every row is served already, so no release was made. */
  readonly status: 'published' | 'unchanged' | 'refused'
  readonly release: string | null
  readonly changes: Changes | null
  readonly faults: readonly BatchFault[]
  /** Rows left per source after faulty sources were put aside. */
  readonly rowsBySource: ReadonlyMap<number, number>
  /** Sample rows that real ones took the place of; they are no longer served, and no changes tell of them. */
  readonly samplesReplaced: number
}

/** What one publication of a dataset came to. */
export interface DatasetOutcome {
  readonly dataset: string
  readonly outcome: Outcome
}

/**
 * Checks a batch and makes it the served release of its dataset. Readers see the former release or the new one, never a mix; a
 * crash at any point leaves the former one.
 *
 * @throws Refusal body_refused when another process publishes the dataset, integrity when the release it builds on is damaged
 */
export function publish(workspace: Workspace, batch: Batch): Promise<Outcome> {
  return withLock(releasePaths(workspace.releases, batch.dataset.slug).home, () => publishLocked(workspace, batch))
}

async function publishLocked(workspace: Workspace, batch: Batch): Promise<Outcome> {
  const served = await openParent(workspace.releases, batch.dataset)
  // Real rows never mix with samples: the first real release starts anew.
  const parent = served?.manifest.synthetic === batch.synthetic ? await adapted(workspace.session, served, batch.dataset) : undefined
  const brought = await broughtDerived(workspace.session, batch)
  const derive = computes(batch, brought)
  const { faults, slices } = await check(workspace, batch, { served, parent, derive })
  const rowsBySource = await countSources(workspace)
  const refused = (): Outcome => ({ status: 'refused', release: null, changes: null, faults, rowsBySource, samplesReplaced: 0 })
  if (faults.length > 0 && (!batch.sourceBySource || faults.some(({ source }) => source === null))) return refused()
  if (rowsBySource.size === 0 && !batch.touchedKeys?.length) return { ...refused(), faults: faults.length > 0 ? faults : [NO_ROWS] }
  if (parent) await compareWithParent(workspace, batch, parent, derive)
  else await targetAlone(workspace, batch, derive)
  const differing = derive ? await derivedFaults(workspace, batch, brought) : []
  if (differing.length > 0) return { ...refused(), faults: [...faults, ...differing] }
  await keepMovedKeys(workspace, batch.dataset, parent !== undefined)
  const reshaped = served !== undefined && served.manifest.schema_hash !== schemaHash(batch.dataset)
  const counted = await countChanges(workspace, batch.dataset, parent, parent !== undefined)
  const changes: Changes = reshaped ? { ...counted, kind: 'schema_change' } : counted
  if (parent && !reshaped && changes.rows_added + changes.rows_changed + changes.rows_removed === 0) {
    await recordUnchanged(workspace, batch.dataset, parent.manifest)
    return { status: 'unchanged', release: parent.manifest.release, changes, faults, rowsBySource, samplesReplaced: 0 }
  }
  const release = await writeRelease(workspace, batch, { served, parent, changes, slices, rowsBySource })
  const samplesReplaced = served?.manifest.synthetic && !batch.synthetic ? served.manifest.statistics.rows : 0
  return { status: 'published', release, changes, faults, rowsBySource, samplesReplaced }
}

const NO_ROWS: BatchFault = {
  rule: 'no_rows',
  source: null,
  column: null,
  count: 0,
  samples: [],
  message: 'The file holds no rows; nothing was published over what is served.',
}

interface Building {
  readonly served: Parent | undefined
  /** The served release where the batch is merged into it. */
  readonly parent: Parent | undefined
  /** Whether derived columns are computed here. */
  readonly derive: boolean
}

/** Every check there is; rows of sources at fault are taken out of `incoming`. */
async function check(workspace: Workspace, batch: Batch, { served, parent, derive }: Building) {
  const typing = await typeBatch(workspace.session, batch)
  if (typing.some(({ source }) => source === null)) return { faults: typing, slices: [] }
  const rowFaults = [...typing, ...(await checkRows(workspace, batch, derive))]
  await dropSources(workspace, rowFaults)
  const dayFaults = await checkOpenDays(workspace, batch)
  await dropSources(workspace, dayFaults)
  const measured = await measureSlices(workspace.session, batch.dataset)
  const sliceFaults = checkSlices(batch.dataset, measured, parent?.spans.slices ?? {}, batch.accept)
  await dropSources(workspace, sliceFaults)
  const bodyFaults = await checkBodies(workspace, batch, parent)
  await dropSources(workspace, bodyFaults)
  const broken = [...rowFaults, ...dayFaults, ...sliceFaults, ...bodyFaults]
  // What is left of a batch that is refused for its rows says nothing about the whole.
  const faults = broken.length > 0 && !batch.sourceBySource ? broken : [...broken, ...(await checkWhole(workspace, batch, served, parent))]
  return { faults, slices: measured.filter(({ source }) => !faults.some(fault => fault.source === source)) }
}

/** Makes `moved(key)`: keys whose rows this publication adds, changes or removes, for the datasets that join this one. */
async function keepMovedKeys({ session }: Workspace, { key }: Dataset, compared: boolean): Promise<void> {
  const of = key === undefined ? "''" : quote(key)
  const moved = compared ? `SELECT ${of} AS key FROM upsert UNION SELECT ${of} FROM removed` : `SELECT DISTINCT ${of} AS key FROM target`
  await session.run(`CREATE OR REPLACE TABLE moved AS ${moved}`)
}

async function dropSources({ session }: Workspace, faults: readonly BatchFault[]): Promise<void> {
  const sources = [...new Set(faults.map(({ source }) => source))].filter(source => source !== null)
  if (sources.length > 0) await session.run(`DELETE FROM incoming WHERE "_source" IN (${sources.join(', ')})`)
}

async function countSources({ session }: Workspace): Promise<ReadonlyMap<number, number>> {
  const tables = await session.rows(`SELECT 1 FROM duckdb_tables() WHERE table_name = 'incoming'`)
  if (tables.length === 0) return new Map()
  const rows = await session.rows('SELECT "_source" AS source, count(*)::INTEGER AS rows FROM incoming GROUP BY 1 ORDER BY 1')
  return new Map(rows.map(row => [Number(row['source']), Number(row['rows'])]))
}
