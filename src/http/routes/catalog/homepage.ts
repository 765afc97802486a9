import type { FastifyInstance } from 'fastify'
import { type Catalog, HOMEPAGE_DATASET } from '../../../../catalog/index.ts'
import { createMarketIndices } from '../../../discovery/index.ts'
import type { Pool } from '../../../engine/index.ts'
import type { Releases } from '../../../releases/index.ts'
import { type Endpoint, queryOf, requireService, type TokenParts } from '../../kernel/index.ts'
import { MarketIndices } from './market-indices-answer.ts'

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
  const closes = createMarketIndices(pool)
  const dataset = catalog.get(HOMEPAGE_DATASET)
  app.get('/v2/homepage/market-indices', { config: { endpoint: INDICES } }, (request, reply) => {
    requireService(request, parts)
    queryOf(INDICES, request.query)
    reply.header('cache-control', 'no-store')
    return closes(dataset ? releases.served(dataset) : null)
  })
}
