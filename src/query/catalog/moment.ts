import type { Catalog } from '../../../catalog/load.ts'
import type { Clock } from '../../core/clock.ts'
import type { Calendar, Closed } from '../calendar.ts'
import type { Releases } from '../releases.ts'
import { type Stand, standsOf } from '../stand.ts'

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

/** Data is due on whole minutes, so within one nothing turns late by itself. */
const MINUTE_MS = 60_000

/** The present moment: the same object until a minute passes, a release is taken up or the trading calendar changes. */
export function openMoments({ catalog, releases, calendar, clock }: MomentParts): () => Moment {
  let last: { readonly minute: number; readonly edition: string | null; readonly moment: Moment } | undefined
  return () => {
    const [now, stands, edition] = [clock(), standsOf(catalog, releases), calendar.edition()]
    const minute = Math.floor(now.getTime() / MINUTE_MS)
    if (last?.minute === minute && last.edition === edition && same(stands, last.moment.stands)) return last.moment
    last = { minute, edition, moment: { stands, now, closed: calendar.isClosed } }
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
