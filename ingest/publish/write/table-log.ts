import type { Dataset } from '../../../catalog/index.ts'
import type { LogChange } from '../../../src/delta/index.ts'
import { failureReason } from '../../../src/engine/index.ts'
import { releasePaths } from '../../../src/releases/index.ts'
import type { BatchFault } from '../check/batch.ts'
import { withLock } from './lock.ts'
import type { Workspace } from './workspace.ts'

/**
 * Updates the table log of a served release. API readers do not wait for the log. The caller has
 * the lock.
 *
 * @returns a warning if the log could not be written and is outdated
 */
export async function logServed({ session, releases: root }: Workspace, dataset: Dataset): Promise<readonly BatchFault[]> {
  try {
    // The module is loaded late, so that loading does not delay serving.
    const { continueLog } = await import('../../../src/delta/index.ts')
    await continueLog({ session, root }, dataset)
    return []
  } catch (error) {
    const reason = failureReason(error)
    return [
      {
        rule: 'table_log',
        source: null,
        column: null,
        count: 1,
        samples: [],
        message: `The release is served, but the log of its Delta table could not be written (${reason}). Run twmd tables rebuild ${dataset.slug}, or wait for the next publication.`,
        message_zh: `版本已提供，但無法寫入 Delta 紀錄檔（${reason}）；請執行 twmd tables rebuild ${dataset.slug}，或等待下次發布。`,
      },
    ]
  }
}

/**
 * Updates the table log to the served release, or rebuilds it from the retained releases.
 *
 * @throws Refusal conflict while the dataset is being published
 */
export async function rebuildTable({ session, releases: root }: Workspace, dataset: Dataset): Promise<LogChange> {
  const { repairLog } = await import('../../../src/delta/index.ts')
  return withLock(releasePaths(root, dataset.slug).home, () => repairLog({ session, root }, dataset))
}
