import type { Dataset } from '../../../catalog/index.ts'
import { gapLabels, type Release, warningLabels } from '../../releases/index.ts'

export interface ReleaseFacts {
  readonly dataset: Dataset
  /** Null if the dataset has no release. */
  readonly release: Release | null
  /** Publication time. Null if the dataset has no release. */
  readonly lastModified: Date | null
  readonly gaps: readonly string[]
  readonly warnings: readonly string[]
}

/** Cached by release, or by dataset if there is no release. */
const cache = new WeakMap<object, ReleaseFacts>()

export function releaseFacts(dataset: Dataset, release: Release | null): ReleaseFacts {
  const cached = cache.get(release ?? dataset)
  if (cached?.dataset === dataset) return cached
  const state = { dataset, release }
  const lastModified = release && new Date(release.manifest.published_at)
  const facts = { ...state, lastModified, gaps: gapLabels(state), warnings: warningLabels(state) }
  cache.set(release ?? dataset, facts)
  return facts
}
