import type { Dataset } from '../catalog/index.ts'
import { Refusal } from '../src/core/index.ts'
import { followUps } from './derive/index.ts'
import {
  calendarOf,
  createQuarantine,
  faultOf,
  type Quarantine,
  type QuarantineChange,
  type Reading,
  readPartitionFiles,
} from './intake/index.ts'
import type { Mapping } from './mappings/index.ts'
import {
  type Batch,
  type BatchFault,
  type DatasetOutcome,
  type Finding,
  faultFinding,
  noRows,
  type Outcome,
  publish,
  type Workspace,
} from './publish/index.ts'

export interface Published extends Outcome {
  /** Faults, keyed by path. */
  readonly refused: ReadonlyMap<string, readonly Finding[]>
  readonly quarantined: readonly string[]
  readonly quarantine: QuarantineChange
  readonly followUps: readonly DatasetOutcome[]
}

export interface PublishOptions {
  readonly accept: readonly string[]
  readonly synthetic: boolean
  /** True to refuse only bad files. By default, one bad file refuses all. */
  readonly oneByOne?: boolean
  /** Default: files have the dataset's column names. */
  readonly mapping?: Mapping | undefined
  readonly quarantine?: Quarantine
}

/** Publishes files of one dataset as one batch. Quarantines refused files with reports. */
export async function publishFiles(
  workspace: Workspace,
  dataset: Dataset,
  paths: readonly string[],
  { accept, synthetic, oneByOne = false, mapping, quarantine = createQuarantine(workspace) }: PublishOptions,
): Promise<Published> {
  const { outcome, refused } = await publishBatch(workspace, dataset, paths, { accept, synthetic, oneByOne, mapping })
  const quarantined = [...refused].map(([path, faults]) => quarantine.keep(path, path, { for: dataset.slug, file: path, faults }))
  const followed = await followUps(workspace, [{ dataset: dataset.slug, outcome }])
  return { ...outcome, refused, quarantined, quarantine: quarantine.close(), followUps: followed }
}

type Refused = ReadonlyMap<string, readonly Finding[]>
type BatchOptions = Pick<PublishOptions, 'accept' | 'synthetic'> & Reading

async function publishBatch(
  workspace: Workspace,
  dataset: Dataset,
  paths: readonly string[],
  options: BatchOptions,
): Promise<{ readonly outcome: Outcome; readonly refused: Refused }> {
  const { batch, read, refused } = await readBatch(workspace, dataset, paths, options)
  if (batch === null) return { outcome: nothing([...new Set([...refused.values()].flat())]), refused }
  const outcome = await publish(workspace, batch)
  return { outcome, refused: new Map([...refused, ...refusedOf(dataset, outcome, read, options.oneByOne)]) }
}

interface ReadBatch {
  /** Null if no file could be read. */
  readonly batch: Batch | null
  readonly read: readonly string[]
  readonly refused: Refused
}

/** @throws Error if the machine lacks memory or disk space */
export async function readBatch(
  workspace: Workspace,
  dataset: Dataset,
  paths: readonly string[],
  { accept, synthetic, oneByOne, mapping }: BatchOptions,
): Promise<ReadBatch> {
  const finding = (fault: BatchFault): Finding => faultFinding(dataset, [], fault)
  try {
    const {
      relation,
      sources,
      firstRows,
      paths: read,
      leftOut,
    } = await workspace.withinMemory(() => readPartitionFiles(workspace, dataset, paths, { oneByOne, mapping }))
    const refused = new Map([...leftOut].map(([path, faults]) => [path, faults.map(finding)]))
    if (relation === null) return { batch: null, read, refused }
    const calendar = await calendarOf(workspace)
    const batch = { dataset, relation, sources, ...(firstRows && { firstRows }), synthetic, accept, sourceBySource: oneByOne, calendar }
    return { batch, read, refused }
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'body_refused') throw error
    const findings = [finding(faultOf(error))]
    return { batch: null, read: [], refused: new Map(paths.map(path => [path, findings])) }
  }
}

function refusedOf(dataset: Dataset, { status, faults, rowsBySource }: Outcome, paths: readonly string[], oneByOne: boolean): Refused {
  if (!oneByOne) {
    const isAtFault = (index: number): boolean => faults.some(({ source }) => source === null || source === index)
    return new Map(status === 'refused' ? paths.flatMap((path, index) => (isAtFault(index) ? [[path, faults]] : [])) : [])
  }
  const own = paths.map((path, index) => [path, faults.filter(({ source }) => source === null || source === index)] as const)
  const empty = paths
    .filter((_, index) => !rowsBySource.has(index))
    .map((path): readonly [string, readonly Finding[]] => [path, [faultFinding(dataset, [], noRows)]])
  return new Map([...empty, ...own.filter(([, those]) => those.length > 0)])
}

const nothing = (faults: readonly Finding[]): Outcome => ({
  status: 'refused',
  release: null,
  changes: null,
  faults,
  notices: [],
  rowsBySource: new Map(),
  rowsConfirmed: 0,
  samplesReplaced: 0,
  moved: [],
})
