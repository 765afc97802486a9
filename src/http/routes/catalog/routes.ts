import { z } from 'zod'
import { HOMEPAGE_DATASET } from '../../../../catalog/index.ts'
import { freshnessView } from '../../../calendar/index.ts'
import type { Words } from '../../../core/index.ts'
import {
  type CatalogState,
  type CatalogStateDeps,
  cachePerDataset,
  cachePerState,
  coverageList,
  coverageOverview,
  coverageView,
  createCatalogState,
  createDays,
  createMarketIndices,
  createParents,
  createStats,
  datasetNamed,
  datasetsView,
  daysView,
  productView,
  schemaView,
  symbolCoverage,
  tickerCoverage,
  tiersView,
} from '../../../coverage/index.ts'
import type { Pool } from '../../../engine/index.ts'
import { answered, type Endpoint, MINOR_UNITS, type Route, route, sharedView, text } from '../../kernel/index.ts'
import { DatasetSchema } from './dataset-schema.ts'
import {
  CatalogStats,
  Coverage,
  CoverageList,
  CoverageOverview,
  CoveredDays,
  DatasetCatalog,
  Freshness,
  MarketIndices,
  ProductList,
  SymbolCoverage,
  TierList,
} from './schemas.ts'

export interface CatalogDeps extends CatalogStateDeps {
  readonly pool: Pool
}

const DatasetKey = z.object({
  dataset_key: z.string().meta({ description: 'Slug or id of a dataset.', example: 'bond-yield-curve' }),
})

const LIST = {
  summary: 'All datasets: content, price and access',
  summaryZh: '資料集目錄：內容、價格與讀取方式',
  group: 'catalog',
  caller: 'public',
  answer: DatasetCatalog,
  example: {},
} as const satisfies Endpoint

const FRESHNESS = {
  summary: 'Freshness of a dataset, and due time of its next data',
  summaryZh: '資料集的更新時效與下次更新時間',
  group: 'catalog',
  caller: 'public',
  path: DatasetKey,
  answer: Freshness,
  refusals: ['unknown_dataset'],
  example: { path: { dataset_key: 'bond-yield-curve' } },
} as const satisfies Endpoint

const SCHEMA = {
  summary: 'Columns of a dataset: type, unit, meaning and label',
  summaryZh: '資料集欄位：型別、單位、說明與中文標籤',
  group: 'catalog',
  caller: 'public',
  path: DatasetKey,
  answer: DatasetSchema,
  refusals: ['unknown_dataset'],
  example: { path: { dataset_key: 'earnings' } },
} as const satisfies Endpoint

const STATS = {
  summary: 'Rows and distinct tickers, by dataset and in total',
  summaryZh: '各資料集與全站的筆數及證券檔數',
  description: 'Returns exact counts, made at publication. The response is updated every ten minutes.',
  group: 'catalog',
  caller: 'public',
  answer: CatalogStats,
  example: {},
} as const satisfies Endpoint

const CoveredKey = z.object({ dataset: z.string().meta({ description: 'Slug or id of a dataset.', example: 'earnings' }) })
/** In characters. */
const MOST_CHARACTERS = 200

const COVERAGE_OVERVIEW = {
  summary: 'Coverage of the service: totals, and one row per dataset',
  summaryZh: '全站資料涵蓋範圍總覽',
  group: 'catalog',
  caller: 'public',
  answer: CoverageOverview,
  example: {},
} as const satisfies Endpoint

const COVERAGE_LIST = {
  summary: 'Coverage of all datasets, for all tickers or for one ticker',
  summaryZh: '各資料集的涵蓋範圍；可指定證券代號',
  group: 'catalog',
  caller: 'public',
  query: z.object({
    symbol: text(MOST_CHARACTERS, {
      doc: 'Ticker, in upper or lower case. For each dataset whose key is a ticker, the response states whether the dataset has rows of this ticker.',
      example: '2330',
    }),
  }),
  answer: CoverageList,
  example: { query: { symbol: '2330' } },
} as const satisfies Endpoint

const COVERAGE = {
  summary: 'Coverage of one dataset, for all symbols or for one symbol',
  summaryZh: '單一資料集的涵蓋範圍；可指定代號',
  description:
    'Returns the coverage of one dataset, or of one symbol in the dataset. `symbol` has the same values as in reads of the dataset: a ticker, a tenor (`10Y`, or `TWGB` for the full curve) or the code of a firm. For datasets without the parameter `symbol`, send an index code, a branch code (case-sensitive) or the code of a parent firm.',
  group: 'catalog',
  caller: 'public',
  path: CoveredKey,
  query: z.object({
    symbol: text(MOST_CHARACTERS, { doc: 'Symbol whose coverage to return. Default: coverage of the whole dataset.', example: '2330' }),
  }),
  answer: z.union([Coverage, SymbolCoverage]),
  refusals: ['unknown_dataset', 'overloaded', 'query_timeout', 'integrity', 'data_unavailable'],
  example: { path: { dataset: 'earnings' }, query: { symbol: '2330' } },
} as const satisfies Endpoint

