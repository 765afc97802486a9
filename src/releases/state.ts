import { type Catalog, type Dataset, described, RELEASED_STATUSES, served } from '../../catalog/index.ts'
import { Refusal } from '../core/index.ts'
import type { Release } from './release.ts'
import type { Releases } from './releases.ts'

/** A dataset and what is served of it, at one moment. */
export interface DatasetState {
  readonly dataset: Dataset
  /** Null while it was never published, or no release passes its check. */
  readonly release: Release | null
  /** It was published, but no release passes its check. */
  readonly lost?: true
}

/** The served release; null where there is none to serve, for whatever reason. */
export const releaseOf = (dataset: Dataset, releases: Releases): Release | null => stateOf(dataset, releases).release

/** A dataset with what is served of it now. */
function stateOf(dataset: Dataset, releases: Releases): DatasetState {
  try {
    return { dataset, release: releases.served(dataset) }
  } catch (error) {
    if (error instanceof Refusal) return { dataset, release: null, lost: true }
    throw error
  }
}

/** Every dataset the service offers with its served release, in the catalog's order. */
export const statesOf = (catalog: Catalog, releases: Releases): readonly DatasetState[] =>
  served(catalog).map(dataset => stateOf(dataset, releases))

/** The same for every dataset that answers name: those on offer first, then others whose values field queries send. */
export const describedStates = (catalog: Catalog, releases: Releases): readonly DatasetState[] =>
  described(catalog).map(dataset => stateOf(dataset, releases))

const SYNTHETIC = 'synthetic_sample_data'
const OLDER = 'newest_release_damaged_older_one_served'
const LOST = 'no_release_passes_its_check'

export const SERVING_STATUSES = ['building', ...RELEASED_STATUSES, 'degraded', 'unavailable'] as const
export type ServingStatus = (typeof SERVING_STATUSES)[number]

/** Derived, never stored: building until the first release, then the status the catalog declares; less while a release is damaged. */
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

/** Freshness does not wait for a market that was never loaded, so only this label tells that it is missing. */
const absent = ({ release }: DatasetState): readonly string[] =>
  (release?.absentMarkets ?? []).map(market => `market_not_loaded_${market.toLowerCase()}`)

/** The dataset's known gaps and those of the release. Synthetic rows are named here and among the warnings. */
export const gapLabels = (state: DatasetState): readonly string[] => [
  ...Object.keys(state.dataset.knownGaps),
  ...absent(state),
  ...(state.release?.manifest.synthetic ? [SYNTHETIC] : []),
]

/** Gaps that a release has, whatever its dataset declares. */
const OF_RELEASES: Readonly<Record<string, { readonly en: string; readonly zh: string }>> = {
  market_not_loaded_twse: {
    en: 'Securities listed on TWSE are meant to be here, and none of them was ever loaded.',
    zh: '應含上市證券，但從未載入上市市場的資料。',
  },
  market_not_loaded_tpex: {
    en: 'Securities of TPEx are meant to be here, and none of them was ever loaded.',
    zh: '應含上櫃證券，但從未載入上櫃市場的資料。',
  },
  [SYNTHETIC]: {
    en: 'The rows are made up for trying the service; they are no market data.',
    zh: '資料列為試用服務而合成，並非真實的市場資料。',
  },
}

/** The same labels, each with a sentence in both languages. */
export const gapNotes = (state: DatasetState) =>
  gapLabels(state).map(label => {
    const said = state.dataset.knownGaps[label] ?? OF_RELEASES[label] ?? { en: label, zh: label }
    return { label, description: said.en, description_zh: said.zh }
  })

/** The dataset's warnings, and what is wrong with the served release. */
export const warningLabels = (state: DatasetState): readonly string[] => [...state.dataset.warnings, ...absent(state), ...problems(state)]
