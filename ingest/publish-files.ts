import type { Dataset } from '../catalog/index.ts'
import { Refusal } from '../src/core/index.ts'
import { followUp } from './derive/index.ts'
import { calendarOf, createQuarantine, type QuarantineChange, readPartitionFiles } from './intake/index.ts'
import { type BatchFault, type DatasetOutcome, type Outcome, publish, type Workspace } from './publish/index.ts'

export interface Published extends Outcome {
  /** Quarantine folders of the refused files, with their reports. */
  readonly quarantined: readonly string[]
  readonly quarantine: QuarantineChange
  /** Publications that followed from this one. */
  readonly followUps: readonly DatasetOutcome[]
}

export interface PublishOptions {
  readonly accept: readonly string[]
  readonly synthetic: boolean
}

/** Publishes partition files of one dataset as one batch: all of it or, with reports in quarantine, none of it. */
export async function publishFiles(
  workspace: Workspace,
  dataset: Dataset,
  paths: readonly string[],
  { accept, synthetic }: PublishOptions,
): Promise<Published> {
  const quarantine = createQuarantine(workspace)
  const keep = (path: string, faults: readonly BatchFault[]): string =>
    quarantine.keep(path, path, { for: dataset.slug, file: path, faults })
  try {
    const batch = {
      dataset,
      ...(await readPartitionFiles(workspace, dataset, paths)),
      synthetic,
      accept,
      sourceBySource: false,
      calendar: await calendarOf(workspace),
    }
    const outcome = await publish(workspace, batch)
    const refused =
      outcome.status === 'refused'
        ? paths.filter((_, index) => outcome.faults.some(({ source }) => source === null || source === index))
        : []
    const quarantined = refused.map(path => keep(path, outcome.faults))
    const followUps = await followUp(workspace, dataset, outcome)
    return { ...outcome, quarantined, quarantine: quarantine.close(), followUps }
  } catch (error) {
    if (!(error instanceof Refusal) || error.code !== 'body_refused') throw error
    const fault = {
      rule: String(error.facts['rule']),
      source: null,
      column: columnOf(error),
      count: 1,
      samples: [],
      message: error.message,
    }
    const quarantined = paths.map(path => keep(path, [fault]))
    const none = { notices: [], moved: [], followUps: [] }
    const nothing = { ...none, release: null, changes: null, rowsBySource: new Map<number, number>(), samplesReplaced: 0 }
    return { ...nothing, status: 'refused', faults: [fault], quarantined, quarantine: quarantine.close() }
  }
}

/** The column a refused file is at fault in, where its reader knows it. */
const columnOf = ({ facts }: Refusal): string | null => (typeof facts['column'] === 'string' ? facts['column'] : null)
