import { allOver } from '../write/commit.ts'
import { type BatchSlice, checkSlices, measureSlices } from '../write/slices.ts'
import type { Workspace } from '../write/workspace.ts'
import { type Batch, type BatchFault, MISSING_DAYS } from './batch.ts'
import { checkWhole } from './drift.ts'
import { checkBodies } from './duplicate-bodies.ts'
import { firstLists } from './first-lists.ts'
import { missingDays } from './missing-days.ts'
import { olderRows } from './older-rows.ts'
import { checkOpenDays } from './open-days.ts'
import type { Relation } from './relations.ts'
import { checkRows } from './row-checks.ts'
import type { Basis } from './served-basis.ts'
import { standInFaults } from './stand-ins.ts'
import { checkTypes, typeBatch } from './type-columns.ts'

export interface Checked {
  /** Typed rows without the rows of faulty sources. Null if the columns are wrong. */
  readonly incoming: Relation | null
  readonly faults: readonly BatchFault[]
  readonly notices: readonly BatchFault[]
  readonly slices: readonly BatchSlice[]
  /** Number of remaining rows per source. */
  readonly rowsBySource: ReadonlyMap<number, number>
}

/** Checks a batch, and removes the rows of faulty sources. */
export async function checkBatch(workspace: Workspace, batch: Batch, basis: Basis): Promise<Checked> {
  const { session, secondSession } = workspace
  const { served, former, parent, given } = basis
  const { incoming, faults: wrong, given: columns } = await typeBatch(session, batch, given)
  if (incoming === null) return { incoming, faults: wrong, notices: [], slices: [], rowsBySource: new Map() }
  const leaveOut = async (faults: readonly BatchFault[]): Promise<readonly BatchFault[]> => {
    const sources = [...new Set(faults.map(({ source }) => source))].filter(source => source !== null)
    if (sources.length > 0) await session.run(`DELETE FROM ${incoming} WHERE "_source" IN (${sources.join(', ')})`)
    return faults
  }
  // Two sessions run both checks at the same time. Neither check changes what the other one reads.
  const [typing, rows] = await allOver([checkTypes(secondSession, batch, columns), checkRows(workspace, batch, incoming, basis)])
  const rowFaults = await leaveOut([...typing, ...rows.faults])
  const [days, measured] = await allOver([
    checkOpenDays(workspace, batch, served, incoming),
    measureSlices(secondSession, batch.dataset, incoming),
  ])
  const dayFaults = await leaveOut([...days.faults, ...(await standInFaults(workspace, batch.dataset, incoming, parent))])
  const slices = dayFaults.length > 0 ? await measureSlices(session, batch.dataset, incoming) : measured
  const sliceFaults = await leaveOut(checkSlices(batch.dataset, slices, parent?.spans.slices ?? {}, batch.accept))
  const sound = slices.filter(({ source }) => !sliceFaults.some(fault => fault.source === source))
  const gaps = missingDays(batch.dataset, sound, parent?.spans.slices ?? {}, batch.calendar)
  const gapFaults = batch.dataset.completeness?.severity === 'warning' || batch.accept.includes(MISSING_DAYS) ? [] : await leaveOut(gaps)
  const bodyFaults = await leaveOut(await checkBodies(workspace, batch, incoming, parent))
  const olderFaults = await leaveOut(await olderRows(workspace, batch, incoming, parent))
  const firstFaults = await leaveOut(await firstLists(workspace, batch, incoming, parent))
  const broken = [...rowFaults, ...dayFaults, ...sliceFaults, ...gapFaults, ...bodyFaults, ...olderFaults, ...firstFaults]
  // The refused rows are missing in `incoming`, so totals would differ.
  const refused = broken.length > 0 && !batch.sourceBySource
  const faults = refused ? broken : [...broken, ...(await checkWhole(workspace, batch, incoming, former, parent))]
  const notices = [...rows.notices, ...days.notices, ...(gapFaults.length > 0 ? [] : gaps)]
  const isSound = ({ source }: Pick<BatchFault, 'source'>): boolean => source === null || !faults.some(fault => fault.source === source)
  return {
    incoming,
    faults,
    notices: batch.sourceBySource ? notices.filter(isSound) : notices,
    slices: slices.filter(isSound),
    rowsBySource: await countSources(workspace, incoming),
  }
}

async function countSources({ session }: Workspace, incoming: Relation): Promise<ReadonlyMap<number, number>> {
  const rows = await session.rows(`SELECT "_source" AS source, count(*)::INTEGER AS rows FROM ${incoming} GROUP BY 1 ORDER BY 1`)
  return new Map(rows.map(row => [Number(row['source']), Number(row['rows'])]))
}
