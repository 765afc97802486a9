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

/** What a service is opened with. */
export interface ServiceDeps {
  readonly config: Config
  readonly secrets: Secrets
  readonly log: Log
  readonly clock?: Clock
  /** Milliseconds for the rate limits; the process's monotonic clock when absent. */
  readonly monotonicNow?: () => number
  /** What is still being made before the service counts as ready, in words; null, or absent, for nothing. */
  readonly preparing?: () => string | null
  /** How the processes fare that run beside the service; none when absent. */
  readonly workers?: () => readonly WorkerState[]
  /** What brings data into the data folder; none when absent. */
  readonly intake?: Intake
}

/** Connections to the engine. More than cores, since a read waits for the disk as well. */
const CONNECTIONS = 4
/** Time that reads may wait for a connection. */
const QUEUE_WAIT_MS = 2_000

/** Rooms that are loaded while the parts of releases are hashed in another thread: they are more than half of the program. */
async function loadRooms() {
  const { openEngine, openPool } = await import('./engine/index.ts')
  const { createCalendar } = await import('./calendar/index.ts')
  const { openColumns } = await import('./row-cache/index.ts')
  const { createAnswers } = await import('./read/index.ts')
  const { openNewestFacts } = await import('./field-query/index.ts')
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
 * Opens and wires everything a service consists of, in dependency order; `close` goes in reverse. Releases are verified, and the calendar
 * and the updates feed made from them, before it resolves. New releases are taken up and, where a payment provider is configured, its events are
 * applied from here on; no port is open, no mail is sent and nothing that is made from releases follows them until `startService` or the caller
 * says so. The command line, the benchmarks and the tests all start here.
 *
 * @throws Error with one sentence when a file cannot be opened; what was open is closed again
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
    const rooms = await loadRooms()
    const engine = await rooms.openEngine({ ...config.duckdb, readableFolder: config.releasesDir })
    opened.defer(engine.close)
    const pool = await rooms.openPool(engine, {
      connections: CONNECTIONS,
      waitMs: QUEUE_WAIT_MS,
      budgetMs: config.queryTimeoutMs,
      ...(counts && { measured: counts.engineRead }),
    })
    const releases = await opening
    const calendar = rooms.createCalendar(catalog.get('trading-calendar'), releases, pool, log)
    const publications = rooms.createPublications({ root: config.releasesDir, catalog, releases, log })
    const columns = rooms.openColumns({ catalog, releases, pool, log, mostBytes: config.cacheBytes })
    const answers = rooms.createAnswers(config.answerBytes)
    const newest = rooms.openNewestFacts({ catalog, releases, pool, columns, log })
    const search = rooms.openSearch({ catalog, releases, pool, log })
    // What is made from releases reads through the pool: it is told to end first, then the reads it waits for are stopped.
    opened.defer(async () => void (await Promise.all([columns.close(), newest.close(), search.close(), pool.close()])))
    const gate = rooms.createGate({
      keys: control.keys,
      ledger: control.ledger,
      creditEntries: control.creditEntries,
      clock,
      fileSecrets: secrets.FILE_SIGNING_SECRET.split(','),
      visitors: config.visitors,
      isReplica: () => isReplica(config.releasesDir),
      ...(monotonicNow && { monotonicNow }),
    })
    const billing = await openBilling(config, control, clock, log)
    opened.defer(() => billing?.close())
    const announcements = rooms.createAnnouncements({ catalog, releases, publications, calendar, control, config, clock, log })
    const tableVersions = rooms.createTableVersions(config.releasesDir)
    const sources = { catalog, releases, publications, pool, columns, answers, calendar, newest, search, tableVersions }
    const { sessions, check: checkState } = control
    const looked = { workers, intake: intake ?? rooms.NO_INTAKE, control, clock }
    const slowReads = rooms.createSlowReads(clock, counts?.read)
    const shared = { ...sources, ...looked, config, secrets, sessions, checkState, billing, gate, log, preparing, slowReads }
    const listener = rooms.openListener(
      config,
      log,
      ({ address, isDraining }) =>
        rooms.createApp({
          ...shared,
          origin: () => new URL(config.publicUrl ?? address()).origin,
          draining: isDraining,
          refused: counts?.refusal,
          unread: counts?.malformedRequest,
        }),
      { over: overFor(counts?.request, traces) },
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
      /** Opens the port of the metrics, where one is set. @returns its address; null where none is */
      tellMetrics: async (): Promise<string | null> =>
        (await metrics?.listen(config.metricsPort!, { ...sources, ...looked, coded: rooms.codedSoFar, running: listener.running })) ?? null,
      close: (): Promise<void> => (closing ??= opened.disposeAsync()),
      /** Number of charged uses that `close` could not store anywhere. */
      lostUses: () => lostUses,
    }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** What is told of every answer that is over: who counts, who traces, or neither. */
function overFor(count: ((answer: OverAnswer) => void) | undefined, traces: Traces | null): ((answer: OverAnswer) => void) | undefined {
  if (!traces) return count
  return answer => {
    count?.(answer)
    traces.request(answer, answer.request.headers['traceparent'])
  }
}

/** What reads a data folder by itself: no accounts, no ledger, no port. */
export interface DataFolderDeps {
  readonly config: Config
  readonly log: Log
  readonly clock?: Clock
}

/**
 * Opens a data folder for whoever runs a command on it, and follows its releases. Everything they read is theirs: nothing is limited,
 * charged or recorded. A service may run on the same folder.
 *
 * @throws Error with one sentence when a file cannot be opened; what was open is closed again
 */
export async function openDataFolder({ config, log, clock = () => new Date() }: DataFolderDeps) {
  const catalog = await loadCatalog()
  setPlans(readPlans(config.dataDir))
  const opened = new AsyncDisposableStack()
  try {
    const releases = await openReleases({ root: config.releasesDir, catalog, log })
    opened.defer(releases.close)
    const rooms = await loadRooms()
    const { createLocalReader } = await import('./access/index.ts')
    const engine = await rooms.openEngine({ ...config.duckdb, readableFolder: config.releasesDir })
    opened.defer(engine.close)
    const pool = await rooms.openPool(engine, { connections: CONNECTIONS, waitMs: QUEUE_WAIT_MS, budgetMs: config.queryTimeoutMs })
    const calendar = rooms.createCalendar(catalog.get('trading-calendar'), releases, pool, log)
    const publications = rooms.createPublications({ root: config.releasesDir, catalog, releases, log })
    const columns = rooms.openColumns({ catalog, releases, pool, log, mostBytes: 0 })
    const newest = rooms.openNewestFacts({ catalog, releases, pool, columns, log })
    const search = rooms.openSearch({ catalog, releases, pool, log })
    opened.defer(async () => void (await Promise.all([columns.close(), newest.close(), search.close(), pool.close()])))
    const followers = followReleases(releases, [calendar, publications, columns, newest, search])
    opened.defer(followers.stop)
    await followers.refresh()
    const answers = rooms.createAnswers(0)
    const read = { catalog, releases, pool, calendar, publications, columns, newest, search, answers, clock, log }
    return { ...read, ...createLocalReader(), slowReads: rooms.createSlowReads(clock), close: () => opened.disposeAsync() }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** A service that runs. */
export interface Service {
  /** Where it listens, for example `http://127.0.0.1:8080`. */
  readonly url: string
  /** Where its metrics are told; null where they are not. */
  readonly metrics: string | null
  readonly control: Awaited<ReturnType<typeof openService>>['control']
  /** Slugs of the datasets that have a release to read. */
  served(): readonly string[]
  /** Takes up what was just published, without waiting to be told of it. */
  refresh(): Promise<void>
  /** Refuses new requests as not ready, lets running ones finish, then closes every file. */
  stop(): Promise<void>
  /** Number of charged uses that `stop` could not store anywhere; 0 before. */
  lostUses(): number
}

/**
 * A service that runs: it claims the state file, follows releases, sends mail and listens.
 *
 * @throws Error with one sentence when another process serves from the state file, the port is taken or a file cannot be opened
 */
export async function startService(deps: ServiceDeps): Promise<Service> {
  const { config, log, clock = () => new Date() } = deps
  const opened = new AsyncDisposableStack()
  try {
    // Before the file is opened: opening it may bring its schema up to date under the process that serves from it.
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
    const followers = followReleases(releases, [calendar, publications, columns, newest, search, announcements])
    opened.defer(followers.stop)
    opened.defer(plans.start())
    const mailer = openMailer(control.outbox, openTransport(config.mail.url, config.mail.from), clock, log, undefined, control.notices)
    opened.defer(() => mailer.close())
    opened.defer(openDispatcher({ ...control.webhooks, config, clock, log }).close)
    // Requests that run while the service stops may still put a mail out.
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

/** How long what could not be made from a release waits for another try. */
const RETRY_MS = 10_000

/** Keeps what is made from releases up to date: immediately, whenever a served release changes, and after a while where that failed. */
function followReleases(releases: Releases, followers: readonly { refresh(): Promise<void> }[]) {
  // Each by itself: one that takes long does not hold up the others.
  const refreshes = followers.map(follower => coalesceNext(() => follower.refresh()))
  const refresh = async (): Promise<void> => void (await Promise.all(refreshes.map(one => one())))
  const stopListening = releases.onChange(() => void refresh())
  const timer = setInterval(() => void refresh(), RETRY_MS)
  timer.unref()
  void refresh()
  return {
    /** Resolves once each has taken up what is served by now. */
    refresh,
    /** Starts nothing more; a refresh that runs is not ended. */
    stop(): void {
      stopListening()
      clearInterval(timer)
    },
  }
}
