import type { Dataset } from '../catalog/index.ts'
import { Refusal } from '../src/core/index.ts'
import { followUp } from './derive/index.ts'
import { calendarOf, createQuarantine, faultOf, type Quarantine, type QuarantineChange, readPartitionFiles } from './intake/index.ts'
import { type BatchFault, type DatasetOutcome, noRows, type Outcome, publish, type Workspace } from './publish/index.ts'

export interface Published extends Outcome {
  /** Faults of every file that was refused, by its path. */
  readonly refused: ReadonlyMap<string, readonly BatchFault[]>
  /** Quarantine folders of the refused files, with their reports. */
  readonly quarantined: readonly string[]
  readonly quarantine: QuarantineChange
  /** Publications that followed from this one. */
  readonly followUps: readonly DatasetOutcome[]
}

export interface PublishOptions {
  readonly accept: readonly string[]
  readonly synthetic: boolean
  /** Refuses each file by itself and publishes the others; all of them are refused for one when absent. */
  readonly oneByOne?: boolean
  /** Where refused files go; that of the workspace when absent. */
  readonly quarantine?: Quarantine
}

/** Publishes partition files of one dataset as one batch. Refused files go into quarantine with a report each. */
export async function publishFiles(
  workspace: Workspace,
  dataset: Dataset,
  paths: readonly string[],
  { accept, synthetic, oneByOne = false, quarantine = createQuarantine(workspace) }: PublishOptions,
): Promise<Published> {
  const { outcome, refused } = await publishBatch(workspace, dataset, paths, { accept, synthetic, oneByOne })
  const quarantined = [...refused].map(([path, faults]) => quarantine.keep(path, path, { for: dataset.slug, file: path, faults }))
  const followUps = await followUp(workspace, dataset, outcome)
  return { ...outcome, refused, quarantined, quarantine: quarantine.close(), followUps }
}

type Refused = ReadonlyMap<string, readonly BatchFault[]>
type BatchOptions = Required<Pick<PublishOptions, 'accept' | 'synthetic' | 'oneByOne'>>

async function publishBatch(
  workspace: Workspace,
  dataset: Dataset,
  paths: readonly string[],
  { accept, synthetic, oneByOne }: BatchOptions,
): Promise<{ readonly outcome: Outcome; readonly refused: Refused }> {
  try {
    const { relation, sources, firstRows, paths: read, leftOut } = await readPartitionFiles(workspace, dataset, paths, oneByOne)
    if (relation === null) return { outcome: nothing([...leftOut.values()].flat()), refused: leftOut }
    const calendar = await calendarOf(workspace)
    const batch = { dataset, relation, sources, firstRows, synthetic, accept, sourceBySource: oneByOne, calendar }
    const outcome = await publish(workspace, batch)
    return { outcome, refused: new Map([...leftOut, ...refusedOf(outcome, read, oneByOne)]) }
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'body_refused') throw error
    const fault = faultOf(error)
    return { outcome: nothing([fault]), refused: new Map(paths.map(path => [path, [fault]])) }
  }
}

/** Faults by the path of the file that is refused for them. */
function refusedOf({ status, faults, rowsBySource }: Outcome, paths: readonly string[], oneByOne: boolean): Refused {
  if (!oneByOne) {
    const isAtFault = (index: number): boolean => faults.some(({ source }) => source === null || source === index)
    return new Map(status === 'refused' ? paths.flatMap((path, index) => (isAtFault(index) ? [[path, faults]] : [])) : [])
  }
  const own = paths.map((path, index) => [path, faults.filter(({ source }) => source === null || source === index)] as const)
  const empty = paths
    .filter((_, index) => !rowsBySource.has(index))
    .map((path): readonly [string, readonly BatchFault[]] => [path, [noRows]])
  return new Map([...empty, ...own.filter(([, those]) => those.length > 0)])
}

const nothing = (faults: readonly BatchFault[]): Outcome => ({
  ...{ status: 'refused', release: null, changes: null, faults, notices: [] },
  ...{ rowsBySource: new Map(), samplesReplaced: 0, moved: [] },
})
