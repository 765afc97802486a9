import type { Catalog } from '../../catalog/index.ts'
import { type Calendar, type IsClosed, minuteOf } from '../calendar/index.ts'
import type { Clock } from '../core/index.ts'
import { type DatasetState, describedStates, type Releases } from '../releases/index.ts'

/** Input of all catalog views. Any change creates a new object. */
export interface CatalogState {
  readonly datasets: readonly DatasetState[]
  /**
   * Includes datasets that are not served. Such datasets appear only in answers about a named
   * dataset.
   */
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
 * Returns the same object until the minute, a release or the trading calendar changes. A changed
 * release frees the object and the memory of earlier releases.
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
 * Caches a view until the catalog state changes. Refers to the state weakly, because a state refers
 * to every served release.
 *
 * @param make receives the previous view, and may return the same view
 */
export function cachePerState<T>(make: (state: CatalogState, former: T | undefined) => T): (state: CatalogState) => T {
  let last: { readonly state: WeakRef<CatalogState>; readonly view: T } | undefined
  return state => {
    if (last?.state.deref() !== state) last = { state: new WeakRef(state), view: make(state, last?.view) }
    return last.view
  }
}

export const cachePerDataset = <T>(
  make: (dataset: DatasetState, state: CatalogState) => T,
): ((state: CatalogState) => ReadonlyMap<string, T>) =>
  cachePerState(state => new Map(state.described.map(dataset => [dataset.dataset.slug, make(dataset, state)])))
