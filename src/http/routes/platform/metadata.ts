import { readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { type Catalog, served } from '../../../../catalog/index.ts'
import type { Gate } from '../../../access/index.ts'
import { type Clock, Refusal, taipei } from '../../../core/index.ts'
import { type Endpoint, publicGet } from '../../kernel/index.ts'
import { Metadata } from './probes-answer.ts'

export interface MetadataParts {
  readonly gate: Gate
  readonly catalog: Catalog
  readonly clock: Clock
  /** Origin the service is reached at, for example `https://data.example`. */
  readonly origin: () => string
}

const METADATA = {
  summary: 'What runs here, since when, and where it is described',
  summaryZh: '服務版本與文件位置',
  group: 'service',
  caller: 'public',
  answer: Metadata,
  example: {},
} as const satisfies Endpoint

const FACT = {
  summary: 'Reserved: one figure by dataset, symbol and period',
  summaryZh: '保留路徑：單一數值查詢（尚未提供）',
  description: 'Always refused with 501 reserved_endpoint.',
  group: 'service',
  caller: 'public',
  path: z.object({
    dataset: z.string().meta({ description: 'Slug or id of a dataset.', example: 'earnings' }),
    symbol: z.string().meta({ description: 'Symbol in it.', example: '2330' }),
    period: z.string().meta({ description: 'Fiscal period or day.', example: '2026-Q1' }),
  }),
  answer: z.never(),
  refusals: ['reserved_endpoint'],
} as const satisfies Endpoint

const { name, version } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
  readonly name: string
  readonly version: string
}

/** What the service is, and the path it keeps free. */
export function metadataRoutes(app: FastifyInstance, { gate, catalog, clock, origin }: MetadataParts): void {
  const startedAt = taipei(clock())
  publicGet(app, gate, '/metadata', METADATA, () => ({
    name,
    api_version: '2.0.0',
    build: version,
    started_at: startedAt,
    datasets_count: served(catalog).length,
    docs_url: `${origin()}/docs`,
    openapi_url: `${origin()}/openapi.json`,
    llms_url: `${origin()}/llms.txt`,
  }))
  app.get('/fact/:dataset/:symbol/:period', { config: { endpoint: FACT } }, request => {
    gate.limitAddress(request.ip, 'public')
    throw new Refusal('reserved_endpoint')
  })
}
