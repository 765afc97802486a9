import type { FastifyInstance } from 'fastify'
import type { Gate } from '../../../access/index.ts'
import { type CatalogStateDeps, cachePerState, createCatalogState, datasetsView } from '../../../discovery/index.ts'
import { type Endpoint, publicGet } from '../../kernel/index.ts'
import { homePage } from './pages/home.ts'
import { guardPage } from './pages/layout.ts'

const HOME = {
  summary: 'First page, for a browser',
  summaryZh: '首頁',
  description: 'What this is, and every dataset with its state, freshness and coverage.',
  group: 'service',
  caller: 'public',
  answer: 'text/html',
  example: {},
} as const satisfies Endpoint

/** The first page. It is made once a moment, like the catalog it shows. */
export function homeRoutes(app: FastifyInstance, parts: CatalogStateDeps & { readonly gate: Gate }): void {
  const moment = createCatalogState(parts)
  const list = cachePerState(datasetsView)
  const page = cachePerState(now => homePage(list(now).data))
  publicGet(app, parts.gate, '/', HOME, (_, __, reply) => {
    guardPage(reply)
    return page(moment())
  })
}
