import { Refusal } from '../../src/core/index.ts'
import { ingestTogether, publishFiles, type Result } from '../index.ts'
import { collectReports, type QuarantineReport } from '../intake/index.ts'
import type { BatchFault, DatasetOutcome, Workspace } from '../publish/index.ts'
import type { Taken } from './archive.ts'
import { dayOfPath, HOW_TO_TELL } from './day-of-path.ts'
import type { Found } from './look.ts'
import type { Place } from './places.ts'

export interface Drop extends Found {
  readonly sha256: string
}

type Fault = QuarantineReport['faults'][number]

export interface BatchRun {
  readonly accepted: readonly { readonly drop: Drop; readonly outcome: Taken['outcome']; readonly releases: Taken['releases'] }[]
  readonly refused: readonly { readonly drop: Drop; readonly faults: readonly Fault[] }[]
  readonly publications: readonly DatasetOutcome[]
  readonly notes: ReadonlyMap<string, readonly string[]>
  /** Files that could not be published yet, with the reason. */
  readonly waiting: readonly { readonly drop: Drop; readonly error: unknown }[]
}

/** Files of one inbox folder, all with different content. */
export interface Batch {
  readonly place: Place
  readonly drops: readonly Drop[]
}

/** Publishes files of one inbox folder, with one publication per dataset. Moves no files. */
export async function publishDrops(workspace: Workspace, { place, drops }: Batch): Promise<BatchRun> {
  const { holds } = place
  if (holds.kind === 'dataset') return publishPartitions(workspace, holds, drops)
  return (await publishTogether(workspace, [{ place, drops }]))[0]!
}

type Holds<K extends Place['holds']['kind']> = Extract<Place['holds'], { kind: K }>

async function publishPartitions(workspace: Workspace, { dataset, mapping }: Holds<'dataset'>, drops: readonly Drop[]): Promise<BatchRun> {
  const reports = collectReports()
  const paths = drops.map(({ path }) => path)
  const options = { accept: [], synthetic: false, oneByOne: true, mapping, quarantine: reports.quarantine }
  const {
    followUps,
    refused: _refused,
    quarantined: _quarantined,
    quarantine: _quarantine,
    ...outcome
  } = await publishFiles(workspace, dataset, paths, options)
  const releases = outcome.release === null ? {} : { [dataset.slug]: outcome.release }
  const status = outcome.status === 'unchanged' ? 'unchanged' : 'published'
  return {
    accepted: drops.filter(({ path }) => !reports.of(path)).map(drop => ({ drop, outcome: status, releases })),
    refused: drops.flatMap(drop => refusedFor(drop, reports.of(drop.path))),
    publications: [{ dataset: dataset.slug, outcome }, ...followUps],
    notes: new Map(),
    waiting: [],
  }
}

/**
 * Publishes files of several feeds, with one publication per dataset.
 *
 * @returns one result per batch, in the same order
 */
