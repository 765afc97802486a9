import { schemaHash } from '../../../catalog/index.ts'
import type { Changes } from '../../../src/releases/index.ts'
import { type Compared, type Counted, compareWithParent, countChanges, derivedFaults } from '../compare/compare.ts'
import type { Workspace } from '../write/workspace.ts'
import type { Batch, BatchFault } from './batch.ts'
import { type Checked, checkBatch } from './check-batch.ts'
import { type Finding, findingsOf } from './findings.ts'
import type { Relation } from './relations.ts'
import { type Basis, readBasis } from './served-basis.ts'

export interface Sound {
  readonly checked: Checked
  readonly incoming: Relation
  readonly compared: Compared
}

export interface Unsound {
  readonly checked: Checked
  readonly faults: readonly BatchFault[]
}

/** Checks a batch, and compares it with the served release. Writes only to the engine. */
export async function assess(workspace: Workspace, batch: Batch, basis: Basis): Promise<Sound | Unsound> {
  const checked = await checkBatch(workspace, batch, basis)
  const { incoming, faults, rowsBySource } = checked
  if (incoming === null || isRefused(batch, checked)) return { checked, faults }
  if (rowsBySource.size === 0 && !batch.touchedKeys?.length && !batch.whole)
    return { checked, faults: faults.length > 0 ? faults : [noRows] }
  const compared = await compareWithParent(workspace, batch, basis, incoming)
  const differing = await derivedFaults(workspace, batch, basis, incoming, compared.target)
  if (differing.length > 0) return { checked, faults: [...faults, ...differing] }
  return { checked, incoming, compared }
}

const isRefused = ({ sourceBySource }: Batch, { faults }: Checked): boolean =>
  faults.length > 0 && (!sourceBySource || faults.some(({ source }) => source === null))

export const noRows: BatchFault = {
  rule: 'no_rows',
  source: null,
  column: null,
  count: 0,
  samples: [],
  message: 'The file has no rows, so nothing was published. The served rows remain.',
  message_zh: '檔案沒有資料列；未發布任何內容，已提供的資料不變。',
}

/**
 * True if the catalog's columns differ from those of the served release. A publication then makes
 * a release even without new rows.
 */
export const isReshaped = ({ former }: Basis, { dataset }: Batch): boolean =>
  former !== undefined && former.manifest.schema_hash !== schemaHash(dataset)

/** True if nothing differs, including the source of each row. */
export const changesNothing = ({ changes: { rows_added, rows_changed, rows_removed }, confirmed }: Counted): boolean =>
  rows_added + rows_changed + rows_removed + confirmed === 0

export interface Forecast {
  readonly status: 'publishable' | 'unchanged' | 'refused'
  /** Null before the first release. */
  readonly served: string | null
  readonly changes: Changes | null
  readonly faults: readonly Finding[]
  readonly notices: readonly Finding[]
  readonly rowsBySource: ReadonlyMap<number, number>
}

/**
 * Previews a publication. Takes no lock, so running publications are ignored.
 *
 * @throws Refusal integrity if the served release is damaged
 */
export async function forecast(workspace: Workspace, batch: Batch): Promise<Forecast> {
  const basis = await readBasis(workspace, batch)
  const assessed = await assess(workspace, batch, basis)
  const { checked } = assessed
  const faults = 'faults' in assessed ? assessed.faults : checked.faults
  const facts = {
    served: basis.former?.manifest.release ?? null,
    rowsBySource: checked.rowsBySource,
    ...findingsOf(batch, { faults, notices: checked.notices }),
  }
  if ('faults' in assessed) return { ...facts, status: 'refused', changes: null }
  const counted = await countChanges(workspace, batch.dataset, basis.parent, assessed.compared)
  const reshaped = isReshaped(basis, batch)
  const { changes } = counted
  const status = basis.parent && !reshaped && changesNothing(counted) ? 'unchanged' : 'publishable'
  return { ...facts, status, changes: reshaped ? { ...changes, kind: 'schema_change' } : changes }
}
