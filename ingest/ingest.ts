import type { Dataset } from '../catalog/index.ts'
import { followUps, isFollowed, outdated } from './derive/index.ts'
import type { Feed } from './formats/index.ts'
import { calendarOf, calendarRows, createQuarantine, type Quarantine, type QuarantineChange, withSpool } from './intake/index.ts'
import { createView, type DatasetOutcome, type Outcome, publish, publishInOrder, type Relation, type Workspace } from './publish/index.ts'
import { type Result, type Run, readFeed, resultOf, type Staged, sourcesOf, type TakenFile } from './read-feed.ts'

export interface Ingested {
  readonly results: readonly Result[]
  readonly publications: readonly DatasetOutcome[]
  readonly quarantine: QuarantineChange
}

export interface IngestedTogether extends Ingested {
  /**
   * Files whose rows were not published, keyed by path, with the reason: another publication runs,
   * or the release is damaged.
   */
  readonly waiting: ReadonlyMap<string, unknown>
}

export interface FeedFiles {
  readonly feed: Feed
  readonly paths: readonly string[]
  /** Undefined if the caller does not know the day of the file. */
  readonly dayOf: (path: string) => string | undefined
}

export interface TogetherOptions {
  readonly accept: readonly string[]
  readonly progress: (done: number, total: number) => void
  /** Where refused files are stored. Default: the workspace's quarantine. */
  readonly quarantine?: Quarantine
  readonly publishing?: (slug: string, rows: number) => void
}

export interface IngestOptions extends TogetherOptions {
  /** Day of all files, or of a file by its path. */
  readonly requestedDay: string | undefined | ((path: string) => string | undefined)
}

/**
 * Reads files of one feed and publishes the valid days. Quarantines other files and days with a
 * report. An interrupted run with many files continues if repeated with the same files.
 */
export async function ingestFiles(
  workspace: Workspace,
  feed: Feed,
  paths: readonly string[],
  { requestedDay, ...options }: IngestOptions,
): Promise<Ingested> {
  const dayOf = typeof requestedDay === 'function' ? requestedDay : () => requestedDay
  const { waiting: _, ...ingested } = await ingestTogether(workspace, [{ feed, paths, dayOf }], options)
  return ingested
}

/**
 * Like `ingestFiles`, for several feeds, with one publication per dataset. Each file is checked,
 * recorded and refused separately. Derived datasets are published once, at the end.
 *
 * @throws Error if a file cannot be read; with one feed, also if a dataset cannot be published
 */
export function ingestTogether(workspace: Workspace, feeds: readonly FeedFiles[], options: TogetherOptions): Promise<IngestedTogether> {
  const { accept, quarantine = createQuarantine(workspace) } = options
  return withSpools({ workspace, quarantine }, feeds, [], async runs => {
    const calendar = await calendarRows(workspace)
    const total = feeds.reduce((sum, { paths }) => sum + paths.length, 0)
    let done = 0
    const results: Result[] = []
    const staged = new Map<string, StagedBy[]>()
    for (const [index, run] of runs.entries()) {
      const read = await readFeed(run, feeds[index]!, calendar, () => options.progress(++done, total))
      results.push(...read.results)
      for (const [slug, days] of read.staged) staged.set(slug, [...(staged.get(slug) ?? []), { run, days }])
    }
    const [outcomes, failures] = [new Map<string, Outcome>(), new Map<string, unknown>()]
    const published = (): DatasetOutcome[] =>
      [...staged.keys()].flatMap(dataset => (outcomes.has(dataset) ? [{ dataset, outcome: outcomes.get(dataset)! }] : []))
    const rowsOf = (parts: readonly StagedBy[]): number => sum(parts.flatMap(({ days }) => days.map(({ day }) => day.count)))
    const waitingRows = [...staged].map(([slug, parts]) => ({ slug, rows: rowsOf(parts) }))
    await publishInOrder(workspace, waitingRows, async (slug, lane) => {
      const [dataset, parts] = [workspace.catalog.get(slug)!, staged.get(slug)!]
      try {
        options.publishing?.(slug, rowsOf(parts))
        outcomes.set(slug, await publishStaged(lane, dataset, parts, { accept, published: published() }))
      } catch (error) {
        failures.set(slug, error)
      }
    })
    const publications = published()
    for (const { dataset, outcome } of publications)
      results.push(...dayResults(workspace.catalog.get(dataset)!, staged.get(dataset)!, outcome))
    try {
      publications.push(...(await followUps(workspace, publications)))
    } catch (error) {
      for (const slug of outcomes.keys()) if (isFollowed(workspace.catalog, workspace.catalog.get(slug)!)) failures.set(slug, error)
    }
    const [failure] = failures.values()
    // The error preserves the staged rows for the next run.
    if (failures.size > 0 && feeds.length === 1) throw failure
    const waiting = waitingFiles(staged, failures)
    const isWaiting = new Set([...waiting.values()].map(({ run, file }) => nameOf(run.feed.name, file.sha256)))
    const settled = results.filter(({ feed, sha256 }) => !isWaiting.has(nameOf(feed, sha256)))
    workspace.journal.record(
      settled.map(
        ({ dataset: _dataset, message: _message, message_zh: _messageZh, quarantined: _quarantined, notes: _notes, ...capture }) => capture,
      ),
    )
    const reasons = new Map([...waiting].map(([path, { error }]) => [path, error]))
    return { results: settled, publications, quarantine: quarantine.close(), waiting: reasons }
  })
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)
const nameOf = (feed: string, sha256: string): string => `${feed} ${sha256}`

