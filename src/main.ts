import { mkdirSync } from 'node:fs'
import { basename } from 'node:path'
import { loadCatalog, setPlans } from '../catalog/index.ts'
import { openBilling } from './billing/index.ts'
import { openControl, recordPlans } from './control/index.ts'
import {
  type Clock,
  type Config,
  coalesceNext,
  followPlans,
  keepNextTickFast,
  type Log,
  readPlans,
  registerConfiguredSecrets,
  type Secrets,
  type WorkerState,
} from './core/index.ts'
import type { OverAnswer } from './http/kernel/index.ts'
import { openMailer, openTransport } from './mail/index.ts'
import type { Intake } from './operations/index.ts'
import { isReplica, openReleases, type Releases, statesOf } from './releases/index.ts'
import { claimState, formerStatePath } from './state/index.ts'
import type { Traces } from './traces/index.ts'
import type { LedgerAlert } from './usage/index.ts'
import { openDispatcher } from './webhooks/index.ts'

export interface ServiceDeps {
  readonly config: Config
  readonly secrets: Secrets
  readonly log: Log
  readonly clock?: Clock
  /** Time for rate limits, in ms. Default: the monotonic clock. */
  readonly monotonicNow?: () => number
  /** Progress of preparations. Null if nothing is being prepared. */
  readonly preparing?: () => string | null
  readonly workers?: () => readonly WorkerState[]
  /** Files that can be imported. Default: the service imports no files. */
  readonly intake?: Intake
}

/** May exceed the number of cores, because reads also wait for the disk. */
const CONNECTIONS = 4
const QUEUE_WAIT_MS = 2_000

/** Loads modules while other threads hash files, so that the service starts faster. */
async function loadModules() {
  const { openEngine, openPool } = await import('./engine/index.ts')
  const { createCalendar } = await import('./calendar/index.ts')
  const { openColumns } = await import('./row-cache/index.ts')
  const { createAnswers } = await import('./read/index.ts')
  const { openNewestFacts } = await import('./field-query/index.ts')
  const { createSqlEngine, createSqlWorkers } = await import('./sql/index.ts')
  const { openSearch } = await import('./search/index.ts')
  const { createPublications } = await import('./coverage/index.ts')
  const { createTableVersions } = await import('./delta/index.ts')
  const { createGate } = await import('./access/index.ts')
  const { codedSoFar, openListener } = await import('./http/kernel/index.ts')
  const { createAnnouncements, createSlowReads, NO_INTAKE } = await import('./operations/index.ts')
  const { createApp } = await import('./http/index.ts')
  return {
    openEngine,
    openPool,
    createCalendar,
    openColumns,
    createAnswers,
    openNewestFacts,
    createSqlEngine,
    createSqlWorkers,
    openSearch,
    codedSoFar,
    createPublications,
    createTableVersions,
    createGate,
    openListener,
    createAnnouncements,
    createSlowReads,
    NO_INTAKE,
    createApp,
  }
}

/**
 * Opens all components of a service. The caller opens the port, sends mails and refreshes caches.
 * Components open in the order of their dependencies, and `close` closes them in reverse order.
 *
 * @throws Error with a one-sentence message if a file cannot be opened. In that case, nothing stays
 * open
 */
