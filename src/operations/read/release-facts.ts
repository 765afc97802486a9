import type { Dataset } from '../../../catalog/index.ts'
import { gapLabels, type Release, warningLabels } from '../../releases/index.ts'

/** Facts about a release, or about a dataset without one. */
export interface ReleaseFacts {
  readonly dataset: Dataset
  /** Null if the dataset has no release. */
  readonly release: Release | null
  /** Publication time. Null without a release. */
  readonly lastModified: Date | null
  /** Labels of known gaps. */
  readonly gaps: readonly string[]
  readonly warnings: readonly string[]
}

/** Cached facts. The key is the release, or the dataset if it has no release. */
const cache = new WeakMap<object, ReleaseFacts>()

/** Returns the facts about a release from the cache. */
export function releaseFacts(dataset: Dataset, release: Release | null): ReleaseFacts {
  const cached = cache.get(release ?? dataset)
  if (cached?.dataset === dataset) return cached
  const state = { dataset, release }
  const lastModified = release && new Date(release.manifest.published_at)
  const facts = { ...state, lastModified, gaps: gapLabels(state), warnings: warningLabels(state) }
  cache.set(release ?? dataset, facts)
  return facts
}
