import { SingleBar } from 'cli-progress'
import type { Command } from 'commander'
import { type Catalog, loadCatalog } from '../../../catalog/index.ts'
import { bringCalendar } from '../../../ingest/calendar/index.ts'
import { loadFeeds } from '../../../ingest/feeds/index.ts'
import type { Feed } from '../../../ingest/formats/index.ts'
import { type Ingested, ingestFiles, type Result } from '../../../ingest/index.ts'
import { ACCEPTABLE } from '../../../ingest/publish/index.ts'
import { A_DAY, isDay, nearest } from '../../core/index.ts'
import { EXIT, print, printJson, say } from '../terminal.ts'
import { withWorkspace } from '../workspace.ts'
import { namedFiles } from './named-files.ts'
import { unknownRules } from './partition-command.ts'
import { keptText, printLeft, printPublication, publicationJson } from './publish.ts'

interface Options {
  readonly date?: string
  readonly accept: readonly string[]
  readonly json?: true
}

export async function ingestCommand(program: Command, setExitCode: (code: number) => void): Promise<void> {
  const feeds = await loadFeeds()
  program
    .command('ingest')
    .description('check and publish files of the exchanges')
    .argument('<feed>', `one of ${[...feeds.keys()].join(', ')}`)
    .argument('<file...>', 'files or folders, optionally compressed with gzip or zstd')
    .option('--date <day>', 'day of the files, YYYY-MM-DD; files of another day are refused')
    .option('--accept <rule...>', `accept violations of a rule: ${ACCEPTABLE.join(', ')}`, [])
    .option('--json', 'print one JSON document')
    .addHelpText('after', `\nFeeds:\n${[...feeds.values()].map(({ name, title }) => `  ${name.padEnd(20)} ${title}`).join('\n')}`)
    .action(async (name: string, paths: string[], options: Options) => {
      const feed = checked(feeds, await loadCatalog(), name, options)
      const files = namedFiles(paths)
      const ingested = await withWorkspace(async workspace => {
        const { progress, publishing, stop } = progressBar(files.length, options.json === true)
        try {
          await bringCalendar(workspace)
          return await ingestFiles(workspace, feed, files, { requestedDay: options.date, accept: options.accept, progress, publishing })
        } finally {
          stop()
        }
      })
      if (isRefused(ingested)) setExitCode(EXIT.refused)
      if (options.json) printJson(ingestedJson(ingested))
      else reportIngested(feed, ingested)
    })
}

/** Returns a list with the error message. Empty for a known name. */
export function unknownFeed(feeds: ReadonlyMap<string, Feed>, name: string): readonly string[] {
  if (feeds.has(name)) return []
  const guess = nearest(name, [...feeds.keys()])
  return [`There is no feed named ${name}${guess ? `; did you mean ${guess}?` : '.'} Known: ${[...feeds.keys()].join(', ')}`]
}

/** @throws Error for wrong usage, with the correct usage */
function checked(feeds: ReadonlyMap<string, Feed>, catalog: Catalog, name: string, { date, accept }: Options): Feed {
  const feed = feeds.get(name)
  const mistakes = [
    ...unknownFeed(feeds, name),
    ...(date !== undefined && !isDay(date) ? [`--date must be ${A_DAY.en}.`] : []),
    ...unknownRules(accept, feed?.datasets.map(slug => catalog.get(slug)!) ?? []),
  ]
  if (!feed || mistakes.length > 0) throw new Error(mistakes.join('\n'))
  return feed
}

/** Shows a bar only on a terminal, and for at least three files. */
export function progressBar(total: number, quiet: boolean, what = 'files') {
  const nothing = { progress: () => {}, publishing: () => {}, stop: () => {} }
  if (quiet || !process.stderr.isTTY || total < 3) return nothing
  const bar = new SingleBar({
    format: `reading {bar} {value}/{total} ${what}, {eta_formatted} left`,
    stream: process.stderr,
    clearOnComplete: true,
  })
  bar.start(total, 0)
  return {
    progress: (done: number) => bar.update(done),
    publishing(slug: string, rows: number) {
      bar.stop()
      say(`publishing ${rows.toLocaleString('en')} rows of ${slug}, about ${secondsFor(rows)} s`)
    },
    stop: () => bar.stop(),
  }
}

export const isRefused = ({ results, publications }: Ingested): boolean =>
  results.some(({ outcome }) => outcome === 'refused') || publications.some(({ outcome }) => outcome.status === 'refused')

/** Rows per second on a small machine. */
const ROWS_A_SECOND = 100_000
const secondsFor = (rows: number): number => Math.max(1, Math.round(rows / ROWS_A_SECOND))

export const ingestedJson = ({ publications, ...rest }: Ingested) => ({ ...rest, publications: publications.map(publicationJson) })

/** Prints the outcome of each file, then of each dataset. */
export function reportIngested(feed: Feed, { results, publications, quarantine }: Ingested): void {
  const refused = results.filter(({ outcome }) => outcome === 'refused')
  for (const result of refused)
    say(`refused   ${labelOf(result)}: ${result.message}\n          ${keptText(result.quarantined!, quarantine)}`)
  printLeft(quarantine)
  for (const result of results.filter(({ outcome }) => outcome === 'empty')) print(`empty     ${labelOf(result)}: ${result.said}`)
  for (const note of new Set(results.flatMap(({ file, notes }) => notes.map(note => `note      ${file}: ${note}`)))) print(note)
  // Refused files were already printed.
  const spoken = new Set(refused.map(({ dataset }) => dataset))
  for (const publication of publications) {
    if (publication.outcome.status !== 'refused' || !spoken.has(publication.dataset)) printPublication(publication)
  }
  const count = (outcome: Result['outcome']): number => results.filter(result => result.outcome === outcome).length
  print(
    `${feed.name}: ${count('published')} published, ${count('unchanged')} unchanged, ${count('empty')} empty, ${count('refused')} refused.`,
  )
}

const labelOf = ({ file, date }: Result): string => (date === null ? file : `${file} ${date}`)
