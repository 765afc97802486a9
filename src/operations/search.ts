import { type Catalog, type FoundType, meets, type PlanId, SEARCH } from '../../catalog/index.ts'
import type { Grant, Words } from '../core/index.ts'
import { type DatasetState, describedStates, type Releases } from '../releases/index.ts'
import type { Hit, Search, SearchEntity } from '../search/index.ts'
import type { WordedCall } from './callers.ts'
import { type Call, type Meta, type MeterDeps, metered, uncharged } from './metering.ts'

/** What a search depends on. */
export interface SearchDeps extends MeterDeps {
  readonly search: Search
  readonly catalog: Catalog
  readonly releases: Releases
}

export interface SearchInput {
  /** Not blank. */
  readonly q: string
  readonly type: FoundType | 'all'
  readonly limit: number
  readonly offset: number
}

export interface SearchMeta extends Meta {
  /** Hits to leave out for the next page; null on the last one. */
  readonly next: number | null
}

export interface SearchAnswer {
  readonly meta: SearchMeta
  /** Null when the caller wants headers only. */
  readonly body: SearchBody | null
}

export type SearchBody = Awaited<ReturnType<typeof find>>['body']

/**
 * Finds symbols, datasets, fields, themes, indices, brokers and branches.
 *
 * @throws Refusal plan_required, credits_exhausted, concurrency_limited; overloaded, which costs nothing, until the first index is built
 */
export type RunSearch = (caller: Grant, input: SearchInput, call: Call & Pick<WordedCall, 'language'>) => Promise<SearchAnswer>

export function createSearch(deps: SearchDeps): RunSearch {
  return (caller, input, call) =>
    metered(deps, caller, SEARCH, call, async charged => {
      if (call.headersOnly) {
        await deps.search.current()
        return { meta: { rows: 0, charge: uncharged(deps.gate, caller), timings: call.time.laps, next: null }, body: null }
      }
      const { body, rows, charge } = await charged(async () => {
        const found = await find(input, caller.plan, call, deps)
        call.time.lap('search')
        return found
      })
      const next = input.offset + input.limit
      return { meta: { rows, charge, timings: call.time.laps, next: next < body.total ? next : null }, body }
    })
}

const HINT: Words = {
  en: 'Names are found as the exchanges list them: in Chinese, and companies and industries by their English short names, too. Try a code such as 2330, a Chinese name such as 台積電, or TSMC.',
  zh: '名稱以交易所所列者為準：中文名稱，公司與產業另有英文簡稱。請試以代號（如 2330）、中文名稱（如台積電）或 TSMC 查詢。',
}

async function find({ q, type, limit, offset }: SearchInput, plan: PlanId, call: Pick<WordedCall, 'language'>, deps: SearchDeps) {
  const index = await deps.search.current()
  const { facets, page } = index.find(q)
  const data = page(type, offset, limit).map(hit => hitView(hit, plan))
  const warnings = sampled(data, describedStates(deps.catalog, deps.releases))
  const total = type === 'all' ? Object.values(facets).reduce((sum, count) => sum + count, 0) : facets[type]
  const body = {
    q,
    type,
    limit,
    offset,
    total,
    data_count: data.length,
    data,
    facets,
    warnings,
    ...(total === 0 && { hint: HINT[call.language] }),
  }
  return { body, rows: data.length, release: null }
}

/** What a reader must not overlook: that hits are of datasets with sample rows. */
function sampled(hits: readonly Pick<SearchEntity, 'datasets'>[], states: readonly DatasetState[]): readonly string[] {
  const synthetic = new Set(states.flatMap(({ dataset, release }) => (release?.manifest.synthetic ? [dataset.id] : [])))
  return hits.some(({ datasets }) => datasets.some(id => synthetic.has(id))) ? ['synthetic_sample_data'] : []
}

/** A read that the caller's plan includes, the first there is; where it includes none, what answers anyone. */
const urlOf = ({ reads, url }: SearchEntity, plan: PlanId): string => reads.find(read => meets(plan, read.plan))?.url ?? url

const hitView = ({ entity, score, matchedOn }: Hit, plan: PlanId) => ({
  type: entity.type,
  id: entity.id,
  title: entity.title,
  subtitle: entity.subtitle,
  market: entity.market,
  score,
  matched_on: matchedOn,
  datasets: entity.datasets,
  url: urlOf(entity, plan),
  query_field: entity.queryField,
})
