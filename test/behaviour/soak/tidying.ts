import { loadCatalog } from '../../../catalog/index.ts'
import { collectReleases } from '../../../ingest/history/index.ts'
import { openWorkspace } from '../../../ingest/publish/index.ts'
import { HOUR_MS } from '../../../src/core/index.ts'
import { twmd } from '../../fixtures/cli/twmd.ts'
import { DATASET } from './market.ts'

/** What an operator does at night, done every few minutes beside the service. */
export interface Tidying {
  /** `twmd releases compact`. @returns what went wrong, null where nothing did */
  compact(): Promise<string | null>
  /** Lets releases go that were published before a moment. @returns how many */
  collect(before: Date): Promise<number>
}

const TRIES = 10

/** @throws Error of the command in its last try: another publication may hold the dataset meanwhile */
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
    /** Files of a release go two hours after it was let go. Its clock runs three hours ahead each round: they go in the next one. */
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
