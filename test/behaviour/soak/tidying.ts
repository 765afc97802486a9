import { loadCatalog } from '../../../catalog/index.ts'
import { collectReleases } from '../../../ingest/history/index.ts'
import { openWorkspace } from '../../../ingest/publish/index.ts'
import { HOUR_MS } from '../../../src/core/index.ts'
import { twmd } from '../../fixtures/cli/twmd.ts'
import { DATASET } from './market.ts'

/** Maintenance that an operator would run every night. The soak runs it every few minutes. */
export interface Tidying {
  /**
   * Runs `twmd releases compact`.
   *
   * @returns the error; null after success
   */
  compact(): Promise<string | null>
  /**
   * Deletes releases published before a time.
   * @returns their number
   */
  collect(before: Date): Promise<number>
}

const TRIES = 10

/**
 * Repeats a command. Fails only after several attempts, because a publication may have locked the
 * dataset.
 *
 * @throws Error of the command after the last attempt
 */
async function tried<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      if (attempt === TRIES) throw error
      await new Promise(resolve => setTimeout(resolve, 500))
    }
  }
}

export function createTidying(dataDir: string): Tidying {
  let rounds = 0
  return {
    compact: () =>
      tried(async () => {
        const { code, stderr } = await twmd(dataDir, 'releases', 'compact', DATASET)
        if (code !== 0) throw new Error(stderr.trim())
        return null
      }).catch((error: Error) => `releases compact: ${error.message}`),
    /**
     * Files are deleted two hours after their release is retired. Each round sets the command's
     * clock three hours further ahead, so that the next round deletes them.
     */
    async collect(before) {
      const ahead = ++rounds * 3 * HOUR_MS
      const workspace = await openWorkspace(dataDir, () => new Date(Date.now() + ahead))
      try {
        const dataset = (await loadCatalog()).get(DATASET)!
        return (await tried(() => collectReleases(workspace, dataset, { since: before, immediately: false }))).retired.length
      } finally {
        workspace.close()
      }
    },
  }
}
