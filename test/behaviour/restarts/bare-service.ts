import { loadSecrets, readConfig } from '../../../src/core/index.ts'
import { startService } from '../../../src/main.ts'

/** A service of the environment's configuration in a process of its own, without the pages and workers of `twmd serve`. Prints its URL. */
const config = readConfig(process.env)
const { url } = await startService({ config, secrets: loadSecrets(config), log: () => {} })
console.log(url)
