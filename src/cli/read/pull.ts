import { mkdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Command } from 'commander'
import { type Catalog, type Dataset, loadCatalog, served } from '../../../catalog/index.ts'
import type { Pulled, Remote, TableDeps } from '../../../ingest/mirror/index.ts'
import { nearest, Refusal, splitList } from '../../core/index.ts'
import type { Session } from '../../engine/index.ts'
import { progressBar } from '../progress-bar.ts'
import { EXIT, print, printJson, say } from '../terminal.ts'
import { baseOf, keyOf, sayWaiting } from './connection.ts'

interface Options {
  readonly from?: string
  readonly keyFile?: string
  readonly fileOrigins?: string
  readonly follow?: true
  readonly every: string
  readonly json?: true
}

const DEFAULT_EVERY_S = 60
const LEAST_EVERY_S = 5
/** Maximum number of lost responses in a row, per dataset. Lost responses may have been charged. */
const MOST_LOST = 2

export function pullCommand(program: Command, setExitCode: (code: number) => void): void {
  program
    .command('pull')
    .description('copy the served releases of another service; resumable')
    .argument('<datasets>', 'slugs, separated by commas; all for every dataset of your plan')
    .argument('<folder>', 'releases folder, such as data/releases')
    .option('--from <url>', 'address of the service; default TWMD_URL')
    .option('--key-file <file>', 'file with the API key; default TWMD_API_KEY or the key of twmd login')
    .option('--file-origins <origins>', 'other origins that may serve files, separated by commas; default TWMD_FILE_ORIGINS')
    .option('--follow', 'keep pulling until stopped')
    .option('--every <seconds>', 'polling interval of --follow', String(DEFAULT_EVERY_S))
    .option('--json', 'print one JSON document per dataset')
    .action(async (names: string, folder: string, options: Options) => setExitCode(await pull(names, resolve(folder), options)))
}

async function pull(names: string, root: string, options: Options): Promise<number> {
  const every = Number(options.every)
  if (!(every >= LEAST_EVERY_S)) throw new Error(`--every must be at least ${LEAST_EVERY_S} seconds.`)
  const { openRemote } = await import('../../../ingest/mirror/index.ts')
  const url = addressOf(options)
  const key = await keyOf(url, options)
  if (!key) throw new Error('API key required. Set TWMD_API_KEY, use --key-file, or store the key with twmd login.')
  const remote = openRemote({ url, key, fileOrigins: originsOf(options), waiting: sayWaiting, answering: sayAnswering })
  const catalog = await loadCatalog()
  const datasets = await datasetsNamed(names, catalog, remote)
  mkdirSync(root, { recursive: true })
  const { createTableVersions } = await import('../../delta/index.ts')
  const tables = { remote, root, tableVersions: createTableVersions(root), withSession }
  const lost = new Map<string, number>()
  for (;;) {
    const failed = await pullEach(tables, datasets, options, lost)
    if (!options.follow) return failed ? EXIT.refused : EXIT.done
    if (datasets.every(dataset => isLeftAlone(dataset, lost))) return EXIT.refused
    // Waits a random time, so that several replicas do not poll at the same time.
    await sleep(every * 1_000 * (0.9 + Math.random() / 5))
  }
}

/** @throws Error if there is no address */
function addressOf({ from = process.env['TWMD_URL'] }: Options): string {
  if (from === undefined)
    throw new Error('Set the address of the service with --from, for example --from https://api.example, or with TWMD_URL.')
  return baseOf(from, '--from')
}

/** @throws Error for an item that is not an origin */
function originsOf({ fileOrigins = process.env['TWMD_FILE_ORIGINS'] }: Options): readonly string[] {
  return splitList(fileOrigins).map(text => {
    const { origin, href } = new URL(baseOf(text, '--file-origins'))
    if (href !== `${origin}/`) throw new Error('--file-origins takes origins such as https://files.example, without a path.')
    return origin
  })
}

