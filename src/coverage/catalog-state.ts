import type { Catalog } from '../../catalog/index.ts'
import { type Calendar, type IsClosed, minuteOf } from '../calendar/index.ts'
import type { Clock } from '../core/index.ts'
import { type DatasetState, describedStates, type Releases } from '../releases/index.ts'

/** Everything the public catalog pages are made from. It stays the same object until something they depend on changes. */
export interface CatalogState {
  readonly datasets: readonly DatasetState[]
  /** Those, and the others that answers name: what is looked up by a dataset's name is found here. */
  readonly described: readonly DatasetState[]
  readonly now: Date
  readonly isClosed: IsClosed
}

/** What every view of the catalog is derived from. */
export interface CatalogStateDeps {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly calendar: Calendar
  readonly clock: Clock
}

/**
 * Returns the current state: the same object until the minute, a served release or the trading calendar changes. Once another release is
 * served, nothing here holds the former ones, asked for again or not.
 */
export function createCatalogState({ catalog, releases, calendar, clock }: CatalogStateDeps): () => CatalogState {
  let last: { readonly minute: number; readonly state: CatalogState } | undefined
  releases.onChange(() => {
    last = undefined
  })
  return () => {
    const [now, described, isClosed] = [clock(), describedStates(catalog, releases), calendar.isClosed]
    const minute = minuteOf(now)
    if (last?.minute === minute && last.state.isClosed === isClosed && same(described, last.state.described)) return last.state
    const datasets = described.filter(({ dataset }) => dataset.access !== undefined)
    last = { minute, state: { datasets, described, now, isClosed } }
    return last.state
  }
}

const same = (some: readonly DatasetState[], others: readonly DatasetState[]): boolean =>
  some.every(({ release, lost }, at) => release === others[at]!.release && lost === others[at]!.lost)

/**
 * Caches a view until the catalog state changes. The state itself, which holds every served release, is not kept by it.
 *
 * @param make receives the view it made before, so that it can return it again where it still holds
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
