import { type Config, readConfig } from '../core/config.ts'
import { makeFolder } from '../core/folder.ts'

/**
 * What every command works with, read before it does anything else; the data folder is there afterwards.
 *
 * @throws Error when a variable is wrong, or the data folder cannot be made or written to
 */
export function configured(environment: NodeJS.ProcessEnv = process.env): Config {
  const config = readConfig(environment)
  try {
    makeFolder(config.dataDir)
    makeFolder(config.releasesDir)
  } catch (error) {
    throw new Error(
      `The data folder ${config.dataDir} cannot be used: ${(error as Error).message}; set DATA_DIR to a folder this user may write to.`,
    )
  }
  return config
}
