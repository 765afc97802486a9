import { readFile } from 'node:fs/promises'
import type { Dataset } from '../../catalog/index.ts'
import { createWithdrawalReader, type Manifest, readCurrent, releasePaths } from '../../src/releases/index.ts'

/** Finds the releases that contain rows of a file. */
export interface PublishedFiles {
  /** Searches the served release and its ancestors. Undefined if none has rows of the file. */
  releaseOf(dataset: Dataset, sha256: string): Promise<string | undefined>
  /**
   * True if the release is served. If its publication was interrupted, derived rows may still be
   * missing.
   */
  isNewest(dataset: Dataset, release: string): Promise<boolean>
  /** True if the rows were withdrawn and are not served. */
  isWithdrawn(dataset: Dataset, release: string): Promise<boolean>
}

type Facts = Pick<Manifest, 'parent' | 'sources'>

/** Reads each manifest once. The first call is slow if the history is long. */
export function createPublishedFiles(root: string): PublishedFiles {
  const read = new Map<string, Facts | null>()
  const withdrawals = createWithdrawalReader(root, () => {})
  const factsOf = async (slug: string, release: string): Promise<Facts | null> => {
    const name = `${slug} ${release}`
    const known = read.get(name)
    if (known !== undefined) return known
    const facts = await factsIn(releasePaths(root, slug).manifest(release))
    read.set(name, facts)
    return facts
  }
  async function* lineage(slug: string): AsyncGenerator<readonly [release: string, facts: Facts]> {
    for (let release = await servedOf(root, slug); release !== null; ) {
      const facts = await factsOf(slug, release)
      if (facts === null) return
      yield [release, facts]
      release = facts.parent
    }
  }
  return {
    async releaseOf({ slug }, sha256) {
      for await (const [release, { sources }] of lineage(slug)) if (sources.some(source => source.sha256 === sha256)) return release
      return undefined
    },
    isNewest: async ({ slug }, release) => (await servedOf(root, slug)) === release,
    async isWithdrawn(dataset, release) {
      const served = await servedOf(root, dataset.slug)
      if (served === null || !(await withdrawals(dataset, served)).some(({ withdrawn }) => withdrawn.includes(release))) return false
      for await (const [id] of lineage(dataset.slug)) if (id === release) return false
      return true
    },
  }
}

/**
 * Null if nothing is served, or if the served release is unknown. The publication reports an
 * unknown release.
 */
const servedOf = (root: string, slug: string): Promise<string | null> => readCurrent(root, slug).catch(() => null)

/** Null if the manifest is missing or damaged. Sources and ancestors are then unknown. */
async function factsIn(file: string): Promise<Facts | null> {
  try {
    const { parent, sources } = JSON.parse(await readFile(file, 'utf8')) as Manifest
    return { parent, sources }
  } catch {
    return null
  }
}
