import type { Catalog } from '../../catalog/index.ts'
import { type Calendar, type IsClosed, minuteOf } from '../calendar/index.ts'
import type { Clock } from '../core/index.ts'
import { type DatasetState, describedStates, type Releases } from '../releases/index.ts'

/**
 * Input of all public views of the catalog. While no value changes, callers get the same object.
 */
export interface CatalogState {
  readonly datasets: readonly DatasetState[]
  /** Served datasets, and datasets that answers only mention by name. */
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
 * Returns a function that returns the current state. The object stays the same until the minute, a
 * served release or the trading calendar changes. The cached object is dropped when a release
 * changes, so that the memory of earlier releases can be freed.
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
 * Returns a function that caches a view until the catalog state changes. The cache refers to the
 * state weakly, because a state refers to every served release.
 *
 * @param make makes the view. Receives the previous view, and may return this view if it is still
 * valid.
 */
export function cachePerState<T>(make: (state: CatalogState, former: T | undefined) => T): (state: CatalogState) => T {
  let last: { readonly state: WeakRef<CatalogState>; readonly view: T } | undefined
  return state => {
    if (last?.state.deref() !== state) last = { state: new WeakRef(state), view: make(state, last?.view) }
    return last.view
  }
}

/**
 * Returns a function that caches one view per dataset until the catalog state changes. The key of a
 * view is the dataset's slug.
 */
export const cachePerDataset = <T>(
  make: (dataset: DatasetState, state: CatalogState) => T,
): ((state: CatalogState) => ReadonlyMap<string, T>) =>
  cachePerState(state => new Map(state.described.map(dataset => [dataset.dataset.slug, make(dataset, state)])))
