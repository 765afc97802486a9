import type { Catalog } from '../../catalog/index.ts'
import { type Calendar, type Closed, minuteOf } from '../calendar/index.ts'
import type { Clock } from '../core/index.ts'
import { type Releases, type Stand, standsOf } from '../releases/index.ts'

/** Everything the public views are made of: one value while nothing changes that they depend on. */
export interface Moment {
  readonly stands: readonly Stand[]
  readonly now: Date
  readonly closed: Closed
}

export interface MomentParts {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly calendar: Calendar
  readonly clock: Clock
}

/** The present moment: the same object until a minute passes, a release is taken up or the trading calendar changes. */
export function openMoments({ catalog, releases, calendar, clock }: MomentParts): () => Moment {
  let last: { readonly minute: number; readonly moment: Moment } | undefined
  return () => {
    const [now, stands, closed] = [clock(), standsOf(catalog, releases), calendar.isClosed]
    const minute = minuteOf(now)
    if (last?.minute === minute && last.moment.closed === closed && same(stands, last.moment.stands)) return last.moment
    last = { minute, moment: { stands, now, closed } }
    return last.moment
  }
}

const same = (some: readonly Stand[], others: readonly Stand[]): boolean =>
  some.every(({ release, lost }, at) => release === others[at]!.release && lost === others[at]!.lost)

/** A view that is made once a moment. @param make is given what it made before, to keep what is still true of it */
export function kept<T>(make: (moment: Moment, former: T | undefined) => T): (moment: Moment) => T {
  let last: { readonly moment: Moment; readonly view: T } | undefined
  return moment => {
    if (last?.moment !== moment) last = { moment, view: make(moment, last?.view) }
    return last.view
  }
}

/** One view of each dataset, by slug. */
export const keptEach = <T>(make: (stand: Stand, moment: Moment) => T): ((moment: Moment) => ReadonlyMap<string, T>) =>
  kept(moment => new Map(moment.stands.map(stand => [stand.dataset.slug, make(stand, moment)])))
