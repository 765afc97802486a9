import { type Catalog, type FoundType, keyedByTicker, meets, type PlanId, SEARCH } from '../../../catalog/index.ts'
import { type Grant, Refusal, type Words } from '../../core/index.ts'
import { type DatasetState, describedStates, type Releases } from '../../releases/index.ts'
import type { Hit, IndexInUse, Search, SearchEntity } from '../../search/index.ts'
import type { WordedCall } from '../account/callers.ts'
import { type Call, type Meta, type MeterDeps, metered, uncharged } from './metering.ts'
import { RELEASES_CHANGED } from './releases-changed.ts'

export interface SearchDeps extends MeterDeps {
  readonly search: Search
  readonly catalog: Catalog
  readonly releases: Releases
}

export interface SearchInput {
  /** Not empty. */
  readonly q: string
  readonly type: FoundType | 'all'
  readonly limit: number
  readonly offset: number
  /**
   * `SearchMeta.index` of the previous page. The call is refused if the index has changed, because
   * the order may differ.
   */
  readonly index?: string | undefined
}

export interface SearchMeta extends Meta {
  /** Null on the last page. */
  readonly next: number | null
  readonly index: string
}

export interface SearchAnswer {
  readonly meta: SearchMeta
  /** Null if only headers were requested. */
  readonly body: SearchBody | null
}

export type SearchBody = ReturnType<typeof find>

/**
 * @throws Refusal plan_required, credits_exhausted, concurrency_limited; invalid_cursor if the
 * index has changed; overloaded until the first index is built
 */
export type RunSearch = (caller: Grant, input: SearchInput, call: Call & Pick<WordedCall, 'language'>) => Promise<SearchAnswer>

export function createSearch(deps: SearchDeps): RunSearch {
  return (caller, input, call) =>
    metered(deps, caller, SEARCH, call, async meter => {
      if (call.planOnly) {
        const { tag } = await deps.search.current()
        return { meta: { rows: 0, charge: uncharged(deps.gate, caller), timings: call.time.laps, next: null, index: tag }, body: null }
      }
      await meter.begin()
      const index = await deps.search.current()
      if (input.index !== undefined && input.index !== index.tag) throw new Refusal('invalid_cursor', {}, RELEASES_CHANGED)
      const body = find(index, input, caller.plan, call, deps)
      call.time.lap('search')
      const rows = body.data_count
      const charge = await meter.settle({ rows, release: null })
      const next = input.offset + input.limit
      return { meta: { rows, charge, timings: call.time.laps, next: next < body.total ? next : null, index: index.tag }, body }
    })
}

export const OPTION_TYPES = ['symbol', 'index', 'theme', 'broker', 'branch'] as const satisfies readonly FoundType[]
export type OptionType = (typeof OPTION_TYPES)[number]

/**
 * Lists entities that a read can select, sorted by id.
 * @throws Refusal overloaded until the first index is built
 */
export function createListOptions({ search, catalog }: Pick<SearchDeps, 'search' | 'catalog'>) {
  const readByTicker = new Set(
    [...catalog.values()].filter(dataset => keyedByTicker(dataset) && dataset.filters['symbol']?.required === true).map(({ id }) => id),
  )
  return async (type: OptionType): Promise<readonly SearchEntity[]> => {
    const entities = (await search.current()).ofType(type)
    return entities.filter(({ datasets }) => (type === 'symbol' ? datasets.some(id => readByTicker.has(id)) : datasets.length > 0))
  }
}

const HINT: Words = {
  en: 'Search matches names as listed by the exchanges: Chinese names, and English short names of companies and industries. Try a code such as 2330, a Chinese name such as 台積電, or TSMC.',
  zh: '搜尋以交易所所列的名稱為準：中文名稱，公司與產業另有英文簡稱。請試以代號（如 2330）、中文名稱（如台積電）或 TSMC 查詢。',
}

function find(
  index: IndexInUse,
  { q, type, limit, offset }: SearchInput,
  plan: PlanId,
  call: Pick<WordedCall, 'language'>,
  deps: SearchDeps,
) {
  const { facets, page } = index.find(q)
  const data = page(type, offset, limit).map(hit => hitView(hit, plan))
  const warnings = sampleWarnings(data, describedStates(deps.catalog, deps.releases))
  const total = type === 'all' ? Object.values(facets).reduce((sum, count) => sum + count, 0) : facets[type]
  return {
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
}

function sampleWarnings(hits: readonly Pick<SearchEntity, 'datasets'>[], states: readonly DatasetState[]): readonly string[] {
  const synthetic = new Set(states.flatMap(({ dataset, release }) => (release?.manifest.synthetic ? [dataset.id] : [])))
  return hits.some(({ datasets }) => datasets.some(id => synthetic.has(id))) ? ['synthetic_sample_data'] : []
}

/** Returns the first read that the caller's plan includes, or a URL that needs no plan. */
const urlOf = ({ reads, url }: SearchEntity, plan: PlanId): string => reads.find(read => meets(plan, read.plan))?.url ?? url

const hitView = ({ entity, score, matchedOn }: Hit, plan: PlanId) => ({
  type: entity.type,
  id: entity.id,
  title: entity.title,
  title_en: entity.titles.en,
  title_zh: entity.titles.zh,
  subtitle: entity.subtitle,
  market: entity.market,
  delisted_on: entity.delistedOn,
  score,
  matched_on: matchedOn,
  datasets: entity.datasets,
  url: urlOf(entity, plan),
  query_field: entity.queryField,
})
