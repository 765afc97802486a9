import type { FoundType, PlanId } from '../../catalog/index.ts'

export interface Titles {
  readonly en: string | null
  readonly zh: string | null
}

export interface SearchEntity {
  readonly type: FoundType
  readonly id: string
  readonly title: string
  readonly subtitle: string | null
  readonly titles: Titles
  readonly market: string | null
  /** `YYYY-MM-DD`. Null if the security is not delisted. */
  readonly delistedOn: string | null
  /** All codes, including the id. */
  readonly codes: readonly string[]
  readonly names: readonly string[]
  readonly description: string
  readonly datasets: readonly string[]
  /** URLs that return rows of the entity, preferred URLs first. */
  readonly reads: readonly { readonly plan: PlanId; readonly url: string }[]
  /** Path that needs no plan. */
  readonly url: string
  /** Name of the field in `/v2/query`. Null if there is no such field. */
  readonly queryField: string | null
}