export async function publishTogether(workspace: Workspace, batches: readonly Batch[]): Promise<readonly BatchRun[]> {
  const reports = collectReports()
  const days = new Map<string, string | undefined>()
  const feeds = batches.map(({ place, drops }) => {
    const { feed } = place.holds as Holds<'feed'>
    const told = drops.filter(({ path, file }) => {
      try {
        days.set(path, dayOfPath(file))
        return true
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        const faults = [{ rule: String(error.facts['rule']), message: error.message, message_zh: error.words.zh }]
        reports.quarantine.keep(path, '', { for: feed.name, file: path, faults })
        return false
      }
    })
    return { feed, told }
  })
  const { results, publications, waiting } = await ingestTogether(
    workspace,
    feeds.map(({ feed, told }) => ({ feed, paths: told.map(({ path }) => path), dayOf: path => days.get(path) })),
    { accept: [], progress: () => {}, quarantine: reports.quarantine },
  )
  const byFile = Map.groupBy(results, ({ feed, sha256 }) => `${feed} ${sha256}`)
  const served = new Map(publications.map(({ dataset, outcome }) => [dataset, outcome.release]))
  const untold = new Set(publications)
  return batches.map(({ drops }, index): BatchRun => {
    const { feed, told } = feeds[index]!
    const resultsOf = ({ sha256 }: Drop): readonly Result[] => byFile.get(`${feed.name} ${sha256}`) ?? []
    const faultsOf = (drop: Drop): readonly Fault[] | undefined => reports.of(drop.path) ?? faultsAmong(resultsOf(drop))
    const settled = drops.filter(({ path }) => !waiting.has(path))
    const accepted = told
      .filter(drop => settled.includes(drop) && !faultsOf(drop))
      .map(drop => {
        const own = resultsOf(drop)
        const slugs = [...new Set(own.map(({ dataset }) => dataset))].filter(slug => slug !== null)
        const outcomes = own.map(({ outcome }) => outcome)
        const outcome = outcomes.includes('published') ? 'published' : outcomes.includes('unchanged') ? 'unchanged' : 'empty'
        return {
          drop,
          outcome,
          releases: Object.fromEntries(slugs.flatMap(slug => (served.get(slug) ? [[slug, served.get(slug)!]] : []))),
        } as const
      })
    // A publication of several feeds is reported with the first feed. Follow-ups are reported with
    // the last batch.
    const isOwn = ({ dataset }: DatasetOutcome): boolean => index === batches.length - 1 || feed.datasets.includes(dataset)
    const own = [...untold].filter(isOwn)
    for (const publication of own) untold.delete(publication)
    return {
      accepted,
      refused: settled.flatMap(drop => refusedFor(drop, withHint(faultsOf(drop), days.get(drop.path)))),
      publications: own,
      notes: new Map(told.map(drop => [drop.path, [...new Set(resultsOf(drop).flatMap(result => result.notes))]])),
      waiting: drops.flatMap(drop => (waiting.has(drop.path) ? [{ drop, error: waiting.get(drop.path) }] : [])),
    }
  })
}

/**
 * Returns the faults that an interrupted run recorded for a file. This run did not read the file
 * again, so its own reports do not have these faults.
 */
function faultsAmong(results: readonly Result[]): readonly Fault[] | undefined {
  const faults = results.filter(({ outcome }) => outcome === 'refused')
  return faults.length > 0 ? faults.map(({ said, message }) => ({ rule: said ?? 'refused', message: message ?? '' })) : undefined
}

const refusedFor = (drop: Drop, faults: readonly Fault[] | undefined): BatchRun['refused'] => (faults ? [{ drop, faults }] : [])

/** Adds a hint about days in paths, because inbox files have no option `--date`. */
const withHint = (faults: readonly Fault[] | undefined, day: string | undefined): readonly Fault[] | undefined =>
  faults?.map(fault => {
    if (day !== undefined || !fault.message.includes('--date')) return fault
    const { message, message_zh } = fault
    return {
      ...fault,
      message: `${message} ${HOW_TO_TELL.en}`,
      ...(message_zh !== undefined && { message_zh: `${message_zh}${HOW_TO_TELL.zh}` }),
    }
  })

/** Rules that a file may break only because of other files in the same publication. */
const BETWEEN_FILES = new Set(['grain', 'same_body'])
/** Rules about all rows of a batch. A single file may have caused the violation. */
const OF_A_BATCH = new Set(['row_count_drift', 'dates_backwards', 'derived_differs'])

/** True if a file may be valid without the others, for example if two files have the same day. */
export const passesAlone = (faults: readonly Fault[]): boolean =>
  faults.every(fault => BETWEEN_FILES.has(fault.rule) || ((fault as Partial<BatchFault>).source === null && OF_A_BATCH.has(fault.rule)))

/**
 * Splits a batch into smaller batches, in the order in which the files were written. If several
 * files have the same day, each batch has one file per day. Otherwise, each batch has one file.
 */
export function apart({ place: { holds }, drops }: Batch): readonly (readonly Drop[])[] {
  const alone = drops.map(drop => [drop])
  if (holds.kind === 'dataset') return alone
  const byDay = [...Map.groupBy(drops, ({ file, path }) => dayOr(file, path)).values()]
  const most = Math.max(...byDay.map(({ length }) => length))
  return most === 1 ? alone : Array.from({ length: most }, (_, nth) => byDay.flatMap(those => those.slice(nth, nth + 1)))
}

function dayOr(file: string, otherwise: string): string {
  try {
    return dayOfPath(file) ?? otherwise
  } catch {
    return otherwise
  }
}
