import { type Dataset, storedName } from '../../catalog/index.ts'
import { openWorkspace, type Workspace } from '../../ingest/publish/index.ts'
import { type Config, createLog, makeFolder, nearest, readConfig } from '../core/index.ts'
import { isDiskFull, isOutOfMemory } from '../engine/index.ts'

/**
 * Reads the configuration of a command and prepares its folders, before it does anything else.
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

/** Opens the publishing workspace on the configured data folder for the length of one piece of work. */
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

/** The code marks it as a fault of the machine, for the exit code. */
const outOfMemory = (cause: Error): Error =>
  Object.assign(
    new Error(
      'The rows need more memory than publishing may use. What is served stays, and the files are where they were, none quarantined for it; publish them in smaller files, a history year by year, or raise PUBLISH_MEMORY_LIMIT.',
      { cause },
    ),
    { code: 'ENOMEM' },
  )

/** A full disk told as one. The code marks it as a fault of the machine, for the exit code. */
const diskFull = (cause: Error): Error =>
  Object.assign(
    new Error(
      `The disk is full. What is served stays, and the files are where they were, none quarantined for it; make room, then run the command again.`,
      { cause },
    ),
    { code: 'ENOSPC' },
  )

/** @throws Error naming the known datasets, for a name that is none of them; slugs, underscore ids and names on disk are all taken */
export function datasetNamed({ catalog }: Pick<Workspace, 'catalog'>, name: string): Dataset {
  const dataset = catalog.get(name) ?? [...catalog.values()].find(({ id, slug }) => id === name || storedName(slug) === name)
  if (dataset) return dataset
  const guess = nearest(name, [...catalog.keys()])
  throw new Error(`There is no dataset named ${name}${guess ? `; did you mean ${guess}?` : '.'} Known: ${[...catalog.keys()].join(', ')}`)
}
