import { loadSecrets, readConfig } from '../../../src/core/index.ts'
import { startService } from '../../../src/main.ts'

/**
 * Runs the configured service in its own process, without the pages and workers of `twmd serve`.
 * Prints its URL.
 */
const config = readConfig(process.env)
const { url } = await startService({ config, secrets: loadSecrets(config), log: () => {} })
console.log(url)
