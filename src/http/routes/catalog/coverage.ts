import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Catalog } from '../../../../catalog/index.ts'
import type { Gate } from '../../../access/index.ts'
import {
  type CatalogState,
  cachePerDataset,
  cachePerState,
  coverageList,
  coverageOverview,
  coverageView,
  datasetNamed,
  symbolCoverage,
  tickerCoverage,
} from '../../../discovery/index.ts'
import { type Endpoint, publicGet, text } from '../../kernel/index.ts'
import { Coverage, CoverageList, CoverageOverview, SymbolCoverage } from './coverage-answer.ts'

const DatasetKey = z.object({ dataset: z.string().meta({ description: 'Slug or id of a dataset.', example: 'earnings' }) })
const MOST = 200

const OVERVIEW = {
  summary: 'Coverage of the whole service: totals, and a row for each dataset',
  summaryZh: '全站資料涵蓋範圍總覽',
  group: 'catalog',
  caller: 'public',
  answer: CoverageOverview,
  example: {},
} as const satisfies Endpoint

const LIST = {
  summary: 'Coverage of every dataset, or of one ticker in each',
  summaryZh: '各資料集之涵蓋範圍；可指定證券代號',
  group: 'catalog',
  caller: 'public',
  query: z.object({
    symbol: text(MOST, { doc: 'One ticker, letters in any case: whether each dataset that is by ticker covers it.', example: '2330' }),
  }),
  answer: CoverageList,
  example: { query: { symbol: '2330' } },
} as const satisfies Endpoint

const ONE = {
  summary: 'Coverage of one dataset, or of one symbol in it',
  summaryZh: '單一資料集之涵蓋範圍；可指定代號',
  description:
    'symbol is what the dataset’s own reads call so: a ticker, a tenor (10Y, or TWGB for the whole curve), a firm’s code; else its key: an index code, a branch code (case-sensitive).',
  group: 'catalog',
  caller: 'public',
  path: DatasetKey,
  query: z.object({ symbol: text(MOST, { doc: 'One symbol of the dataset.', example: '2330' }) }),
  answer: z.union([Coverage, SymbolCoverage]),
  refusals: ['unknown_dataset'],
  example: { path: { dataset: 'earnings' }, query: { symbol: '2330' } },
} as const satisfies Endpoint

/** How far the data reaches, as measured at publication. */
export function coverageRoutes(
  app: FastifyInstance,
  { gate, catalog }: { readonly gate: Gate; readonly catalog: Catalog },
  moment: () => CatalogState,
): void {
  const [overview, list, each] = [cachePerState(coverageOverview), cachePerState(coverageList), cachePerDataset(coverageView)]
  publicGet(app, gate, '/coverage', OVERVIEW, () => overview(moment()))
  publicGet(app, gate, '/v2/coverage', LIST, ({ symbol }) => (symbol === null ? list(moment()) : tickerCoverage(moment(), symbol)))
  publicGet(app, gate, '/v2/coverage/:dataset', ONE, ({ symbol }, request) => {
    const { slug } = datasetNamed(catalog, (request.params as z.output<typeof DatasetKey>).dataset)
    const now = moment()
    if (symbol === null) return each(now).get(slug)
    return symbolCoverage(now.datasets.find(({ dataset }) => dataset.slug === slug)!, symbol)
  })
}
