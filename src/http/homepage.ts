import type { FastifyInstance } from 'fastify'
import { HOMEPAGE_DATASET } from '../../catalog/homepage.ts'
import type { Catalog } from '../../catalog/load.ts'
import { openMarketIndices } from '../query/catalog/market-indices.ts'
import type { Pool } from '../query/pool.ts'
import type { Releases } from '../query/releases.ts'
import { MarketIndices } from './answers/market-indices.ts'
import type { Endpoint } from './describe/endpoint.ts'
import { queryOf } from './describe/query.ts'
import { requireService, type TokenParts } from './tokens.ts'

export interface HomepageParts extends TokenParts {
  readonly catalog: Catalog
  readonly releases: Releases
  readonly pool: Pool
}

const INDICES = {
  summary: 'Newest closes of the main, electronics and finance indices',
  summaryZh: '加權、電子與金融保險類指數最新收盤',
  description: 'For the website’s own backend. An index without data is left out.',
  group: 'service',
  caller: 'service_token',
  answer: MarketIndices,
  refusals: ['data_unavailable'],
  example: {},
} as const satisfies Endpoint

/** What the home page shows of the market. */
export function homepageRoutes(app: FastifyInstance, parts: HomepageParts): void {
  const { catalog, releases, pool } = parts
  const closes = openMarketIndices(pool)
  const dataset = catalog.get(HOMEPAGE_DATASET)
  app.get('/v2/homepage/market-indices', { config: { endpoint: INDICES } }, (request, reply) => {
    requireService(request, parts)
    queryOf(INDICES, request.query)
    reply.header('cache-control', 'no-store')
    return closes(dataset ? releases.served(dataset) : null)
  })
}
