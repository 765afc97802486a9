import { cpSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Dataset, PlanId, Row } from '../catalog/index.ts'
import { type Published, publishFiles } from '../ingest/index.ts'
import { openWorkspace, type Workspace } from '../ingest/publish/index.ts'
import { readEmail } from '../src/accounts/index.ts'
import { openIntake } from '../src/cli/publish/intake.ts'
import { createLog, readConfig } from '../src/core/index.ts'
import { openService } from '../src/main.ts'

/** Wednesday evening in Taipei, when the day's reports are published. */
export const NOW = new Date('2026-07-01T12:00:00Z')

export const SECRETS = {
  KEY_PEPPER: 'pepper-for-tests',
  KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  SERVICE_TOKEN: 'service-token-for-tests-0123456789',
  ADMIN_TOKEN: 'admin-token-for-tests-0123456789',
  DIAGNOSTICS_SECRET: 'diagnostics-secret-for-tests-01234',
  DIAGNOSTICS_PROBE: 'diagnostics-probe-for-tests-012345',
  FILE_SIGNING_SECRET: 'file-signing-secret-for-tests-0123',
}

/**
 * A new data folder. `remove` deletes it, also while a program that a test stopped still writes its
 * last file.
 */
export async function dataFolder() {
  const dir = await mkdtemp(join(tmpdir(), 'twmd-'))
  return { dir, remove: () => rm(dir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }) }
}

/** A publishing workspace on a new data folder, with a fixed clock. */
export async function openTestWorkspace(dir: string, now: () => Date = () => NOW): Promise<Workspace> {
  return openWorkspace(dir, now)
}

/** Publishes rows as an NDJSON partition file, like a user would. */
export async function publishRows(
  workspace: Workspace,
  dir: string,
  dataset: Dataset,
  rows: readonly Row[],
  options: { accept?: readonly string[]; synthetic?: boolean } = {},
): Promise<Published> {
  const file = join(dir, `${dataset.slug}-${Math.random().toString(36).slice(2)}.ndjson`)
  await writeFile(file, rows.map(row => `${JSON.stringify(row)}\n`).join(''))
  return publishFiles(workspace, dataset, [file], { accept: options.accept ?? [], synthetic: options.synthetic ?? false })
}

/**
 * Publishes every dataset's example rows. Those of datasets declared in SQL are last, so that they
 * replace the rows computed from the other examples.
 */
export async function publishExampleRows(workspace: Workspace, dir: string): Promise<void> {
  const datasets = [...workspace.catalog.values()].toSorted((a, b) => Number(a.from !== undefined) - Number(b.from !== undefined))
  for (const dataset of datasets) await publishRows(workspace, dir, dataset, dataset.example)
}

export interface ServiceOptions {
  /** True to publish every dataset's example rows first. Default: true. */
  readonly examples?: boolean
  readonly now?: () => Date
  readonly queryTimeoutMs?: number
  /** The variable TRUST_PROXY. Default: unset. */
  readonly trustProxy?: string
  /** The variable CORS_ORIGINS. Default: unset. */
  readonly corsOrigins?: string
  /** The variable VISITORS. Default: off. */
  readonly visitors?: string
  /** The variable WEBHOOK_PRIVATE_HOSTS. Default: off. */
  readonly webhookPrivateHosts?: 'on' | 'off'
  /** The variable PUBLIC_URL. Default: a URL without a port, because tests inject requests. */
  readonly publicUrl?: string
  /** True to enforce the plans' rate limits. Default: false. */
  readonly limits?: boolean
  /** Clock of the rate limits in milliseconds, only with `limits`. Default: a real clock. */
  readonly monotonicNow?: () => number
  /**
   * True to cache histories of keys like a running service. If false, they are cached only after
   * `columns.refresh()`. Default: true.
   */
  readonly inMemory?: boolean
  /** Maximum bytes for cached histories. Default: more than any test needs. */
  readonly cacheBytes?: number
  /** Maximum bytes for cached responses. Default: 0, so that every read is executed. */
  readonly answerBytes?: number
  /**
   * True to refresh the search index before each search. If false, only `search.refresh()` does
   * this. Default: true.
   */
  readonly indexed?: boolean
  /** True to count responses for `tellMetrics`. Default: false. */
  readonly metrics?: boolean
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>
}

