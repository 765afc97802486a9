import { derivedColumns } from '../../../catalog/index.ts'
import { adapted, createServedReleases, type Parent, type ServedReleases } from '../write/parent.ts'
import { readSlices } from '../write/slices.ts'
import type { Workspace } from '../write/workspace.ts'
import type { Batch } from './batch.ts'
import { columnsGiven, derivedGiven, type GivenColumns } from './type-columns.ts'

export interface Basis {
  readonly served: ServedReleases
  /** Served release. Undefined before the first release. */
  readonly former: Parent | undefined
  /**
   * Release to merge with. Undefined if nothing is merged, for example because real rows replace
   * samples.
   */
  readonly parent: Parent | undefined
  readonly given: GivenColumns
  /** Derived columns for which the batch has values. */
  readonly brought: readonly string[]
  /** True if this publication computes the derived columns. */
  readonly derive: boolean
}

/** @throws Error if the served release is damaged */
export async function readBasis(workspace: Workspace, batch: Batch): Promise<Basis> {
  const { dataset, synthetic } = batch
  const served = createServedReleases(workspace)
  const former = await served.of(dataset.slug)
  // Samples and real rows are never merged.
  const merged = former?.manifest.synthetic === synthetic ? await adapted(workspace.session, former, dataset) : undefined
  const parent = merged && { ...merged, spans: { ...merged.spans, slices: await readSlices(workspace.session, dataset, merged) } }
  const given = await columnsGiven(workspace.session, batch.relation)
  const brought = derivedGiven(batch, given)
  return { served, former, parent, given, brought, derive: computes(batch, brought) }
}

/**
 * True if derived columns must be computed. False if there are none, or if the operator passed
 * `--accept derived_as_given` and the rows have all of them, as in exports of this service.
 */
const computes = ({ dataset, accept }: Batch, brought: readonly string[]): boolean =>
  derivedColumns(dataset).length > 0 && !(accept.includes('derived_as_given') && brought.length === derivedColumns(dataset).length)
