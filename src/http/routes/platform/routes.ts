import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { type Catalog, served } from '../../../../catalog/index.ts'
import { once, Refusal, taipei } from '../../../core/index.ts'
import type { CatalogStateDeps } from '../../../coverage/index.ts'
import { type DatasetState, type Releases, type ServingStatus, statesOf, statusOf } from '../../../releases/index.ts'
import { type Endpoint, encoded, type Route, route, unready } from '../../kernel/index.ts'
import { llmsIndex, llmsWhole, type OpenApi } from '../../openapi/index.ts'
import { Alive, Health, Metadata, OpenApiDocument, Ready } from './schemas.ts'

export interface ProbeDeps {
  readonly catalog: Catalog
  readonly releases: Releases
  /** Throws if the state file cannot be read. */
  readonly checkState: () => void
  /** True after the process received a stop signal. */
  readonly draining: () => boolean
  /** Null if the service is not preparing anything. */
  readonly preparing: () => string | null
  readonly control: {
    readonly ledger: {
      /** Number of charged responses that are not in the state file yet. */
      backlogSize(): number
      /** Number of charged responses that are only in memory. */
      unstoredUses(): number
    }
  }
}

export interface PlatformDeps extends ProbeDeps, CatalogStateDeps {
  /** For example `https://data.example`. */
  readonly origin: () => string
}

const ALIVE = {
  summary: 'Liveness of the process',
  summaryZh: '程序存活檢查',
  group: 'service',
  caller: 'public',
  answer: Alive,
  probe: true,
  example: {},
} as const satisfies Endpoint

const READY = {
  summary: 'Readiness of the service for reads',
  summaryZh: '就緒檢查：可否提供讀取；無法提供時回應 503 與原因',
  group: 'service',
  caller: 'public',
  answer: Ready,
  probe: true,
  unready: Ready,
  example: {},
} as const satisfies Endpoint

const HEALTH = {
  summary: 'Liveness and readiness overview, always 200',
  summaryZh: '程序與就緒狀態總覽，一律回應 200',
  description:
    'Returns liveness and readiness with the status 200, for people and dashboards. Load balancers should use /readyz, which returns 503 if reads are unavailable.',
  group: 'service',
  caller: 'public',
  answer: Health,
  probe: true,
  example: {},
} as const satisfies Endpoint

const METADATA = {
  summary: 'Service version, start time and documentation',
  summaryZh: '服務版本與文件位置',
  group: 'service',
  caller: 'public',
  answer: Metadata,
  example: {},
} as const satisfies Endpoint

const FACT = {
  summary: 'Reserved: one figure by dataset, symbol and period',
  summaryZh: '保留路徑：單一數值查詢（尚未提供）',
  description: 'Always returns 501 `reserved_endpoint`.',
  group: 'service',
  caller: 'public',
  path: z.object({
    dataset: z.string().meta({ description: 'Slug or id of a dataset.', example: 'earnings' }),
    symbol: z.string().meta({ description: 'Symbol to read.', example: '2330' }),
    period: z.string().meta({ description: 'Fiscal period or day of the figure.', example: '2026-Q1' }),
  }),
  answer: z.never(),
  // Every request is refused before any other check.
  unparsed: true,
  refusals: ['reserved_endpoint'],
} as const satisfies Endpoint

const { name, version } = JSON.parse(readFileSync(new URL('../../../../package.json', import.meta.url), 'utf8')) as {
  readonly name: string
  readonly version: string
}

export function platformRoutes(deps: PlatformDeps): readonly Route<'public'>[] {
  const { catalog, clock, origin } = deps
  const startedAt = taipei(clock())
  return [
    // A probe must not fail because of parameters, so no parameters are checked.
    route('GET /healthz', ALIVE, () => ({ status: 'ok' as const })),
    route('GET /readyz', READY, () => {
      const readiness = readinessOf(deps)
      return readiness.status === 'ready' ? readiness : unready(readiness)
    }),
    route('GET /health', HEALTH, () => ({ process: 'ok' as const, ...readinessOf(deps) })),
    route('GET /metadata', METADATA, () => ({
      name,
      api_version: '2.0.0' as const,
      build: version,
      started_at: startedAt,
      datasets_count: served(catalog).length,
      docs_url: `${origin()}/docs`,
      openapi_url: `${origin()}/openapi.json`,
      llms_url: `${origin()}/llms.txt`,
    })),
    route('GET /fact/:dataset/:symbol/:period', FACT, () => {
      throw new Refusal('reserved_endpoint')
    }),
  ]
}

function readinessOf(deps: ProbeDeps) {
  const states = statesOf(deps.catalog, deps.releases)
  const [preparing, draining] = [deps.preparing() ?? 'ok', deps.draining() ? 'stopping' : 'ok']
  const checks = { state: stateCheck(deps), releases: releaseCheck(states), preparing, draining }
  const inStatus = (status: ServingStatus) => states.filter(state => statusOf(state) === status).map(({ dataset: { slug } }) => slug)
  const status = Object.values(checks).every(check => check === 'ok') ? ('ready' as const) : ('not_ready' as const)
  return { status, checks, degraded: inStatus('degraded'), unavailable: inStatus('unavailable'), warnings: ledgerWarnings(deps) }
}

/** Warns about charged responses that are not written yet. Reads still work. */
function ledgerWarnings({ control: { ledger } }: ProbeDeps): readonly string[] {
  const [owed, unstored] = [ledger.backlogSize(), ledger.unstoredUses()]
  if (owed === 0) return []
  const risk = unstored > 0 ? `; a stop would lose ${unstored} of them` : ''
  return [`${owed} charged answers are not in the state file yet${risk}. Free disk space, or end the process that locks the file.`]
}

function stateCheck({ checkState }: ProbeDeps): string {
  try {
    checkState()
    return 'ok'
  } catch {
    return 'the state file does not respond'
  }
}

/** `ok` if any dataset can be served. A damaged dataset does not affect other datasets. */
const releaseCheck = (states: readonly DatasetState[]): string =>
  states.some(({ release }) => release) ? 'ok' : 'no dataset has a release that passes its check'

const document = <const A extends Endpoint['answer']>(summary: string, summaryZh: string, answer: A, description?: string) =>
  ({
    summary,
    summaryZh,
    ...(description === undefined ? {} : { description }),
    group: 'service',
    caller: 'public',
    answer,
    example: {},
  }) as const satisfies Endpoint

const OPENAPI = document('OpenAPI description', 'OpenAPI 描述', OpenApiDocument)
const LLMS_INDEX = document('Index for agents', '供 AI 代理讀取的索引', 'text/plain', 'In the llmstxt.org format.')
const LLMS_WHOLE = document('Full documentation for agents', '供 AI 代理讀取的全文', 'text/plain')

/**
 * @param api function that returns the API, which must be complete when the first page is requested
 */
export function pageRoutes(deps: PlatformDeps, api: () => OpenApi): readonly Route<'public'>[] {
  const { catalog, origin } = deps
  const made = (make: (api: OpenApi) => string | Buffer) => once(() => Buffer.from(make(api())))
  const [description, index, whole] = [
    made(JSON.stringify),
    made(api => llmsIndex(api, origin())),
    made(api => llmsWhole(api, catalog, origin())),
  ]
  return [
    route('GET /openapi.json', OPENAPI, () => encoded(description())),
    route('GET /llms.txt', LLMS_INDEX, index),
    route('GET /llms-full.txt', LLMS_WHOLE, whole),
  ]
}
