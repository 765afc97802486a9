import { readdirSync, rmSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { readEmail } from '../src/accounts/index.ts'
import { createLog, loadSecrets, readConfig } from '../src/core/index.ts'
import { startService } from '../src/main.ts'
import { answer } from './child.ts'
import { clock } from './data.ts'

/** Where the service listens and who may read. Requests go round the keys, as they would come from many callers. */
export interface Served {
  readonly url: string
  readonly keys: readonly string[]
}

/** How a service differs from the one that is measured everywhere else. */
export interface ServedOptions {
  /** Variables of the environment, beside the folder and the address. */
  readonly env?: Readonly<Record<string, string>>
  /** False: no use is committed before its answer leaves, nor later. */
  readonly metered?: boolean
  /** Keys, each of an account of its own; 100 when absent. */
  readonly callers?: number
}

/** What the process did between `watch` and `watched`. */
export interface Watched {
  /** Longest that nothing else could run, in milliseconds. */
  readonly heldMs: number
  /** RSS in bytes: at first, and at most. */
  readonly rssBefore: number
  readonly rssPeak: number
}

const CALLERS = 100
/** How finely the event loop is watched, in milliseconds. */
const RESOLUTION_MS = 1

/** Makes what is made from releases beside the requests. */
let rest: (() => Promise<void>) | undefined
let watched = (): Watched => ({ heldMs: 0, rssBefore: 0, rssPeak: 0 })

answer({
  async start(dataDir: string, { env = {}, metered = true, callers = CALLERS }: ServedOptions = {}): Promise<Served> {
    const config = readConfig({ ...env, DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0' })
    for (const tail of ['', '-wal', '-shm']) rmSync(`${config.stateDb}${tail}`, { force: true })
    const { url, control, refresh } = await startService({ config, secrets: loadSecrets(config), log: createLog(config.logLevel), clock })
    rest = refresh
    if (!metered) Object.assign(control.ledger, { record: () => Promise.resolve() })
    const now = clock()
    const keys = Array.from({ length: callers }, (_, index) => {
      const { id } = control.accounts.ensure(readEmail(`caller${index}@bench.example`)!, now)
      control.accounts.grantPlan(id, 'max', {}, now)
      return control.keys.issue(id, 'bench', now).secret
    })
    return { url, keys }
  },
  /** Ends once nothing is being made beside the requests any more. */
  rest: () => rest?.(),
  rss: () => process.memoryUsage.rss(),
  /** Files and sockets it has open. */
  descriptors: () => readdirSync('/proc/self/fd').length,
  /** Most memory it ever held, in bytes. */
  peak: () => process.resourceUsage().maxRSS * 1_024,
  /** From here on the event loop and the memory are watched. */
  watch(): void {
    const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
    const rssBefore = process.memoryUsage.rss()
    let rssPeak = rssBefore
    const look = (): void => {
      rssPeak = Math.max(rssPeak, process.memoryUsage.rss())
    }
    const timer = setInterval(look, 20)
    delay.enable()
    watched = () => {
      look()
      delay.disable()
      clearInterval(timer)
      return { heldMs: Math.max(0, delay.max / 1e6 - RESOLUTION_MS), rssBefore, rssPeak }
    }
  },
  watched: () => watched(),
})
