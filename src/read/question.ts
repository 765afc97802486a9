import { LRUCache } from 'lru-cache'
import { type Dataset, type Format, pathOf } from '../../catalog/index.ts'
import type { Calendar, FreshnessState } from '../calendar/index.ts'
import type { Release } from '../releases/index.ts'
import { etagOf } from './etag.ts'
import { type ReadParams, readParams } from './params.ts'
import { nextPage, planOf, type ReadLimits, type ReadPlan } from './plan.ts'

/** The checked parameters of a read. What follows from them is made again only if it may differ. */
export interface Question {
  planFor(release: Release | null, limits: ReadLimits): ReadPlan
  /** The strong tag of a plan of this question, as `etagOf` makes it. */
  tagOf(plan: ReadPlan, freshness: FreshnessState, calendar: Calendar): string
  /** Parameters of the page after a plan's, as `nextPage` makes them. */
  nextOf(plan: ReadPlan): string
}

/** Caches checked parameters by their text, so that repeated requests are not checked again. */
export interface Questions {
  /**
   * @param accepted the format if the parameters name none: JSON when undefined; null if the caller accepts none of the formats
   * @param text all parameters as sent; equal texts must be equal parameters. When absent, nothing is cached.
   * @throws Refusal invalid_parameter, unbounded_read, format_not_supported
   */
  of(dataset: Dataset, params: ReadParams, accepted?: Format | null, text?: string): Question
}

/** An entry takes about 1.7 KB. Clients use several forms of a few thousand keys at a time. */
const MOST_QUESTIONS = 8_192
const LONGEST_TEXT = 1_024

export function createQuestions(): Questions {
  const questions = new LRUCache<string, Question>({ max: MOST_QUESTIONS })
  return {
    of(dataset, params, accepted, text) {
      if (text === undefined || text.length > LONGEST_TEXT) return questionOf(dataset, params, accepted)
      const key = `${pathOf(dataset)} ${accepted} ${text}`
      const cachedQuestion = questions.get(key)
      if (cachedQuestion) return cachedQuestion
      const question = questionOf(dataset, params, accepted)
      questions.set(key, question)
      return question
    },
  }
}

function questionOf(dataset: Dataset, params: ReadParams, accepted: Format | null | undefined): Question {
  const request = readParams(dataset, params, accepted)
  let tagged: { readonly of: Determinants; readonly tag: string } | undefined
  let paged: { readonly release: string | undefined; readonly limit: number; readonly next: string } | undefined
  return {
    planFor: (release, limits) => planOf(dataset, release, request, limits),
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

/** What the tag of a question depends on, besides the question. The release itself is not kept: a newer one may be served by the next call. */
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

const determinantsOf = ({ release, limits }: ReadPlan, freshness: FreshnessState, calendar: Calendar): Determinants => ({
  release: release?.id,
  degraded: release?.degraded,
  completeThrough: release?.completeThrough,
  repairs: release?.repairs,
  plan: limits.plan,
  rowLimit: limits.rowLimit,
  freshness,
  calendar: calendar.release,
})

const isOf = (of: Determinants, { release, limits }: ReadPlan, freshness: FreshnessState, calendar: Calendar): boolean =>
  of.release === release?.id &&
  of.degraded === release?.degraded &&
  of.completeThrough === release?.completeThrough &&
  of.repairs === release?.repairs &&
  of.plan === limits.plan &&
  of.rowLimit === limits.rowLimit &&
  of.freshness === freshness &&
  of.calendar === calendar.release
