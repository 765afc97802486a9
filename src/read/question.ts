import type { Dataset, Format } from '../../catalog/index.ts'
import type { Calendar, FreshnessState } from '../calendar/index.ts'
import type { Grant } from '../core/index.ts'
import type { Release } from '../releases/index.ts'
import { etagOf } from './etag.ts'
import { type ReadParams, readParams } from './params.ts'
import { nextPage, planOf, type ReadPlan } from './plan.ts'

/** The parameters of a read, checked once for everybody who sends the same. What follows from them is made again only where it may differ. */
export interface Question {
  readonly dataset: Dataset
  /** As sent. */
  readonly params: ReadParams
  readonly format: Format
  planFor(release: Release, grant: Grant): ReadPlan
  /** The strong tag of a plan of this question, as `etagOf` makes it. */
  tagOf(plan: ReadPlan, freshness: FreshnessState, calendar: Calendar): string
  /** Parameters of the page after a plan's, as `nextPage` makes them. */
  nextOf(plan: ReadPlan): string
}

/** @throws Refusal invalid_parameter, unbounded_read, format_not_supported, as `planRead` does */
export function questionOf(dataset: Dataset, params: ReadParams, accepted: Format | null): Question {
  const request = readParams(dataset, params, accepted)
  let tagged: { readonly of: Determinants; readonly tag: string } | undefined
  let paged: { readonly release: string | undefined; readonly limit: number; readonly next: string } | undefined
  return {
    dataset,
    params,
    format: request.format,
    planFor: (release, grant) => planOf(dataset, release, request, grant),
    tagOf(plan, freshness, calendar) {
      if (tagged && isOf(tagged.of, plan, freshness, calendar)) return tagged.tag
      const tag = etagOf(plan, freshness, calendar)
      tagged = { of: determinantsOf(plan, freshness, calendar), tag }
      return tag
    },
    nextOf(plan) {
      const { release, limit } = plan
      if (paged?.release === release?.id && paged?.limit === limit) return paged.next
      paged = { release: release?.id, limit, next: nextPage(plan, params) }
      return paged.next
    },
  }
}

/** What decides on the tag of a question, beside the question. The release itself is not kept: it may be a former one by the time somebody asks again. */
interface Determinants {
  readonly release: string | undefined
  readonly degraded: boolean | undefined
  readonly completeThrough: string | undefined
  readonly repairs: number | undefined
  readonly plan: string
  readonly rowLimit: number
  readonly freshness: FreshnessState
  readonly calendar: string | null
}

const determinantsOf = ({ release, grant }: ReadPlan, freshness: FreshnessState, calendar: Calendar): Determinants => ({
  release: release?.id,
  degraded: release?.degraded,
  completeThrough: release?.completeThrough,
  repairs: release?.repairs,
  plan: grant.plan,
  rowLimit: grant.rowLimit,
  freshness,
  calendar: calendar.release,
})

const isOf = (of: Determinants, { release, grant }: ReadPlan, freshness: FreshnessState, calendar: Calendar): boolean =>
  of.release === release?.id &&
  of.degraded === release?.degraded &&
  of.completeThrough === release?.completeThrough &&
  of.repairs === release?.repairs &&
  of.plan === grant.plan &&
  of.rowLimit === grant.rowLimit &&
  of.freshness === freshness &&
  of.calendar === calendar.release
