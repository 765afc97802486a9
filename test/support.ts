import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Dataset, loadCatalog, type PlanId, type Row } from '../catalog/index.ts'
import { type Published, publishFiles } from '../ingest/index.ts'
import { openWorkspace, type Workspace } from '../ingest/publish/index.ts'
import { createGate } from '../src/access/index.ts'
import { openControl, readEmail } from '../src/accounts/index.ts'
import { createCalendar } from '../src/calendar/index.ts'
import { openLog, readConfig } from '../src/core/index.ts'
import { createPublications } from '../src/discovery/index.ts'
import { openEngine, openPool } from '../src/engine/index.ts'
import { openNewestFacts } from '../src/fields/index.ts'
import { buildApp } from '../src/http/index.ts'
import { openReleases, type Source } from '../src/releases/index.ts'
import { openSearch } from '../src/search/index.ts'

/** Wednesday evening in Taipei: the day's reports are out. */
export const NOW = new Date('2026-07-01T12:00:00Z')

export const SECRETS = {
  KEY_PEPPER: 'pepper-for-tests',
  KEY_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  SERVICE_TOKEN: 'service-token-for-tests-0123456789',
  ADMIN_TOKEN: 'admin-token-for-tests-0123456789',
  DIAGNOSTICS_SECRET: 'diagnostics-secret-for-tests-01234',
  DIAGNOSTICS_PROBE: 'diagnostics-probe-for-tests-012345',
}

/** A data folder of its own, removed by `close`. */
export async function dataFolder() {
  const dir = await mkdtemp(join(tmpdir(), 'twmd-'))
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) }
}

/** A publishing workspace on a fresh data folder, with a clock that stands still. */
export async function openTestWorkspace(dir: string, now: () => Date = () => NOW): Promise<Workspace> {
  return openWorkspace(dir, now)
}

/** Publishes rows as a dropped NDJSON partition: the way an engineer would. */
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

export interface ServiceOptions {
  /** Publish every dataset's example rows first; true when absent. */
  readonly examples?: boolean
  readonly now?: () => Date
  readonly queryTimeoutMs?: number
  /** Hold callers to their plan's requests a minute; false when absent. */
  readonly limits?: boolean
  /** Build the search index first; true when absent. */
  readonly indexed?: boolean
}

/** A whole service on a fresh data folder: real DuckDB over real Parquet, real SQLite, a clock that stands still, no network. */
export async function service({
  examples = true,
  now = () => NOW,
  queryTimeoutMs = 5_000,
  limits = false,
  indexed = true,
}: ServiceOptions = {}) {
  const { dir, remove } = await dataFolder()
  const catalog = await loadCatalog()
  const workspace = await openTestWorkspace(dir, now)
  if (examples) for (const dataset of catalog.values()) if (!dataset.planned) await publishRows(workspace, dir, dataset, dataset.example)
  const lines: string[] = []
  const log = openLog('info', { write: line => void lines.push(line) })
  const control = openControl({ stateDb: join(dir, 'state.sqlite') }, SECRETS)
  const releases = await openReleases({ root: workspace.releases, catalog, log, everyMs: 20 })
  const duck = await openEngine({ threads: 1, memoryLimit: '1GB', sealedTo: workspace.releases })
  const pool = await openPool(duck, { connections: 2, queue: 64, waitMs: 2_000, budgetMs: queryTimeoutMs })
  // A clock that leaps a minute at every look, so that limits do not bind where they are not the subject.
  let leaps = 0
  const steady = limits ? undefined : () => (leaps += 60_000)
  const calendar = createCalendar(catalog.get('trading-calendar'), releases, pool, log)
  await calendar.refresh()
  const publications = createPublications({ root: workspace.releases, catalog, releases, log })
  await publications.refresh()
  const newest = openNewestFacts(catalog, releases, pool, log)
  const search = openSearch({ catalog, releases, pool, log })
  if (indexed) await search.refresh()
  const gate = createGate({ keys: control.keys, ledger: control.ledger, clock: now, ...(steady && { steady }) })
  const config = readConfig({ DATA_DIR: dir, LOG_LEVEL: 'info' })
  const app = buildApp({
    catalog,
    config,
    secrets: SECRETS,
    control,
    sessions: control.sessions,
    billing: null,
    origin: () => 'http://127.0.0.1',
    gate,
    releases,
    publications,
    pool,
    calendar,
    newest,
    search,
    clock: now,
    log,
    checkState: control.check,
    draining: () => false,
  })
  return {
    dir,
    catalog,
    workspace,
    app,
    control,
    releases,
    publications,
    newest,
    search,
    pool,
    duck,
    lines,
    now,
    dataset: (slug: string): Dataset => catalog.get(slug)!,
    /** Publishes rows and waits until they are served and found. */
    async publish(slug: string, rows: readonly Row[], options: { accept?: readonly string[]; synthetic?: boolean } = {}) {
      const published = await publishRows(workspace, dir, catalog.get(slug)!, rows, options)
      await releases.refresh()
      await publications.refresh()
      await calendar.refresh()
      await search.refresh()
      return published
    },
    keyOn(plan: PlanId, email = `${plan}@example.test`): string {
      const account = control.accounts.ensure(readEmail(email)!, now())
      control.accounts.grantPlan(account.id, plan, {}, now())
      return control.keys.issue(account.id, 'test', now()).secret
    },
    get: (url: string, key?: string, headers: Record<string, string> = {}) =>
      app.inject({ url, headers: { ...(key ? { 'x-api-key': key } : {}), ...headers } }),
    async close() {
      await app.close()
      await search.close()
      releases.close()
      await pool.close()
      duck.close()
      control.close()
      workspace.close()
      await remove()
    },
  }
}

export type TestService = Awaited<ReturnType<typeof service>>

/** A source entry for publications that bypass files. */
export const SOURCE: Omit<Source, 'rows'> = { name: 'test', sha256: '0'.repeat(64), bytes: 0, read_as: 'test', url: null }
