import { type Config, makeFolder, readConfig } from '../core/index.ts'

/**
 * What every command works with, read before it does anything else.
 *
 * @param prepare what is done to the data folder and that of releases: they are there afterwards, unless it only checks them
 * @throws Error when a variable is wrong, or the data folder cannot be made or written to
 */
export function configured(environment: NodeJS.ProcessEnv = process.env, prepare: (folder: string) => void = makeFolder): Config {
  const config = readConfig(environment)
  try {
    for (const folder of [config.dataDir, config.releasesDir]) prepare(folder)
  } catch (error) {
    throw new Error(
      `The data folder ${config.dataDir} cannot be used: ${(error as Error).message}; set DATA_DIR to a folder this user may write to.`,
    )
  }
  return config
}
