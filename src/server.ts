import { mkdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Catalog, loadCatalog } from '../catalog/load.ts'
import { claimState } from './accounts/backup.ts'
import { openDesk } from './accounts/billing/open.ts'
import { openPostman } from './accounts/mail/postman.ts'
import { openTransport } from './accounts/mail/transport.ts'
import { type Control, openControl } from './accounts/open.ts'
import { type AppParts, buildApp } from './app.ts'
import type { Clock } from './core/clock.ts'
import type { Config } from './core/config.ts'
import type { Log } from './core/log.ts'
import type { Secrets } from './core/secrets.ts'
import { openGate } from './gate.ts'
import { stopGently } from './http/stopping.ts'
import { openData } from './query/open.ts'
import { standsOf } from './query/stand.ts'

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
  const control = openControl(config, secrets, (error, owed) => log('failed', { during: 'writing the ledger', error: String(error), owed }))
  opened.defer(control.close)
  const data = await openData(config, catalog, log)
  opened.defer(data.close)
  const gate = openGate({ keys: control.keys, ledger: control.ledger, clock })
  const billing = openDesk(config, control, clock, log)
  opened.defer(() => billing?.billing.stop())
  const postman = openPostman(control.outbox, openTransport(config.mail.url, config.mail.from), clock, log)
  opened.defer(() => postman.stop())
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
  standsOf(catalog, sources.releases).flatMap(({ dataset, release }) => (release ? [dataset.slug] : []))

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
