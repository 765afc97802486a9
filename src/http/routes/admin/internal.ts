import type { FastifyInstance } from 'fastify'
import { type Control, factsOf } from '../../../accounts/index.ts'
import { type Config, SECRET_NAMES } from '../../../core/index.ts'
import { type Endpoint, queryOf, requireDiagnostics, type TokenParts } from '../../kernel/index.ts'
import { ConfigDiagnostics, StateDiagnostics } from './schemas.ts'

export interface InternalParts extends TokenParts {
  readonly control: Control
  readonly config: Config
}

const STATE = {
  summary: 'The state file in numbers',
  summaryZh: '狀態檔診斷',
  description: 'A missing or wrong header is answered as a path that does not exist.',
  group: 'administration',
  caller: 'diagnostics_secret',
  answer: StateDiagnostics,
  refusals: ['unknown_path'],
  example: {},
} satisfies Endpoint

const CONFIG = {
  summary: 'The settings in force, without secrets',
  summaryZh: '設定診斷',
  description: 'A missing or wrong header is answered as a path that does not exist.',
  group: 'administration',
  caller: 'diagnostics_probe',
  answer: ConfigDiagnostics,
  refusals: ['unknown_path'],
  example: {},
} satisfies Endpoint

/** Facts for whoever runs the service. Without the header the paths do not exist; with it no secret is shown. */
export function internalRoutes(app: FastifyInstance, parts: InternalParts): void {
  app.get('/internal/db-diagnostics', { config: { endpoint: STATE } }, (request, reply) => {
    requireDiagnostics(request, parts, 'secret')
    queryOf(STATE, request.query)
    reply.header('cache-control', 'no-store')
    return { state: stateFacts(parts.control) }
  })
  app.get('/internal/diagnostics-config', { config: { endpoint: CONFIG } }, (request, reply) => {
    requireDiagnostics(request, parts, 'probe')
    queryOf(CONFIG, request.query)
    reply.header('cache-control', 'no-store')
    return configFacts(parts.config)
  })
}

function stateFacts({ db }: Control) {
  const { schemaVersion, accounts, activeKeys, ledgerRows, creditsUsed } = factsOf(db)
  const pragma = (name: string): unknown => db.pragma(name, { simple: true })
  return {
    schema_version: schemaVersion,
    journal_mode: pragma('journal_mode'),
    size_bytes: Number(pragma('page_count')) * Number(pragma('page_size')),
    quick_check: pragma('quick_check'),
    accounts,
    active_keys: activeKeys,
    ledger_rows: ledgerRows,
    credits_used: creditsUsed,
  }
}

/** Which settings are in force. Of secrets, only whether the environment sets them. */
function configFacts({ production, port, host, duckdb, queryTimeoutMs, logLevel, secrets }: Config) {
  return {
    production,
    port,
    host,
    duckdb_memory_limit: duckdb.memoryLimit,
    duckdb_threads: duckdb.threads,
    query_timeout_ms: queryTimeoutMs,
    log_level: logLevel,
    secrets_from_environment: Object.fromEntries(SECRET_NAMES.map(name => [name, secrets[name] !== undefined])),
  }
}