export async function openService({
  config,
  secrets,
  log,
  clock = () => new Date(),
  monotonicNow,
  preparing = () => null,
  workers = () => [],
  intake,
}: ServiceDeps) {
  mkdirSync(config.releasesDir, { recursive: true })
  const catalog = await loadCatalog()
  const opened = new AsyncDisposableStack()
  try {
    opened.defer(registerConfiguredSecrets(config, secrets))
    const plans = followPlans(config.dataDir, log)
    const metrics = config.metricsPort === undefined ? undefined : (await import('./metrics/index.ts')).openMetrics()
    const counts = metrics?.counts
    opened.defer(() => metrics?.close())
    const traces = config.traces && (await import('./traces/index.ts')).openTraces({ settings: config.traces, log })
    opened.defer(() => traces?.close())
    const alert: LedgerAlert = (error, backlog, lost) =>
      log('failed', { during: 'writing the ledger', error: String(error), owed: backlog, ...(lost !== undefined && { lost }) })
    const control = openControl(config, secrets, alert, counts?.commit, counts?.webhook, (from, to) =>
      log('migrated', { from, to, copy: formerStatePath(basename(config.stateDb), from) }),
    )
    let lostUses = 0
    opened.defer(() => {
      lostUses += control.close()
    })
    opened.defer(control.checkpoints.close)
    control.ledger.bookSpilled()
    const recordChanges = (): void => {
      try {
        recordPlans(control.audit, clock())
      } catch (error) {
        log('failed', { during: 'recording the plans', error: String(error) })
      }
    }
    recordChanges()
    opened.defer(plans.onChange(recordChanges))
    const { promise: othersWork, resolve: verifying } = Promise.withResolvers<void>()
    const opening = openReleases({ root: config.releasesDir, catalog, log, onThreadsBusy: verifying })
    opened.defer(() => opening.then(({ close }) => close()).catch(() => {}))
    await Promise.race([othersWork, opening])
    const modules = await loadModules()
    const engine = await modules.openEngine({ ...config.duckdb, readableFolder: config.releasesDir })
    opened.defer(engine.close)
    const pool = await modules.openPool(engine, {
      connections: CONNECTIONS,
      waitMs: QUEUE_WAIT_MS,
      budgetMs: config.queryTimeoutMs,
      ...(counts && { measured: counts.engineRead }),
    })
    const releases = await opening
    const calendar = modules.createCalendar(catalog.get('trading-calendar'), releases, pool, log)
    const publications = modules.createPublications({ root: config.releasesDir, catalog, releases, log })
    const columns = modules.openColumns({ catalog, releases, pool, log, mostBytes: config.cacheBytes })
    const answers = modules.createAnswers(config.answerBytes)
    const newest = modules.openNewestFacts({ catalog, releases, pool, columns, log })
    const search = modules.openSearch({ catalog, releases, pool, log })
    // The caches read through the pool, so the caches are closed before the pool.
    opened.defer(async () => void (await Promise.all([columns.close(), newest.close(), search.close(), pool.close()])))
    const sqlWorkers = modules.createSqlWorkers({ runners: config.sql.workers, memoryMb: config.sql.memoryMb, log })
    opened.defer(sqlWorkers.close)
    const sql = config.sql.isOn ? modules.createSqlEngine(catalog, sqlWorkers, config.releasesDir) : null
    const isReplicaFolder = (): boolean => isReplica(config.releasesDir)
    const gate = modules.createGate({
      keys: control.keys,
      ledger: control.ledger,
      creditEntries: control.creditEntries,
      clock,
      fileSecrets: secrets.FILE_SIGNING_SECRET.split(','),
      visitors: config.visitors,
      isReplica: isReplicaFolder,
      ...(monotonicNow && { monotonicNow }),
    })
    const billing = await openBilling(config, control, clock, log)
    opened.defer(() => billing?.close())
    const announcements = modules.createAnnouncements({ catalog, releases, publications, calendar, control, config, clock, log })
    const tableVersions = modules.createTableVersions(config.releasesDir)
    const sources = { catalog, releases, publications, pool, columns, answers, calendar, newest, search, tableVersions, sql }
    const { sessions, check: checkState } = control
    const looked = { workers, intake: intake ?? modules.NO_INTAKE, control, clock }
    const slowReads = modules.createSlowReads(clock, counts?.read)
    const shared = {
      ...sources,
      ...looked,
      isReplica: isReplicaFolder,
      config,
      secrets,
      sessions,
      checkState,
      billing,
      gate,
      log,
      preparing,
      slowReads,
    }
    const listener = modules.openListener(
      config,
      log,
      ({ address, isDraining }) =>
        modules.createApp({
          ...shared,
          origin: () => new URL(config.publicUrl ?? address()).origin,
          draining: isDraining,
          refused: counts?.refusal,
          unread: counts?.malformedRequest,
          traffic: () => control.traffic.days(clock()),
        }),
      {
        over: overFor(counts?.request, traces),
        ended: (route, status) => {
          if (route.startsWith('/v2/')) control.traffic.count(status, clock())
        },
      },
    )
    opened.defer(listener.close)
    await calendar.refresh()
    await publications.refresh()
    let closing: Promise<void> | undefined
    return {
      ...sources,
      control,
      plans,
      engine,
      gate,
      billing,
      announcements,
      listener,
      /** @returns the address of the metrics. Null if no port is configured */
      tellMetrics: async (): Promise<string | null> =>
        (await metrics?.listen(config.metricsPort!, { ...sources, ...looked, coded: modules.codedSoFar, running: listener.running })) ??
        null,
      close: (): Promise<void> => (closing ??= opened.disposeAsync()),
      lostUses: () => lostUses,
    }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

function overFor(count: ((answer: OverAnswer) => void) | undefined, traces: Traces | null): ((answer: OverAnswer) => void) | undefined {
  if (!traces) return count
  return answer => {
    count?.(answer)
    traces.request(answer, answer.request.headers['traceparent'])
  }
}

export interface DataFolderDeps {
  readonly config: Config
  readonly log: Log
  readonly clock?: Clock
}

/**
 * Opens a data folder for a local command, while a service may use the folder. Opens no accounts,
 * limits, usage ledger or port.
 *
 * @throws Error with a one-sentence message if a file cannot be opened. In that case, nothing stays
 * open
 */
export async function openDataFolder({ config, log, clock = () => new Date() }: DataFolderDeps) {
  const catalog = await loadCatalog()
  setPlans(readPlans(config.dataDir))
  const opened = new AsyncDisposableStack()
  try {
    const releases = await openReleases({ root: config.releasesDir, catalog, log })
    opened.defer(releases.close)
    const modules = await loadModules()
    const { createLocalReader } = await import('./access/index.ts')
    const engine = await modules.openEngine({ ...config.duckdb, readableFolder: config.releasesDir })
    opened.defer(engine.close)
    const pool = await modules.openPool(engine, { connections: CONNECTIONS, waitMs: QUEUE_WAIT_MS, budgetMs: config.queryTimeoutMs })
    const calendar = modules.createCalendar(catalog.get('trading-calendar'), releases, pool, log)
    const publications = modules.createPublications({ root: config.releasesDir, catalog, releases, log })
    const columns = modules.openColumns({ catalog, releases, pool, log, mostBytes: 0 })
    const newest = modules.openNewestFacts({ catalog, releases, pool, columns, log })
    const search = modules.openSearch({ catalog, releases, pool, log })
    opened.defer(async () => void (await Promise.all([columns.close(), newest.close(), search.close(), pool.close()])))
    const followers = followReleases(releases, [calendar, publications, columns, newest, search])
    opened.defer(followers.stop)
    await followers.refresh()
    const answers = modules.createAnswers(0)
    const sqlWorkers = modules.createSqlWorkers({ runners: 1, memoryMb: config.sql.memoryMb, log })
    opened.defer(sqlWorkers.close)
    const sql = modules.createSqlEngine(catalog, sqlWorkers, config.releasesDir)
    const read = { config, sql, catalog, releases, pool, calendar, publications, columns, newest, search, answers, clock, log }
    return { ...read, ...createLocalReader(), slowReads: modules.createSlowReads(clock), close: () => opened.disposeAsync() }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

export interface Service {
  readonly url: string
  /** Null if metrics are disabled. */
  readonly metrics: string | null
  readonly control: Awaited<ReturnType<typeof openService>>['control']
  served(): readonly string[]
  refresh(): Promise<void>
  /** Refuses new requests, finishes running requests, then closes all files. */
  stop(): Promise<void>
  /** Number of charged uses that `stop` could not store. 0 before `stop` is called. */
  lostUses(): number
}

/**
 * Starts a service and listens on the port.
 *
 * @throws Error with a one-sentence message if another process uses the state file, the port is in
 * use, or a file cannot be opened
 */
export async function startService(deps: ServiceDeps): Promise<Service> {
  const { config, log, clock = () => new Date(), preparing = () => null } = deps
  keepNextTickFast()
  const opened = new AsyncDisposableStack()
  try {
    // Opening may migrate the schema, which must not happen while another process uses the file.
    opened.defer(claimState(config.stateDb))
    const service = await openService(deps)
    const { control, plans, catalog, releases, pool, calendar, publications, columns, newest, search, announcements, listener, close } =
      service
    opened.defer(close)
    opened.defer(
      releases.scrub.start({
        bytesPerSecond: config.scrubMbPerSecond * 1_000_000,
        isBusy: () => pool.load().busy > 0 || listener.running() > 0,
        now: clock,
      }),
    )
    control.idempotency.deleteExpired(clock())
    // Builds the search index once, instead of after each new dataset.
    const searchWhenPrepared = { refresh: async () => void (preparing() === null && (await search.refresh())) }
    const followers = followReleases(releases, [calendar, publications, columns, newest, searchWhenPrepared, announcements])
    opened.defer(announcements.close)
    opened.defer(followers.stop)
    // Otherwise, V8 collects during later reads (docs/adr/0102-full-collections.md).
    void followers.filled.then(() => globalThis.gc?.())
    opened.defer(plans.start())
    const mailer = openMailer(control.outbox, openTransport(config.mail.url, config.mail.from), clock, log, undefined, control.notices)
    opened.defer(() => mailer.close())
    opened.defer(openDispatcher({ ...control.webhooks, config, clock, log }).close)
    // The listener is closed before the mailer, because running requests may still add mails.
    opened.defer(listener.close)
    const url = await listener.listen()
    const metrics = await service.tellMetrics()
    log('listening', { url, datasets: catalog.size, ...(metrics && { metrics }) })
    void control.ledger.reserveSpill()
    let stopping: Promise<void> | undefined
    return {
      url,
      metrics,
      control,
      served: () => statesOf(catalog, releases).flatMap(({ dataset, release }) => (release ? [dataset.slug] : [])),
      refresh: () => releases.refresh().then(followers.refresh),
      stop: () => (stopping ??= opened.disposeAsync()),
      lostUses: service.lostUses,
    }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** A failed refresh is repeated after this time. */
const RETRY_MS = 30_000

/** Refreshes caches after a release has changed. Repeats failed refreshes. */
function followReleases(releases: Releases, followers: readonly { refresh(): Promise<void> }[]) {
  // A slow refresh must not delay the other caches.
  const refreshes = followers.map(follower => coalesceNext(() => follower.refresh()))
  const refresh = async (): Promise<void> => void (await Promise.all(refreshes.map(one => one())))
  const stopListening = releases.onChange(() => void refresh())
  const timer = setInterval(() => void refresh(), RETRY_MS)
  timer.unref()
  const filled = refresh()
  return {
    /** Resolves when the first refresh has ended. */
    filled,
    /** Resolves when all caches contain the served releases. */
    refresh,
    /** Running refreshes finish. */
    stop(): void {
      stopListening()
      clearInterval(timer)
    },
  }
}
