import { join } from 'node:path'
import type { Command } from 'commander'
import { loadCatalog } from '../../../catalog/index.ts'
import { loadFeeds } from '../../../ingest/feeds/index.ts'
import type { Feed } from '../../../ingest/formats/index.ts'
import { withLock } from '../../../ingest/publish/index.ts'
import { feedRuns, needsOf, runSchedule, type ScheduleState } from '../../../ingest/schedule/index.ts'
import { type Config, commandRefusal, createLog, Refusal } from '../../core/index.ts'
import { supervised } from '../serve/supervisor.ts'
import { EXIT, printJson, printTable, say } from '../terminal.ts'
import { configured, withWorkspace } from '../workspace.ts'
import { CONSENT_HELP, openConfiguredFetcher, stopBySignal } from './fetch.ts'
import { unknownFeed } from './ingest.ts'

interface Options {
  readonly list?: true
  readonly once?: true
  readonly json?: true
}

export async function scheduleCommand(program: Command, setExitCode: (code: number) => void): Promise<void> {
  program
    .command('schedule')
    .description('fetch feeds when their datasets are due; retry late data')
    .argument('[feed...]', 'feeds to fetch; default all fetchable ones')
    .option('--list', 'print the feeds with next and last run, and exit')
    .option('--once', 'fetch the feeds that are due now, and exit')
    .option('--json', 'with --list: print one JSON document')
    .addHelpText('after', CONSENT_HELP)
    .action(async (names: string[], options: Options) => {
      const known = await loadFeeds()
      const mistakes = names.flatMap(name => unknownFeed(known, name))
      if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
      const feeds = [...known.values()].filter(({ name, fetch }) => fetch !== undefined && (names.length === 0 || names.includes(name)))
      if (options.list) await list(feeds, options)
      else setExitCode(await run(feeds, options))
    })
}

async function list(feeds: readonly Feed[], { json }: Options): Promise<void> {
  const config = configured()
  const lines = feedRuns(config.dataDir, await loadCatalog(), feeds, config.fetch)
  if (json) return printJson(lines.map(({ datasets: _datasets, tries: _tries, ...line }) => line))
  const minute = (at: string | null | undefined): string => at?.slice(0, 16).replace('T', ' ') ?? '-'
  printTable([
    ['feed', 'due', 'next run', 'last run', 'outcome', 'covers'],
    ...lines.map(({ feed, due, next_at, last_run, covers, needs_consent }) => [
      feed,
      due,
      needs_consent.length > 0 ? `needs FETCH_CONSENT=${needs_consent.join(',')}` : next_at === null ? 'when started' : minute(next_at),
      minute(last_run?.at),
      last_run === null ? '-' : `${last_run.outcome}: ${last_run.said}`,
      covers ?? '-',
    ]),
  ])
}

async function run(feeds: readonly Feed[], { once = false }: { readonly once?: boolean }): Promise<number> {
  const config = configured()
  const service = supervised()
  const log = service?.log ?? createLog(config.logLevel)
  const stop = new AbortController()
  const fromSignal = stopBySignal()
  fromSignal.addEventListener('abort', () => stop.abort())
  void service?.ended.then(() => stop.abort())
  // Tries only twice, because the schedule retries failed feeds.
  const fetcher = await openConfiguredFetcher({ tries: 2 })
  const able = feeds.filter(feed => needsOf(feed, fetcher).can)
  const deps = { dataDir: config.dataDir, feeds: able, fetcher, withWorkspace, signal: stop.signal, log, once }
  try {
    const state = await alone(config, () => runSchedule(deps))
    if (once) for (const feed of feeds) say(waitingFor(feed, needsOf(feed, fetcher), state[feed.name]))
    return once && able.some(({ name }) => state[name]?.last_run.outcome !== 'came') ? EXIT.refused : EXIT.done
  } finally {
    await fetcher.close()
    service?.close()
  }
}

/**
 * Describes the last and the next run of a feed. If the operator has not permitted the downloads,
 * names the setting.
 */
function waitingFor({ name }: Feed, { can, hosts }: ReturnType<typeof needsOf>, state: ScheduleState[string] | undefined): string {
  if (!can) return `${name}: waits for FETCH_CONSENT=${hosts.join(',')}.`
  if (state === undefined) return `${name}: has not run.`
  const { next_at, last_run } = state
  return `${name}: waits until ${next_at.slice(0, 16).replace('T', ' ')}. Last run: ${last_run.outcome}, ${last_run.said}.`
}

/** @throws Refusal conflict if another process runs the schedule of the data folder */
async function alone<T>({ dataDir }: Config, work: () => Promise<T>): Promise<T> {
  try {
    return await withLock(join(dataDir, 'fetch'), work)
  } catch (error) {
    if (!(error instanceof Refusal && error.facts['rule'] === 'being_published')) throw error
    const { pid } = error.facts
    throw commandRefusal('conflict', { pid }, `Process ${pid} already runs the schedule of this data folder. Stop it or wait for it.`)
  }
}
