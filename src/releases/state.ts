import { type Catalog, type Dataset, described, RELEASED_STATUSES, served } from '../../catalog/index.ts'
import { Refusal } from '../core/index.ts'
import type { Release } from './release.ts'
import type { Releases } from './releases.ts'

export interface DatasetState {
  readonly dataset: Dataset
  /** Null if the dataset was never published, or if no release passes the check. */
  readonly release: Release | null
  /** Present if the dataset was published but no release passes the check. */
  readonly lost?: true
}

export const releaseOf = (dataset: Dataset, releases: Releases): Release | null => stateOf(dataset, releases).release

/** Never throws for damaged releases. */
export function stateOf(dataset: Dataset, releases: Releases): DatasetState {
  try {
    return { dataset, release: releases.served(dataset) }
  } catch (error) {
    if (error instanceof Refusal) return { dataset, release: null, lost: true }
    throw error
  }
}

export const statesOf = (catalog: Catalog, releases: Releases): readonly DatasetState[] =>
  served(catalog).map(dataset => stateOf(dataset, releases))

/** Returns the served datasets, then datasets that are visible only in field queries. */
export const describedStates = (catalog: Catalog, releases: Releases): readonly DatasetState[] =>
  described(catalog).map(dataset => stateOf(dataset, releases))

const SYNTHETIC = 'synthetic_sample_data'
const OLDER = 'newest_release_damaged_older_one_served'
const LOST = 'no_release_passes_its_check'

export const SERVING_STATUSES = ['building', ...RELEASED_STATUSES, 'degraded', 'unavailable'] as const
export type ServingStatus = (typeof SERVING_STATUSES)[number]

/** Damage and missing releases have priority over the catalog's status. */
export function statusOf({ dataset, release, lost }: DatasetState): ServingStatus {
  if (lost) return 'unavailable'
  if (!release) return 'building'
  return release.degraded ? 'degraded' : dataset.status
}

const problems = ({ release, lost }: DatasetState): readonly string[] => [
  ...(release?.degraded ? [OLDER] : []),
  ...(lost ? [LOST] : []),
  ...(release?.manifest.synthetic ? [SYNTHETIC] : []),
]

/** One label per market without any data. Freshness ignores these markets. */
const absent = ({ release }: DatasetState): readonly string[] =>
  (release?.absentMarkets ?? []).map(market => `market_not_loaded_${market.toLowerCase()}`)

/** Sample data is also reported in the warnings. */
export const gapLabels = (state: DatasetState): readonly string[] => [
  ...Object.keys(state.dataset.knownGaps),
  ...absent(state),
  ...(state.release?.manifest.synthetic ? [SYNTHETIC] : []),
]

const OF_RELEASES: Readonly<Record<string, { readonly en: string; readonly zh: string }>> = {
  market_not_loaded_twse: {
    en: 'The dataset should include TWSE securities, but no TWSE data has been loaded.',
    zh: '此資料集應包含上市證券，但尚未匯入上市市場的資料。',
  },
  market_not_loaded_tpex: {
    en: 'The dataset should include TPEx securities, but no TPEx data has been loaded.',
    zh: '此資料集應包含上櫃證券，但尚未匯入上櫃市場的資料。',
  },
  [SYNTHETIC]: {
    en: 'The rows are synthetic sample data, not market data.',
    zh: '資料列為合成資料，僅供試用，並非真實的市場資料。',
  },
}

export const gapNotes = (state: DatasetState) =>
  gapLabels(state).map(label => {
    const description = state.dataset.knownGaps[label] ?? OF_RELEASES[label] ?? { en: label, zh: label }
    return { label, description: description.en, description_zh: description.zh }
  })

export const warningLabels = (state: DatasetState): readonly string[] => [...state.dataset.warnings, ...absent(state), ...problems(state)]
