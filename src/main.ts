import { mkdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Catalog, loadCatalog } from '../catalog/index.ts'
import { createGate } from './access/index.ts'
import { type Control, claimState, openBilling, openControl, openMailer, openTransport } from './accounts/index.ts'
import { createCalendar } from './calendar/index.ts'
import { type Clock, type Config, coalesce, type Log, type Secrets } from './core/index.ts'
import { createPublications } from './discovery/index.ts'
import { openEngine, openPool } from './engine/index.ts'
import { openNewestFacts } from './fields/index.ts'
import { type AppParts, buildApp } from './http/index.ts'
import { stopGently } from './http/kernel/index.ts'
import { openReleases, statesOf } from './releases/index.ts'
import { openSearch } from './search/index.ts'

export interface Service {
  /** Where it listens, for example `http://127.0.0.1:8080`. */
  readonly url: string
  readonly control: Control
  /** Slugs of the datasets that have a release to read. */
  served(): readonly string[]
  /** Takes up what was just published, without waiting for the next look. */
  refresh(): Promise<void>
  /** Refuses new requests as not ready, lets running ones finish, then closes every file. */
  stop(): Promise<void>
}

export interface ServiceParts {
  readonly config: Config
  readonly secrets: Secrets
  readonly log: Log
  readonly clock?: Clock
}

/** How long running requests may take to end once the service stops; what is not done by then is cut off. */
const DRAIN_MS = 15_000

/**
 * Opens the data folder and the state file and listens. Releases are verified before the port opens.
 *
 * @throws Error with one sentence when the port is taken or a file cannot be opened
 */
export async function startService({ config, secrets, log, clock = () => new Date() }: ServiceParts): Promise<Service> {
  mkdirSync(config.releasesDir, { recursive: true })
  const catalog = await loadCatalog()
  const opened = new AsyncDisposableStack()
  try {
    // Before the file is opened: opening it may bring its schema up to date under the process that serves from it.
    opened.defer(claimState(config.stateDb))
    return await openService({ config, secrets, log, clock }, catalog, opened)
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}

/** Opens what the service consists of, each in front of what it stands on: closing goes the other way round. */
async function openService(
  { config, secrets, log, clock }: Required<ServiceParts>,
  catalog: Catalog,
  opened: AsyncDisposableStack,
): Promise<Service> {
  const control = openControl(config, secrets, (error, backlog) =>
    log('failed', { during: 'writing the ledger', error: String(error), owed: backlog }),
  )
  opened.defer(control.close)
  const data = await openData(config, catalog, log)
  opened.defer(data.close)
  const gate = createGate({ keys: control.keys, ledger: control.ledger, clock })
  const billing = openBilling(config, control, clock, log)
  opened.defer(() => billing?.close())
  const mailer = openMailer(control.outbox, openTransport(config.mail.url, config.mail.from), clock, log)
  opened.defer(() => mailer.close())
  const { sessions, check: checkState } = control
  const door = openDoor({ ...data.sources, catalog, config, secrets, control, sessions, checkState, billing, gate, clock, log })
  opened.defer(door.close)
  const url = await door.listen()
  log('listening', { url, datasets: catalog.size })
  let stopping: Promise<void> | undefined
  const stop = (): Promise<void> => {
    stopping ??= opened.disposeAsync()
    return stopping
  }
  return { url, control, served: () => slugsServed(catalog, data), refresh: data.refresh, stop }
}

const slugsServed = (catalog: Catalog, { sources }: Awaited<ReturnType<typeof openData>>): readonly string[] =>
  statesOf(catalog, sources.releases).flatMap(({ dataset, release }) => (release ? [dataset.slug] : []))

/** Where requests come in: opened once, and from the moment it closes no further one is let in. */
function openDoor(parts: Omit<AppParts, 'origin' | 'draining'>) {
  const { config } = parts
  let draining = false
  let address = ''
  const app = buildApp({ ...parts, origin: () => new URL(config.publicUrl ?? address).origin, draining: () => draining })
  const answered = stopGently(app, () => draining)
  return {
    /** @returns the address, for example `http://127.0.0.1:8080` */
    async listen(): Promise<string> {
      address = await app.listen({ port: config.port, host: config.host }).catch(error => {
        throw explained(error, config)
      })
      return address
    },
    /** Lets running requests finish for a bounded time, then cuts off what is left. */
    async close(): Promise<void> {
      draining = true
      await Promise.race([answered(), sleep(DRAIN_MS, undefined, { ref: false })])
      app.server.closeAllConnections()
      await app.close()
    },
  }
}

function explained(error: unknown, { port, host }: Config): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return new Error(`Port ${port} on ${host} is in use; stop what listens there or start with PORT=<another port>.`)
  if (code === 'EACCES') return new Error(`Port ${port} may not be opened by this user; use one above 1023, for example PORT=8080.`)
  return error
}

export type DataConfig = Pick<Config, 'releasesDir' | 'duckdb' | 'queryTimeoutMs'>

/** Connections to the engine. More than cores, since a read waits for the disk as well. */
const CONNECTIONS = 4
const QUEUE = 64
const QUEUE_WAIT_MS = 2_000

/**
 * The data plane over one folder of releases: they are verified, and calendar and feed made from them, before it resolves. The newest
 * rows and the search are made beside the first requests.
 */
export async function openData({ releasesDir: root, duckdb, queryTimeoutMs: budgetMs }: DataConfig, catalog: Catalog, log: Log) {
  const releases = await openReleases({ root, catalog, log })
  const duck = await openEngine({ ...duckdb, sealedTo: root })
  const pool = await openPool(duck, { connections: CONNECTIONS, queue: QUEUE, waitMs: QUEUE_WAIT_MS, budgetMs })
  const calendar = createCalendar(catalog.get('trading-calendar'), releases, pool, log)
  await calendar.refresh()
  const publications = createPublications({ root, catalog, releases, log })
  await publications.refresh()
  const newest = openNewestFacts(catalog, releases, pool, log)
  const search = openSearch({ catalog, releases, pool, log })
  const followers = followReleases([calendar, publications, newest, search])
  return {
    /** What routes read from. */
    sources: { releases, publications, pool, calendar, newest, search },
    /** Takes up what was just published, without waiting for the next look. */
    refresh: (): Promise<void> => releases.refresh().then(followers.takeUp),
    /** Stops what runs and closes the engine; whoever asks for rows from here on is refused as draining. */
    async close(): Promise<void> {
      followers.stop()
      releases.close()
      // What keeps things made from releases reads through the pool as well: told to end first, then the reads they wait for are stopped.
      await Promise.all([newest.close(), search.close(), pool.close()])
      duck.close()
    },
  }
}

/** What is made from releases and takes up the served ones when told to. */
export interface Follower {
  refresh(): Promise<void>
}

/** How soon what is made from a release follows it: the calendar, the updates feed, the newest rows that queries keep at hand, what search finds. */
const TAKE_UP_MS = 100

/** Lets each take up what is served: now, and again and again until told to stop. */
export function followReleases(followers: readonly Follower[]) {
  const takeUp = async (): Promise<void> => void (await Promise.all(followers.map(follower => follower.refresh())))
  // A look that takes long is not looked after again: others go on.
  const looks = followers.map(follower => coalesce(() => follower.refresh()))
  const timer = setInterval(() => looks.forEach(look => void look()), TAKE_UP_MS)
  timer.unref()
  void takeUp()
  return {
    /** Resolves once every one has taken up what is served by now. */
    takeUp,
    /** Begins nothing more; a look that runs is not ended. */
    stop: (): void => clearInterval(timer),
  }
}
