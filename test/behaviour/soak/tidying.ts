import { loadCatalog } from '../../../catalog/index.ts'
import { collectReleases } from '../../../ingest/history/index.ts'
import { openWorkspace } from '../../../ingest/publish/index.ts'
import { HOUR_MS } from '../../../src/core/index.ts'
import { twmd } from '../../fixtures/cli/twmd.ts'
import { DATASET } from './market.ts'

/** Nightly maintenance of an operator, every few minutes while the service runs. */
export interface Tidying {
  /**
   * `twmd releases compact`.
   * @returns the error, null after success
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
 * @throws Error of the command after the last attempt; a publication may lock the dataset meanwhile
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
     * Files are deleted two hours after their release. Each round moves the clock three hours
     * ahead, so the next round deletes them.
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
