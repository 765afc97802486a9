import { Refusal } from '../../src/core/index.ts'
import { ingestFiles, publishFiles, type Result } from '../index.ts'
import { collectReports, type QuarantineReport } from '../intake/index.ts'
import type { BatchFault, DatasetOutcome, Workspace } from '../publish/index.ts'
import type { Taken } from './archive.ts'
import { dayOfPath, HOW_TO_TELL } from './day-of-path.ts'
import type { Found } from './look.ts'
import type { Place } from './places.ts'

/** A file of the inbox with the sha256 of its bytes. */
export interface Drop extends Found {
  readonly sha256: string
}

type Fault = QuarantineReport['faults'][number]

/** What one batch of files came to. Every file is among the accepted or the refused. */
export interface BatchRun {
  readonly accepted: readonly { readonly drop: Drop; readonly outcome: Taken['outcome']; readonly releases: Taken['releases'] }[]
  readonly refused: readonly { readonly drop: Drop; readonly faults: readonly Fault[] }[]
  /** Publications, those that followed from others included. */
  readonly publications: readonly DatasetOutcome[]
  /** What feeds tell of bodies they took, by the path of the file. */
  readonly notes: ReadonlyMap<string, readonly string[]>
}

/** Publishes files of one place, no two of the same bytes, in one publication a dataset. Nothing is moved, and nothing put into quarantine. */
export function publishDrops(workspace: Workspace, { holds }: Place, drops: readonly Drop[]): Promise<BatchRun> {
  return holds.kind === 'dataset' ? publishPartitions(workspace, holds, drops) : ingestBodies(workspace, holds, drops)
}

type Holds<K extends Place['holds']['kind']> = Extract<Place['holds'], { kind: K }>

async function publishPartitions(workspace: Workspace, { dataset, mapping }: Holds<'dataset'>, drops: readonly Drop[]): Promise<BatchRun> {
  const reports = collectReports()
  const paths = drops.map(({ path }) => path)
  const options = { accept: [], synthetic: false, oneByOne: true, mapping, quarantine: reports.quarantine }
  const { followUps, refused: _, quarantined: __, quarantine: ___, ...outcome } = await publishFiles(workspace, dataset, paths, options)
  const releases = outcome.release === null ? {} : { [dataset.slug]: outcome.release }
  const status = outcome.status === 'unchanged' ? 'unchanged' : 'published'
  return {
    accepted: drops.filter(({ path }) => !reports.of(path)).map(drop => ({ drop, outcome: status, releases })),
    refused: drops.flatMap(drop => refusedFor(drop, reports.of(drop.path))),
    publications: [{ dataset: dataset.slug, outcome }, ...followUps],
    notes: new Map(),
  }
}

async function ingestBodies(workspace: Workspace, { feed }: Holds<'feed'>, drops: readonly Drop[]): Promise<BatchRun> {
  const reports = collectReports()
  const days = new Map<string, string | undefined>()
  for (const { path, file } of drops) {
    try {
      days.set(path, dayOfPath(file))
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      reports.quarantine.keep(path, '', {
        for: feed.name,
        file: path,
        faults: [{ rule: String(error.facts['rule']), message: error.message }],
      })
    }
  }
  const told = drops.filter(({ path }) => days.has(path))
  const options = { requestedDay: (path: string) => days.get(path), accept: [], progress: () => {}, quarantine: reports.quarantine }
  const { results, publications } = await ingestFiles(
    workspace,
    feed,
    told.map(({ path }) => path),
    options,
  )
  const bySha = Map.groupBy(results, ({ sha256 }) => sha256)
  const resultsOf = ({ sha256 }: Drop): readonly Result[] => bySha.get(sha256) ?? []
  const served = new Map(publications.map(({ dataset, outcome }) => [dataset, outcome.release]))
  const faultsOf = (drop: Drop): readonly Fault[] | undefined => reports.of(drop.path) ?? faultsAmong(resultsOf(drop))
  const accepted = told
    .filter(drop => !faultsOf(drop))
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
  const refused = drops.flatMap(drop => refusedFor(drop, withHint(faultsOf(drop), days.get(drop.path))))
  const notes = new Map(told.map(drop => [drop.path, [...new Set(resultsOf(drop).flatMap(result => result.notes))]]))
  return { accepted, refused, publications, notes }
}

/** Faults as results tell them, of a body that an interrupted run had refused and this one did not read again. */
function faultsAmong(results: readonly Result[]): readonly Fault[] | undefined {
  const faults = results.filter(({ outcome }) => outcome === 'refused')
  return faults.length > 0 ? faults.map(({ said, message }) => ({ rule: said ?? 'refused', message: message ?? '' })) : undefined
}

const refusedFor = (drop: Drop, faults: readonly Fault[] | undefined): BatchRun['refused'] => (faults ? [{ drop, faults }] : [])

/** Who is told to name a day on the command line is told how a file does. */
const withHint = (faults: readonly Fault[] | undefined, day: string | undefined): readonly Fault[] | undefined =>
  faults?.map(fault =>
    day === undefined && fault.message.includes('--date') ? { ...fault, message: `${fault.message} ${HOW_TO_TELL}` } : fault,
  )

/** Rules that a file can break only because of the files published with it. */
const BETWEEN_FILES = new Set(['grain', 'same_body'])
/** Rules about a batch as a whole, which one file of it may have broken. */
const OF_A_BATCH = new Set(['row_count_drift', 'dates_backwards', 'derived_as_given'])

/** True where a file may pass once it is published apart from the others of its batch: another of them has the same day, for example. */
export const passesAlone = (faults: readonly Fault[]): boolean =>
  faults.every(fault => BETWEEN_FILES.has(fault.rule) || ((fault as Partial<BatchFault>).source === null && OF_A_BATCH.has(fault.rule)))

/**
 * The files in batches that follow one another, in the order the files were written: of a feed, one file of each day that paths tell; every
 * other file by itself.
 */
export function apart({ holds }: Place, drops: readonly Drop[]): readonly (readonly Drop[])[] {
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
