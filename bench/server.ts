import { readdirSync, rmSync } from 'node:fs'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { readEmail } from '../src/accounts/index.ts'
import { createLog, loadSecrets, readConfig } from '../src/core/index.ts'
import { startService } from '../src/main.ts'
import { answer } from './child.ts'
import { clock } from './data.ts'

export interface Served {
  readonly url: string
  readonly keys: readonly string[]
}

export interface ServedOptions {
  readonly env?: Readonly<Record<string, string>>
  /** False to commit no uses. Default: true. */
  readonly metered?: boolean
  /** Number of keys, each of a separate account. Default: 100. */
  readonly callers?: number
}

export interface Watched {
  readonly heldMs: number
  readonly rssBefore: number
  readonly rssPeak: number
}

const CALLERS = 100
const RESOLUTION_MS = 1

/** Waits for background work. Undefined while no service runs. */
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
  rest: () => rest?.(),
  rss: () => process.memoryUsage.rss(),
  cpu: () => process.cpuUsage(),
  descriptors: () => readdirSync('/proc/self/fd').length,
  peak: () => process.resourceUsage().maxRSS * 1_024,
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
