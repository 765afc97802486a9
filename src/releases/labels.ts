import type { LandedStatus } from '../../catalog/index.ts'
import type { Stand } from './stand.ts'

const SYNTHETIC = 'synthetic_sample_data'
const OLDER = 'newest_release_damaged_older_one_served'
const LOST = 'no_release_passes_its_check'

export type ServingStatus = LandedStatus | 'building' | 'degraded' | 'unavailable'

/** Derived, never typed: building until the first release, then the state the catalog declares; less while a release is damaged. */
export function statusOf({ dataset, release, lost }: Stand): ServingStatus {
  if (lost) return 'unavailable'
  if (!release) return 'building'
  return release.degraded ? 'degraded' : dataset.status
}

const marks = ({ release, lost }: Stand): readonly string[] => [
  ...(release?.degraded ? [OLDER] : []),
  ...(lost ? [LOST] : []),
  ...(release?.manifest.synthetic ? [SYNTHETIC] : []),
]

/** A market that was never loaded is waited for by no freshness, so this alone tells that it is missing. */
const absent = ({ release }: Stand): readonly string[] =>
  (release?.absentMarkets ?? []).map(market => `market_not_loaded_${market.toLowerCase()}`)

/** The dataset's known gaps and those of the release; synthetic rows say so here and in the warnings. */
export const gapLabels = (stand: Stand): readonly string[] => [
  ...stand.dataset.knownGaps,
  ...absent(stand),
  ...(stand.release?.manifest.synthetic ? [SYNTHETIC] : []),
]

/** The dataset's warnings, and what is wrong with the release that is served. */
export const warningLabels = (stand: Stand): readonly string[] => [...stand.dataset.warnings, ...absent(stand), ...marks(stand)]
