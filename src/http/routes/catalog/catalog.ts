import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { Gate } from '../../../access/index.ts'
import { freshnessView } from '../../../calendar/index.ts'
import {
  type CatalogStateDeps,
  cachePerDataset,
  cachePerState,
  createCatalogState,
  createStats,
  datasetNamed,
  datasetsView,
  schemaView,
} from '../../../discovery/index.ts'
import { type Endpoint, publicGet } from '../../kernel/index.ts'
import { coverageRoutes } from './coverage.ts'
import { DatasetCatalog } from './datasets-answer.ts'
import { Freshness } from './freshness-answer.ts'
import { productRoutes } from './product.ts'
import { DatasetSchema } from './schema-answer.ts'
import { CatalogStats } from './stats-answer.ts'

export interface CatalogParts extends CatalogStateDeps {
  readonly gate: Gate
}

const DatasetKey = z.object({
  dataset_key: z.string().meta({ description: 'Slug or id of a dataset.', example: 'bond-yield-curve' }),
})

const LIST = {
  summary: 'Every dataset: what it holds, what it costs, how to read it',
  summaryZh: '資料集目錄：內容、價格與讀取方式',
  group: 'catalog',
  caller: 'public',
  answer: DatasetCatalog,
  example: {},
} as const satisfies Endpoint

const FRESHNESS = {
  summary: 'Whether a dataset is up to date, and when new data is due',
  summaryZh: '資料集是否為最新，以及下次更新時間',
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
  summary: 'Rows and distinct tickers, per dataset and in total',
  summaryZh: '各資料集與全站之筆數及證券檔數',
  description: 'Counted at publication, therefore exact. The answer is made anew every ten minutes.',
  group: 'catalog',
  caller: 'public',
  answer: CatalogStats,
  example: {},
} as const satisfies Endpoint

/** What there is, how fresh and how much: for anyone, from manifests and the catalog alone, without asking the engine. */
export function catalogRoutes(app: FastifyInstance, parts: CatalogParts): void {
  const { gate, catalog, clock } = parts
  const moment = createCatalogState(parts)
  const list = cachePerState(datasetsView)
  const freshness = cachePerDataset((state, { now, isClosed }) => freshnessView(state, now, isClosed))
  const schema = new Map([...catalog].map(([slug, dataset]) => [slug, schemaView(dataset)]))
  const stats = createStats()
  publicGet(app, gate, '/v2/datasets', LIST, () => list(moment()))
  publicGet(app, gate, '/v2/datasets/:dataset_key/freshness', FRESHNESS, (_, request) =>
    freshness(moment()).get(datasetNamed(catalog, keyOf(request.params)).slug),
  )
  publicGet(app, gate, '/v2/datasets/:dataset_key/schema', SCHEMA, (_, request) =>
    schema.get(datasetNamed(catalog, keyOf(request.params)).slug),
  )
  publicGet(app, gate, '/v2/data-catalog/stats', STATS, (_, __, reply) => {
    const { view, secondsLeft } = stats(moment(), clock())
    reply.header('cache-control', `public, max-age=${secondsLeft}`)
    return view
  })
  coverageRoutes(app, parts, moment)
  productRoutes(app, parts, moment)
}

const keyOf = (params: unknown): string => (params as z.output<typeof DatasetKey>).dataset_key
