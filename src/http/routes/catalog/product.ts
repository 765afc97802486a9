import type { FastifyInstance } from 'fastify'
import type { Gate } from '../../../access/index.ts'
import { type CatalogState, cachePerState, productView, tiersView } from '../../../discovery/index.ts'
import { type Endpoint, publicGet } from '../../kernel/index.ts'
import { ProductList, TierList } from './product-answer.ts'

const TIERS = {
  summary: 'The plans: price, credits and limits',
  summaryZh: '方案：價格、點數與限制',
  group: 'catalog',
  caller: 'public',
  answer: TierList,
  example: {},
} as const satisfies Endpoint

const PRODUCTS = {
  summary: 'What each dataset costs, and whether it is served',
  summaryZh: '各資料集之價格與供應狀態',
  group: 'catalog',
  caller: 'public',
  answer: ProductList,
  example: {},
} as const satisfies Endpoint

/** What is sold. */
export function productRoutes(app: FastifyInstance, { gate }: { readonly gate: Gate }, moment: () => CatalogState): void {
  const [tiers, products] = [tiersView(), cachePerState(productView)]
  publicGet(app, gate, '/v2/product/tiers', TIERS, () => tiers)
  publicGet(app, gate, '/v2/product/catalog', PRODUCTS, () => products(moment()))
}
