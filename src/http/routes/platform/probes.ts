import type { FastifyInstance } from 'fastify'
import type { Catalog } from '../../../../catalog/index.ts'
import { type DatasetState, type Releases, type ServingStatus, statesOf, statusOf } from '../../../releases/index.ts'
import type { Endpoint } from '../../kernel/index.ts'
import { Alive, Health, Ready } from './probes-answer.ts'

export interface ProbeParts {
  readonly catalog: Catalog
  readonly releases: Releases
  /** Throws when the state file does not answer. */
  readonly checkState: () => void
  /** True once the process was asked to stop. */
  readonly draining: () => boolean
}

const ALIVE = {
  summary: 'Whether the process runs',
  summaryZh: '程序是否執行中',
  group: 'service',
  caller: 'public',
  answer: Alive,
  probe: true,
  example: {},
} as const satisfies Endpoint

const READY = {
  summary: 'Whether reads can be answered; 503 with what is wrong when not',
  summaryZh: '是否可提供讀取；否則回覆 503 與原因',
  group: 'service',
  caller: 'public',
  answer: Ready,
  probe: true,
  unready: Ready,
  example: {},
} as const satisfies Endpoint

const HEALTH = {
  summary: 'The process and its readiness at a glance, always 200',
  summaryZh: '程序與就緒狀態總覽，一律回覆 200',
  description: 'For people and dashboards. A load balancer asks /readyz, which answers 503 when reads cannot be answered.',
  group: 'service',
  caller: 'public',
  answer: Health,
  probe: true,
  example: {},
} as const satisfies Endpoint

/**
 * `/healthz` says that the process runs, whatever else is wrong; `/readyz` that it can answer reads, naming what it cannot; `/health` both.
 * Nobody is counted here, and parameters are passed over: a probe must not fail for how it asks.
 */
export function probeRoutes(app: FastifyInstance, parts: ProbeParts): void {
  app.get('/healthz', { config: { endpoint: ALIVE } }, () => ({ status: 'ok' }))
  app.get('/readyz', { config: { endpoint: READY } }, (_, reply) => {
    const readiness = readinessOf(parts)
    return reply.code(readiness.status === 'ready' ? 200 : 503).send(readiness)
  })
  app.get('/health', { config: { endpoint: HEALTH } }, () => ({ process: 'ok', ...readinessOf(parts) }))
}

function readinessOf(parts: ProbeParts) {
  const states = statesOf(parts.catalog, parts.releases)
  const checks = { state: stateCheck(parts), releases: releaseCheck(states), draining: parts.draining() ? 'stopping' : 'ok' }
  const inStatus = (status: ServingStatus) => states.filter(state => statusOf(state) === status).map(({ dataset: { slug } }) => slug)
  const status = Object.values(checks).every(check => check === 'ok') ? 'ready' : 'not_ready'
  return { status, checks, degraded: inStatus('degraded'), unavailable: inStatus('unavailable') }
}

function stateCheck({ checkState }: ProbeParts): string {
  try {
    checkState()
    return 'ok'
  } catch {
    return 'the state file does not answer'
  }
}

/** Ready with any dataset to serve; a damaged one is refused by itself and does not take the others down. */
const releaseCheck = (states: readonly DatasetState[]): string =>
  states.some(({ release }) => release) ? 'ok' : 'no dataset has a release that passes its check'
