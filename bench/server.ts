import { rmSync } from 'node:fs'
import { join } from 'node:path'
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

const CALLERS = 100

/** Makes what is made from releases beside the requests. */
let rest: (() => Promise<void>) | undefined

answer({
  async start(dataDir: string): Promise<Served> {
    for (const tail of ['', '-wal', '-shm']) rmSync(join(dataDir, `state.sqlite${tail}`), { force: true })
    const config = readConfig({ DATA_DIR: dataDir, HOST: '127.0.0.1', PORT: '0' })
    const { url, control, refresh } = await startService({ config, secrets: loadSecrets(config), log: createLog(config.logLevel), clock })
    rest = refresh
    const now = clock()
    const keys = Array.from({ length: CALLERS }, (_, index) => {
      const { id } = control.accounts.ensure(readEmail(`caller${index}@bench.example`)!, now)
      control.accounts.grantPlan(id, 'max', {}, now)
      return control.keys.issue(id, 'bench', now).secret
    })
    return { url, keys }
  },
  /** Ends once nothing is being made beside the requests any more. */
  rest: () => rest?.(),
  rss: () => process.memoryUsage.rss(),
})