const COVERED_DAYS = {
  summary: 'Days of a dataset with rows, and missing trading days',
  summaryZh: '資料集逐日筆數，以及缺少的交易日',
  description:
    'Lists the days of a dataset with their number of rows, in ascending order. For datasets with rows on every trading day, the list includes trading days without rows between the first and the last day. For datasets of events, a day without rows can be a day without events.',
  group: 'catalog',
  caller: 'public',
  path: CoveredKey,
  answer: CoveredDays,
  refusals: ['unknown_dataset', 'overloaded', 'query_timeout', 'integrity', 'data_unavailable'],
  example: { path: { dataset: 'bond-yield-curve' } },
} as const satisfies Endpoint

const TIERS = {
  summary: 'Plans: price, credits and limits',
  summaryZh: '方案：價格、點數與限制',
  description: `Lists the plans with their monthly prices before tax, in ${MINOR_UNITS}.`,
  group: 'catalog',
  caller: 'public',
  answer: TierList,
  example: {},
} as const satisfies Endpoint

const PRODUCTS = {
  summary: 'Price and availability of each dataset',
  summaryZh: '各資料集的價格與提供狀態',
  group: 'catalog',
  caller: 'public',
  answer: ProductList,
  example: {},
} as const satisfies Endpoint

const INDICES = {
  summary: 'Latest closes of the main, electronics and finance indices',
  summaryZh: '加權、電子與金融保險類指數最新收盤',
  description: 'Returns the latest closes for the backend of the website. Omits indices without data.',
  group: 'service',
  caller: 'service_token',
  answer: MarketIndices,
  refusals: ['data_unavailable'],
  example: {},
} as const satisfies Endpoint

/** Most data comes from manifests and the catalog. The engine is queried once per release. */
export function catalogRoutes(deps: CatalogDeps): readonly Route<'public' | 'service_token'>[] {
  const { catalog, clock } = deps
  const state = createCatalogState(deps)
  const list = cachePerState((state, former: ReturnType<typeof datasetsView> | undefined) => sharedView(datasetsView(state, former)))
  const freshnessIn = (language: keyof Words) =>
    cachePerDataset((dataset, { now, isClosed }) => freshnessView(dataset, now, isClosed, language))
  const freshness = { en: freshnessIn('en'), zh: freshnessIn('zh') }
  const schemas = new Map([...catalog].map(([slug, dataset]) => [slug, schemaView(dataset)]))
  const stats = createStats()
  const products = cachePerState(productView)
  return [
    route('GET /v2/datasets', LIST, () => list(state())),
    route(
      'GET /v2/datasets/:dataset_key/freshness',
      FRESHNESS,
      ({ params, language }) => freshness[language](state()).get(datasetNamed(catalog, params.dataset_key).slug)!,
    ),
    route('GET /v2/datasets/:dataset_key/schema', SCHEMA, ({ params }) => schemas.get(datasetNamed(catalog, params.dataset_key).slug)!),
    route('GET /v2/data-catalog/stats', STATS, () => {
      const { view, secondsLeft } = stats(state(), clock())
      return answered(view, { headers: { 'cache-control': `public, max-age=${secondsLeft}` } })
    }),
    ...coverageRoutes(deps, state),
    route('GET /v2/product/tiers', TIERS, tiersView),
    route('GET /v2/product/catalog', PRODUCTS, () => products(state())),
    indicesRoute(deps),
  ]
}

function coverageRoutes({ catalog, releases, pool }: CatalogDeps, state: () => CatalogState): readonly Route<'public'>[] {
  const [parents, days] = [createParents(releases, pool), createDays(releases, pool)]
  const [overview, list, each] = [cachePerState(coverageOverview), cachePerState(coverageList), cachePerDataset(coverageView)]
  return [
    route('GET /coverage', COVERAGE_OVERVIEW, () => overview(state())),
    route('GET /v2/coverage', COVERAGE_LIST, ({ query: { symbol } }) =>
      symbol === null ? list(state()) : tickerCoverage(state(), symbol),
    ),
    route('GET /v2/coverage/:dataset', COVERAGE, ({ params, query: { symbol } }) => {
      const { slug } = datasetNamed(catalog, params.dataset)
      const now = state()
      if (symbol === null) return each(now).get(slug)!
      return symbolCoverage(now.described.find(({ dataset }) => dataset.slug === slug)!, symbol, parents)
    }),
    route('GET /v2/coverage/:dataset/days', COVERED_DAYS, ({ params }) => {
      const { slug } = datasetNamed(catalog, params.dataset)
      const { described, isClosed } = state()
      return daysView(described.find(({ dataset }) => dataset.slug === slug)!, isClosed, days)
    }),
  ]
}

function indicesRoute({ catalog, releases, pool }: CatalogDeps): Route<'service_token'> {
  return route('GET /v2/homepage/market-indices', INDICES, createMarketIndices(catalog.get(HOMEPAGE_DATASET), releases, pool))
}