/**
 * A complete service on a new data folder: real DuckDB over real Parquet, real SQLite, a fixed
 * clock, no network.
 */
export async function service({
  examples = true,
  now = () => NOW,
  queryTimeoutMs = 5_000,
  trustProxy = '',
  corsOrigins = '',
  visitors = '',
  webhookPrivateHosts = 'off',
  publicUrl = 'http://127.0.0.1',
  limits = false,
  monotonicNow,
  inMemory = true,
  cacheBytes = 2 ** 26,
  answerBytes = 0,
  indexed = true,
  metrics = false,
  env = {},
}: ServiceOptions = {}) {
  const { dir, remove } = await dataFolder()
  const published = examples && now().getTime() === NOW.getTime()
  // Imported only when needed, because programs without vitest also import this file. The
  // synchronous copy takes a third of the time of an asynchronous one.
  if (published) cpSync(await (await import('./fixtures/publish/examples.ts')).examples(), dir, { recursive: true })
  const workspace = await openTestWorkspace(dir, now)
  if (examples && !published) await publishExampleRows(workspace, dir)
  const lines: string[] = []
  // A clock that advances a minute with each call, so that rate limits do not apply in unrelated
  // tests.
  let leaps = 0
  const config = readConfig({
    DATA_DIR: dir,
    LOG_LEVEL: 'info',
    PUBLIC_URL: publicUrl,
    DUCKDB_THREADS: '1',
    DUCKDB_MEMORY_LIMIT: '1GB',
    QUERY_TIMEOUT_MS: String(queryTimeoutMs),
    TRUST_PROXY: trustProxy,
    CORS_ORIGINS: corsOrigins,
    VISITORS: visitors,
    WEBHOOK_PRIVATE_HOSTS: webhookPrivateHosts,
    CACHE_BYTES: String(cacheBytes),
    ANSWER_BYTES: String(answerBytes),
    METRICS_PORT: metrics ? '0' : '',
    SQL: 'on',
    ...env,
  })
  const opened = await openService({
    config,
    secrets: SECRETS,
    log: createLog('info', { write: line => void lines.push(line) }),
    clock: now,
    intake: openIntake(config),
    ...(limits ? monotonicNow && { monotonicNow } : { monotonicNow: () => (leaps += 60_000) }),
  })
  const { catalog, control, gate, releases, publications, calendar, columns, answers, newest, search, pool } = opened
  if (inMemory) await columns.refresh()
  if (indexed) {
    const { current, refresh } = search
    Object.assign(search, { current: () => refresh().then(current) })
  }
  return {
    dir,
    catalog,
    workspace,
    app: opened.listener.app,
    control,
    gate,
    releases,
    publications,
    calendar,
    columns,
    answers,
    newest,
    search,
    pool,
    announcements: opened.announcements,
    plans: opened.plans,
    engine: opened.engine,
    tellMetrics: opened.tellMetrics,
    lines,
    now,
    dataset: (slug: string): Dataset => catalog.get(slug)!,
    /** Publishes rows and waits until they are served. */
    async publish(slug: string, rows: readonly Row[], options: { accept?: readonly string[]; synthetic?: boolean } = {}) {
      const published = await publishRows(workspace, dir, catalog.get(slug)!, rows, options)
      await releases.refresh()
      await publications.refresh()
      await calendar.refresh()
      if (inMemory) await columns.refresh()
      return published
    },
    keyOn(plan: PlanId, email = `${plan}@example.test`): string {
      const account = control.accounts.ensure(readEmail(email)!, now())
      control.accounts.grantPlan(account.id, plan, {}, now())
      return control.keys.issue(account.id, 'test', now()).secret
    },
    get: (url: string, key?: string, headers: Record<string, string> = {}) =>
      opened.listener.app.inject({ url, headers: { ...(key ? { 'x-api-key': key } : {}), ...headers } }),
    async close() {
      await opened.close()
      workspace.close()
      await remove()
    },
  }
}

export type TestService = Awaited<ReturnType<typeof service>>