interface StagedBy {
  readonly run: Run
  readonly days: Staged
}

function withSpools<T>(
  { workspace, quarantine }: Pick<Run, 'workspace' | 'quarantine'>,
  [first, ...rest]: readonly FeedFiles[],
  runs: readonly Run[],
  work: (runs: readonly Run[]) => Promise<T>,
): Promise<T> {
  if (!first) return work(runs)
  return withSpool<TakenFile, T>(workspace, first.feed, first, spool =>
    withSpools({ workspace, quarantine }, rest, [...runs, { workspace, feed: first.feed, quarantine, spool }], work),
  )
}

interface Publishing {
  readonly accept: readonly string[]
  /** Datasets that this run has already published. Derived columns may join their rows. */
  readonly published: readonly DatasetOutcome[]
}

async function publishStaged(
  workspace: Workspace,
  dataset: Dataset,
  parts: readonly StagedBy[],
  { accept, published }: Publishing,
): Promise<Outcome> {
  const relation = await stagedRows(workspace, dataset, parts)
  const calendar = await calendarOf(workspace)
  const sources = parts.flatMap(({ run, days }) => sourcesOf(run, dataset, days))
  const leastRows = parts.flatMap(({ run, days }) => days.map(() => run.feed.leastRows?.[dataset.slug] ?? 0))
  // Derived columns are not computed again if the operator accepted them as given.
  const { keys, note } = await outdated(workspace, dataset, accept.includes('derived_as_given') ? [] : published)
  const again = keys.length > 0 ? { touchedKeys: keys } : {}
  const outcome = await publish(workspace, {
    dataset,
    relation,
    sources,
    leastRows,
    synthetic: false,
    accept,
    sourceBySource: true,
    calendar,
    ...again,
  })
  if (outcome.status !== 'refused') note()
  return outcome
}

/** Returns the rows of all feeds. Source numbers continue from feed to feed. */
async function stagedRows({ session }: Workspace, dataset: Dataset, parts: readonly StagedBy[]): Promise<Relation> {
  const relations: string[] = []
  let before = 0
  for (const { run, days } of parts) {
    const relation = await run.spool.relation(dataset, session)
    if (parts.length === 1) return relation
    relations.push(`SELECT * REPLACE ("_source"::INTEGER + ${before} AS "_source") FROM ${relation}`)
    before += days.length
  }
  return createView(session, `raw_${dataset.id.replaceAll('-', '_')}`, relations.join(' UNION ALL BY NAME '))
}

function dayResults(dataset: Dataset, parts: readonly StagedBy[], outcome: Outcome): readonly Result[] {
  const days = parts.flatMap(({ run, days }) => days.map(staged => ({ run, ...staged })))
  return days.map(({ run, file, day }, source) => {
    const faults = outcome.faults.filter(fault => fault.source === source || fault.source === null)
    const facts = { date: day.date, rows: day.count, dataset: dataset.slug, notes: file.notes }
    if (faults.length === 0) return resultOf(run, file, { ...facts, outcome: outcome.status })
    const quarantined = run.quarantine.keep(file.path, `${file.sha256}${day.date}`, { for: run.feed.name, file: file.path, faults })
    const message = faults.map(fault => fault.message).join(' ')
    const message_zh = faults.map(fault => fault.message_zh).join('')
    return resultOf(run, file, { ...facts, outcome: 'refused', said: faults[0]!.rule, message, message_zh, quarantined })
  })
}

/** Returns the files of datasets that were not published. */
const waitingFiles = (staged: ReadonlyMap<string, readonly StagedBy[]>, failures: ReadonlyMap<string, unknown>) =>
  new Map(
    [...failures].flatMap(([slug, error]) =>
      (staged.get(slug) ?? []).flatMap(({ run, days }) => days.map(({ file }) => [file.path, { run, file, error }] as const)),
    ),
  )
