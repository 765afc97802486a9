import type { Dataset } from '../../../catalog/index.ts'
import { continueLog, type LogChange, repairLog } from '../../../src/delta/index.ts'
import { failureReason } from '../../../src/engine/index.ts'
import { releasePaths } from '../../../src/releases/index.ts'
import type { BatchFault } from '../check/batch.ts'
import { withLock } from './lock.ts'
import type { Workspace } from './workspace.ts'

/**
 * Tells a dataset's table log what is served, once it is served: readers of the API wait for nothing here. The caller holds the lock.
 *
 * @returns why the log could not be written, which leaves the release served and the log behind it; none where it could
 */
export async function logServed({ session, releases: root }: Workspace, dataset: Dataset): Promise<readonly BatchFault[]> {
  try {
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
        message: `The release is served, but the log of the open table could not be written (${reason}); run twmd tables rebuild ${dataset.slug}, or let the next publication write it.`,
        message_zh: `版本已提供，但開放表格的紀錄無法寫入（${reason}）；請執行 twmd tables rebuild ${dataset.slug}，或待下次發布時寫入。`,
      },
    ]
  }
}

/** Brings a dataset's table log up to what is served, from the releases that are kept where need be. @throws Refusal conflict while the dataset is published */
export const rebuildTable = ({ session, releases: root }: Workspace, dataset: Dataset): Promise<LogChange> =>
  withLock(releasePaths(root, dataset.slug).home, () => repairLog({ session, root }, dataset))