async function datasetsNamed(names: string, catalog: Catalog, remote: Remote): Promise<readonly Dataset[]> {
  const sold = served(catalog)
  if (names === 'all') {
    const { datasetsToPull } = await import('../../../ingest/mirror/index.ts')
    const there = await datasetsToPull(remote)
    return sold.filter(({ id }) => there.has(id))
  }
  return names.split(',').map(name => {
    const found = sold.find(({ slug, id }) => slug === name || id === name)
    if (found) return found
    const guess = nearest(
      name,
      sold.map(({ slug }) => slug),
    )
    throw new Error(
      `There is no dataset named ${name}${guess ? `; did you mean ${guess}?` : '.'} Known: ${sold.map(({ slug }) => slug).join(', ')}`,
    )
  })
}

/** True after too many lost responses. Another response might be charged and lost. */
const isLeftAlone = ({ slug }: Dataset, lost: ReadonlyMap<string, number>): boolean => (lost.get(slug) ?? 0) >= MOST_LOST

/**
 * Pulls each dataset. A failure does not stop the pull of other datasets.
 *
 * @param lost the number of lost responses in a row by dataset, updated by this function
 * @returns true if any dataset failed
 */
async function pullEach(
  tables: TableDeps,
  datasets: readonly Dataset[],
  { json, follow }: Options,
  lost: Map<string, number>,
): Promise<boolean> {
  const { pullDataset } = await import('../../../ingest/mirror/index.ts')
  let failed = false
  for (const dataset of datasets.filter(one => !isLeftAlone(one, lost))) {
    const bar = progressBar(dataset.slug, json === true)
    try {
      const pulled = await pullDataset(tables.remote, tables.root, dataset, bar.progress)
      bar.stop()
      lost.delete(dataset.slug)
      await updateTable(tables, dataset, pulled)
      if (pulled.status === 'pulled' || !follow) report(pulled, json === true)
    } catch (error) {
      bar.stop()
      if (!(error instanceof Refusal)) throw error
      failed = true
      if (json) printJson({ dataset: dataset.slug, status: 'refused', message: error.message, ...error.facts })
      else say(`${dataset.slug}: ${error.message}`)
      if (error.facts['may_be_charged']) lost.set(dataset.slug, (lost.get(dataset.slug) ?? 0) + 1)
      if (follow && isLeftAlone(dataset, lost))
        say(
          `${dataset.slug}: stopped, because ${MOST_LOST} responses in a row were lost. Each may have been charged. Run the command again to retry.`,
        )
    }
  }
  return failed
}

/**
 * Runs after every pull. A later pull therefore retries a failed update and completes a killed
 * update.
 */
async function updateTable(tables: TableDeps, dataset: Dataset, pulled: Pulled): Promise<void> {
  const { pullTable } = await import('../../../ingest/mirror/index.ts')
  await pullTable(tables, dataset, pulled).catch((error: Error) =>
    say(`warning  ${dataset.slug}: the log of the Delta table could not be written (${error.message.split('\n')[0]}).`),
  )
}

async function withSession<T>(write: (session: Session) => Promise<T>): Promise<T> {
  const { openEngine } = await import('../../engine/index.ts')
  const engine = await openEngine({ threads: availableParallelism(), memoryLimit: '1GB' })
  try {
    const session = await engine.connect()
    return await write(session).finally(session.close)
  } finally {
    engine.close()
  }
}

function report(pulled: Pulled, json: boolean): void {
  if (json) return print(JSON.stringify(pulled))
  const { dataset, release, status, files, bytes, credits } = pulled
  if (status === 'unchanged') return print(`${dataset}: ${release} is up to date.`)
  print(
    `${dataset}: pulled ${release}: ${files} files, ${(bytes / 1e6).toFixed(1)} MB, ${credits} ${credits === 1 ? 'credit' : 'credits'}.`,
  )
}

const sayAnswering = (): void => say('the service responds again.')
