import type { Catalog } from '../../catalog/index.ts'
import { type Calendar, type IsClosed, minuteOf } from '../calendar/index.ts'
import type { Clock } from '../core/index.ts'
import { type DatasetState, describedStates, type Releases } from '../releases/index.ts'

/** Input of all public catalog views. Remains the same object until a value in it changes. */
export interface CatalogState {
  /** Served datasets, for lists. */
  readonly datasets: readonly DatasetState[]
  /** Served datasets and those that are only named in answers, for lookups by name. */
  readonly described: readonly DatasetState[]
  readonly now: Date
  readonly isClosed: IsClosed
}

export interface CatalogStateDeps {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly calendar: Calendar
  readonly clock: Clock
}

/**
 * Returns a function for the current state. It returns the same object until the minute, a served
 * release or the trading calendar changes. The state is dropped whenever releases change, so that
 * former releases can be freed.
 */
export function createCatalogState({ catalog, releases, calendar, clock }: CatalogStateDeps): () => CatalogState {
  let last: { readonly minute: number; readonly state: CatalogState } | undefined
  releases.onChange(() => {
    last = undefined
  })
  return () => {
    const now = clock()
    const described = describedStates(catalog, releases)
    const { isClosed } = calendar
    const minute = minuteOf(now)
    if (last?.minute === minute && last.state.isClosed === isClosed && isSame(described, last.state.described)) return last.state
    const datasets = described.filter(({ dataset }) => dataset.access !== undefined)
    last = { minute, state: { datasets, described, now, isClosed } }
    return last.state
  }
}

const isSame = (a: readonly DatasetState[], b: readonly DatasetState[]): boolean =>
  a.every(({ release, lost }, index) => release === b[index]!.release && lost === b[index]!.lost)

/**
 * Caches a view until the catalog state changes. The cache refers to the state weakly, because a
 * state refers to every served release.
 *
 * @param make receives the former view, and may return it again if it is still valid
 */
export function cachePerState<T>(make: (state: CatalogState, former: T | undefined) => T): (state: CatalogState) => T {
  let last: { readonly state: WeakRef<CatalogState>; readonly view: T } | undefined
  return state => {
    if (last?.state.deref() !== state) last = { state: new WeakRef(state), view: make(state, last?.view) }
    return last.view
  }
}

/** Caches one view per dataset, by slug, until the catalog state changes. */
export const cachePerDataset = <T>(
  make: (dataset: DatasetState, state: CatalogState) => T,
): ((state: CatalogState) => ReadonlyMap<string, T>) =>
  cachePerState(state => new Map(state.described.map(dataset => [dataset.dataset.slug, make(dataset, state)])))
