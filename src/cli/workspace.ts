import { type Dataset, storedName } from '../../catalog/index.ts'
import { openWorkspace, type Workspace } from '../../ingest/publish/index.ts'
import { type Config, createLog, makeFolder, nearest, readConfig } from '../core/index.ts'
import { isDiskFull, isOutOfMemory } from '../engine/index.ts'

/**
 * Reads the configuration and prepares the folders.
 * @param prepare creates or checks a folder
 * @throws Error for an invalid variable or an unusable folder
 */
export function configured(environment: NodeJS.ProcessEnv = process.env, prepare: (folder: string) => void = makeFolder): Config {
  const config = readConfig(environment)
  try {
    for (const folder of [config.dataDir, config.releasesDir]) prepare(folder)
  } catch (error) {
    throw new Error(
      `The data folder ${config.dataDir} cannot be used: ${(error as Error).message}. Set DATA_DIR to a folder that this user can write to.`,
    )
  }
  return config
}

/** The workspace is open while `work` runs. */
export async function withWorkspace<T>(work: (workspace: Workspace) => Promise<T>): Promise<T> {
  const { dataDir, quarantine, publishMemoryLimit, traces: settings, logLevel } = configured()
  const traces = settings && (await import('../traces/index.ts')).openTraces({ settings, log: createLog(logLevel, process.stderr) })
  const workspace = await openWorkspace(dataDir, undefined, quarantine, publishMemoryLimit, traces?.publication)
  try {
    return await work(workspace)
  } catch (error) {
    if (isOutOfMemory(error)) throw outOfMemory(error as Error)
    throw isDiskFull(error) ? diskFull(error as Error) : error
  } finally {
    workspace.close()
    await traces?.close()
  }
}

/** The `code` marks a failure of the machine. */
const outOfMemory = (cause: Error): Error =>
  Object.assign(
    new Error(
      'The rows need more memory than PUBLISH_MEMORY_LIMIT. Served data and the files are unchanged, and none was quarantined. Publish smaller files, for example one per year, or raise PUBLISH_MEMORY_LIMIT.',
      { cause },
    ),
    { code: 'ENOMEM' },
  )

/** The `code` marks a failure of the machine. */
const diskFull = (cause: Error): Error =>
  Object.assign(
    new Error(
      `The disk is full. Served data and the files are unchanged, and none was quarantined. Free disk space, then run the command again.`,
      { cause },
    ),
    { code: 'ENOSPC' },
  )

/**
 * @param name slug, id or name on disk
 * @throws Error with all known names if there is no such dataset
 */
export function datasetNamed({ catalog }: Pick<Workspace, 'catalog'>, name: string): Dataset {
  const dataset = catalog.get(name) ?? [...catalog.values()].find(({ id, slug }) => id === name || storedName(slug) === name)
  if (dataset) return dataset
  const guess = nearest(name, [...catalog.keys()])
  throw new Error(`There is no dataset named ${name}${guess ? `; did you mean ${guess}?` : '.'} Known: ${[...catalog.keys()].join(', ')}`)
}
