import { mkdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { loadCatalog } from '../catalog/load.ts'
import { claimState } from './accounts/backup.ts'
import { openDesk } from './accounts/billing/open.ts'
import { openPostman } from './accounts/mail/postman.ts'
import { openTransport } from './accounts/mail/transport.ts'
import { type Control, openControl } from './accounts/open.ts'
import { buildApp } from './app.ts'
import type { Clock } from './core/clock.ts'
import type { Config } from './core/config.ts'
import type { Log } from './core/log.ts'
import type { Secrets } from './core/secrets.ts'
import { unlessRunning } from './core/tick.ts'
import { openGate } from './gate.ts'
import { stopGently } from './http/stopping.ts'
import { openCalendar } from './query/calendar.ts'
import { openDuck } from './query/duck.ts'
import { openNewest } from './query/fields/newest.ts'
import { openPool } from './query/pool.ts'
import { openPublications } from './query/publications.ts'
import { openReleases } from './query/releases.ts'
import { openSearch } from './query/search/search.ts'

export interface Service {
  /** Where it listens, for example `http://127.0.0.1:8080`. */
  readonly url: string
  readonly control: Control
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

/** Connections to the engine. More than cores, since a read waits for the disk as well. */
const CONNECTIONS = 4
const QUEUE = 64
/** How soon what is made from a release follows it: the calendar, the updates feed, the newest rows that queries keep at hand, what search finds. */
const TAKE_UP_MS = 100
const QUEUE_WAIT_MS = 2_000
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
  // Before the file is opened: opening it may bring its schema up to date under the process that serves from it.
  const unclaim = claimState(config.stateDb)
  const control = openControl(config, secrets, (error, owed) => log('failed', { during: 'writing the ledger', error: String(error), owed }))
  const postman = openPostman(control.outbox, openTransport(config.mail.url, config.mail.from), clock, log)
  const releases = await openReleases({ root: config.releasesDir, catalog, log })
  const duck = await openDuck({ ...config.duckdb, sealedTo: config.releasesDir })
  const pool = await openPool(duck, { connections: CONNECTIONS, queue: QUEUE, waitMs: QUEUE_WAIT_MS, budgetMs: config.queryTimeoutMs })
  const calendar = openCalendar(catalog.get('trading-calendar'), releases, pool, log)
  await calendar.refresh()
  const publications = openPublications({ root: config.releasesDir, catalog, releases, log })
  await publications.refresh()
  const newest = openNewest(catalog, releases, pool, log)
  const search = openSearch({ catalog, releases, pool, log })
  const followers = [calendar, publications, newest, search]
  const follow = async (): Promise<void> => void (await Promise.all(followers.map(follower => follower.refresh())))
  // A look that takes long is not looked after again: others go on.
  const looks = followers.map(follower => unlessRunning(() => follower.refresh()))
  const takeUp = setInterval(() => looks.forEach(look => void look()), TAKE_UP_MS)
  takeUp.unref()
  void follow()
  const gate = openGate({ keys: control.keys, ledger: control.ledger, clock })
  const billing = openDesk(config, control, clock, log)
  let draining = false
  let address = ''
  const app = buildApp({
    catalog,
    config,
    secrets,
    control,
    sessions: control.sessions,
    billing,
    origin: () => new URL(config.publicUrl ?? address).origin,
    gate,
    releases,
    publications,
    pool,
    calendar,
    newest,
    search,
    clock,
    log,
    checkState: control.check,
    draining: () => draining,
  })
  const answered = stopGently(app, () => draining)
  const close = async (): Promise<void> => {
    draining = true
    await Promise.race([answered(), sleep(DRAIN_MS, undefined, { ref: false })])
    app.server.closeAllConnections()
    await app.close()
    await postman.stop()
    await billing?.billing.stop()
    clearInterval(takeUp)
    releases.close()
    // What keeps things made from releases reads through the pool as well: told to end first, then the reads they wait for are stopped.
    await Promise.all([newest.close(), search.stop(), pool.close()])
    duck.close()
    control.close()
    unclaim()
  }
  try {
    const url = await app.listen({ port: config.port, host: config.host })
    address = url
    log('listening', { url, datasets: catalog.size })
    return { url, control, refresh: () => releases.refresh().then(follow), stop: close }
  } catch (error) {
    await close()
    throw explained(error, config)
  }
}

function explained(error: unknown, { port, host }: Config): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return new Error(`Port ${port} on ${host} is in use; stop what listens there or start with PORT=<another port>.`)
  if (code === 'EACCES') return new Error(`Port ${port} may not be opened by this user; use one above 1023, for example PORT=8080.`)
  return error
}
