import type { Dataset } from '../../../catalog/index.ts'
import { gapLabels, type Release, warningLabels } from '../../releases/index.ts'

/** What is known of a release that rows came from, or of a dataset without one. */
export interface ReleaseFacts {
  readonly dataset: Dataset
  /** Null for a planned dataset without one. */
  readonly release: Release | null
  /** When the release was published; null without one. */
  readonly lastModified: Date | null
  /** What the dataset is known to lack, as labels. */
  readonly gaps: readonly string[]
  /** What a reader must not overlook, as labels. */
  readonly warnings: readonly string[]
}

/** By release, or by dataset where it has none: they are the same for every read of it. */
const facts = new WeakMap<object, ReleaseFacts>()

/** Made once a release. */
export function releaseFacts(dataset: Dataset, release: Release | null): ReleaseFacts {
  const known = facts.get(release ?? dataset)
  if (known?.dataset === dataset) return known
  const state = { dataset, release }
  const lastModified = release && new Date(release.manifest.published_at)
  const made = { ...state, lastModified, gaps: gapLabels(state), warnings: warningLabels(state) }
  facts.set(release ?? dataset, made)
  return made
}
