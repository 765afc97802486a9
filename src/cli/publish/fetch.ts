import { readFileSync } from 'node:fs'
import type { Command } from 'commander'
import { loadCatalog } from '../../../catalog/index.ts'
import { bringCalendar } from '../../../ingest/calendar/index.ts'
import { loadFeeds } from '../../../ingest/feeds/index.ts'
import type { Fetcher, FetcherOptions } from '../../../ingest/fetchers/index.ts'
import type { Feed } from '../../../ingest/formats/index.ts'
import { type FetchedFeed, fetchFeed, type WantedDays } from '../../../ingest/index.ts'
import { ACCEPTABLE } from '../../../ingest/publish/index.ts'
import { A_DAY, isDay } from '../../core/index.ts'
import { EXIT, print, printJson, say } from '../terminal.ts'
import { configured, withWorkspace } from '../workspace.ts'
import { ingestedJson, isRefused, progressBar, reportIngested, unknownFeed } from './ingest.ts'
import { unknownRules } from './partition-command.ts'

interface Options {
  readonly date?: string
  readonly from?: string
  readonly to?: string
  readonly again?: true
  readonly accept: readonly string[]
  readonly json?: true
}

export const CONSENT_HELP = `
Most sources forbid automated downloads. List the hosts that agreed:
  FETCH_CONSENT=www.twse.com.tw,www.tpex.org.tw
`

export async function fetchCommand(program: Command, setExitCode: (code: number) => void): Promise<void> {
  const feeds = await loadFeeds()
  const fetchable = [...feeds.values()].filter(({ fetch }) => fetch !== undefined).map(({ name }) => name)
  program
    .command('fetch')
    .description('download files of a feed from its source, check and publish them')
    .argument('<feed>', `one of ${fetchable.join(', ')}`)
    .option('--date <day>', 'day, YYYY-MM-DD; default the newest')
    .option('--from <day>', 'first day; existing days are skipped')
    .option('--to <day>', 'last day; default today')
    .option('--again', 'download existing days again')
    .option('--accept <rule...>', `accept violations of a rule: ${ACCEPTABLE.join(', ')}`, [])
    .option('--json', 'print one JSON document')
    .addHelpText('after', CONSENT_HELP)
    .action(async (name: string, options: Options) => {
      const catalog = await loadCatalog()
      const datasets = feeds.get(name)?.datasets.map(slug => catalog.get(slug)!) ?? []
      const mistakes = [...unknownFeed(feeds, name), ...wrongDays(options), ...unknownRules(options.accept, datasets)]
      if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
      const fetched = await fetchOnce(feeds.get(name)!, options)
      if (fetched.failures.length > 0 || fetched.ingested.some(isRefused)) setExitCode(EXIT.refused)
      if (options.json) printJson(fetchedJson(fetched))
      else report(feeds.get(name)!, fetched)
    })
}

function wrongDays({ date, from, to }: Options): readonly string[] {
  const days = Object.entries({ date, from, to }).filter(([, day]) => day !== undefined && !isDay(day))
  return [
    ...days.map(([name]) => `--${name} must be ${A_DAY.en}.`),
    ...(date !== undefined && (from ?? to) !== undefined ? ['Use --date for one day, or --from and --to for several, not both.'] : []),
    ...(to !== undefined && from === undefined ? ['--to needs --from, the first day.'] : []),
    ...(from !== undefined && to !== undefined && from > to ? ['--from must not be after --to.'] : []),
  ]
}

const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }

/** Loads the module on demand, because most commands do not need it. */
export async function openConfiguredFetcher(more: Pick<FetcherOptions, 'tries'> = {}): Promise<Fetcher> {
  const { openFetcher } = await import('../../../ingest/fetchers/index.ts')
  const { dataDir, fetch } = configured()
  return openFetcher({ ...fetch, dataDir, version, ...more })
}

/**
 * The first SIGINT or SIGTERM stops fetching and publishes the fetched files. A second signal ends
 * the process.
 */
export function stopBySignal(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      controller.abort()
      process.once(signal, () => process.exit(1))
    })
  }
  return controller.signal
}

async function fetchOnce(feed: Feed, { date, from, to, again, accept, json }: Options): Promise<FetchedFeed> {
  const wanted: WantedDays | undefined =
    date !== undefined ? { from: date, to: date } : from !== undefined ? { from, to: to ?? '9999-12-31' } : undefined
  const signal = stopBySignal()
  const fetcher = await openConfiguredFetcher()
  try {
    return await withWorkspace(async workspace => {
      await bringCalendar(workspace)
      let bar: ReturnType<typeof progressBar> | undefined
      const progress = (done: number, total: number): void => {
        bar ??= progressBar(total, json === true, 'days')
        bar.progress(done)
      }
      try {
        return await fetchFeed(workspace, fetcher, feed, { wanted, again: again === true, accept, progress, waiting: sayWaiting, signal })
      } finally {
        bar?.stop()
      }
    })
  } finally {
    await fetcher.close()
  }
}

const sayWaiting = (seconds: number, why: string): void => say(`waiting ${seconds} s: ${why}`)

const fetchedJson = ({ feed, captures, skipped, ingested, failures, stopped }: FetchedFeed) => ({
  feed,
  captures,
  skipped,
  failures: failures.map(({ day, refusal }) => ({ day, message: refusal.message, ...refusal.facts })),
  stopped: stopped?.en ?? null,
  ingested: ingested.map(ingestedJson),
})

function report(feed: Feed, { captures, skipped, ingested, failures, stopped }: FetchedFeed): void {
  for (const each of ingested) reportIngested(feed, each)
  for (const { day, refusal } of failures) say(`not fetched ${day}: ${refusal.message}`)
  const why = stopped === failures.at(-1)?.refusal.words ? 'No more requests are sent to this source.' : stopped?.en
  if (stopped !== null) say(`stopped: ${why} Run the command again to continue.`)
  const left = Object.entries(skipped).flatMap(([why, count]) => (count > 0 ? [`${count} ${why}`] : []))
  const attributions = [...new Set(captures.map(({ attribution, licence }) => `${attribution}, ${licence}`))]
  for (const attribution of attributions) print(`source    ${attribution}`)
  print(`${feed.name}: ${captures.length} fetched${left.length > 0 ? `, skipped: ${left.join(', ')}` : ''}.`)
}
