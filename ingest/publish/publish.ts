import { rm } from 'node:fs/promises'
import { type Stopwatch, stopwatch } from '../../src/core/index.ts'
import { type Changes, type ReleasePaths, releasePaths } from '../../src/releases/index.ts'
import { assess, changesNothing, isReshaped } from './check/assess.ts'
import type { Batch, BatchFault } from './check/batch.ts'
import type { Checked } from './check/check-batch.ts'
import { type Faulty, type Finding, findingsOf } from './check/findings.ts'
import { readBasis } from './check/served-basis.ts'
import { countChanges, movedKeys } from './compare/compare.ts'
import { recordRelease, recordUnchanged } from './compare/source-check.ts'
import { writeClusterings } from './write/clusterings.ts'
import { allOver, commitRelease, createStage, nameMissing, newestId, nextId, seal } from './write/commit.ts'
import { withLock } from './write/lock.ts'
import { makeManifest } from './write/manifest.ts'
import { layOutTouched } from './write/months.ts'
import { logServed } from './write/table-log.ts'
import type { EndedPublication, Workspace } from './write/workspace.ts'

export interface Outcome {
  /** `unchanged`: all rows were already served, so the publication made no release. */
  readonly status: 'published' | 'unchanged' | 'refused'
  readonly release: string | null
  readonly changes: Changes | null
  readonly faults: readonly Finding[]
  readonly notices: readonly Finding[]
  /** Number of rows per source. Faulty sources are omitted. */
  readonly rowsBySource: ReadonlyMap<number, number>
  /** Rows that another source confirmed. Not counted in `changes`. */
  readonly rowsConfirmed: number
  /** Sample rows that real rows replaced. Not counted in `changes`. */
  readonly samplesReplaced: number
  /**
   * Keys with added, changed or removed rows. Datasets that join this one compute derived columns
   * of these keys again.
   */
  readonly moved: readonly string[]
}

export interface DatasetOutcome {
  readonly dataset: string
  readonly outcome: Outcome
}

/**
 * Checks a batch and serves it as a new release. Readers see the previous release or the complete
 * new one, also after a crash.
 *
 * @throws Refusal conflict if another process publishes the dataset, integrity if the served
 * release is damaged
 */
export function publish(workspace: Workspace, batch: Batch): Promise<Outcome> {
  const paths = releasePaths(workspace.releases, batch.dataset.slug)
  return withLock(paths.home, async () => {
    const outcome = await timed(workspace, batch, time => workspace.withinMemory(() => publishLocked(workspace, batch, paths, time)))
    const logged = outcome.status === 'refused' ? [] : await logServed(workspace, batch.dataset)
    return { ...outcome, ...findingsOf(batch, { faults: outcome.faults, notices: [...outcome.notices, ...logged] }) }
  })
}

/** Reports the duration of a publication to `published`. */
async function timed(
  { published }: Pick<Workspace, 'published'>,
  { dataset: { slug } }: Batch,
  work: (time: Stopwatch) => Promise<Raw>,
): Promise<Raw> {
  const time = stopwatch()
  const ended = (status: EndedPublication['status'], release: string | null): void =>
    published?.({ dataset: slug, status, release, since: time.startedAt, ms: performance.now() - time.startedAt, stages: time.laps })
  try {
    const outcome = await work(time)
    ended(outcome.status, outcome.release)
    return outcome
  } catch (error) {
    ended('failed', null)
    throw error
  }
}

/** Faults are not converted to findings yet. */
interface Raw extends Omit<Outcome, 'faults' | 'notices'>, Faulty {}

/** Runs the stages in order: check, compare, lay out, write, verify, commit. */
async function publishLocked(workspace: Workspace, batch: Batch, paths: ReleasePaths, time: Stopwatch): Promise<Raw> {
  const { dataset } = batch
  const basis = await readBasis(workspace, batch)
  const { parent, former } = basis
  if (former) await nameMissing(paths, former.manifest.release)

  const assessed = await assess(workspace, batch, basis)
  time.lap('check')
  if ('faults' in assessed) return refused(assessed.checked, assessed.faults)
  const { checked, incoming, compared } = assessed
  const { faults, notices, slices, rowsBySource } = checked
  const { difference } = compared
  const reshaped = isReshaped(basis, batch)
  const onSecondSession = { ...workspace, session: workspace.secondSession }
  const aside = async () => ({
    moved: await movedKeys(onSecondSession, dataset, compared),
    touched: await layOutTouched(onSecondSession, batch, parent, difference),
  })
  const [counted, { moved, touched }] = await allOver([countChanges(workspace, dataset, parent, compared), aside()])
  const { confirmed: rowsConfirmed } = counted
  time.lap('compare')
  const changes: Changes = reshaped ? { ...counted.changes, kind: 'schema_change' } : counted.changes
  if (parent && !reshaped && changesNothing(counted)) {
    await recordUnchanged(workspace, dataset, incoming, parent.manifest)
    const nothing = { rowsConfirmed, samplesReplaced: 0, moved: [] }
    return { status: 'unchanged', release: parent.manifest.release, changes, faults, notices, rowsBySource, ...nothing }
  }

  const now = workspace.clock()
  const release = nextId(dataset, now, await newestId(paths))
  const stage = await createStage(paths, release)
  try {
    const rowsAfter = (parent?.manifest.statistics.rows ?? 0) + changes.rows_added - changes.rows_removed
    const place = { basis, incoming, slices, compared, touched, rowsAfter, stage, paths }
    const clusterings = await writeClusterings(workspace, batch, place)
    time.lap('write')
    const manifest = await makeManifest(workspace, batch, {
      release,
      now,
      basis,
      difference,
      changes,
      rowsBySource,
      notices,
      ...clusterings,
    })
    time.lap('measure')
    await commitRelease(paths, stage, seal(manifest, workspace.parsed))
    await recordRelease(workspace, dataset, manifest)
    time.lap('commit')
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
  const samplesReplaced = former?.manifest.synthetic && !batch.synthetic ? former.manifest.statistics.rows : 0
  return { status: 'published', release, changes, faults, notices, rowsBySource, rowsConfirmed, samplesReplaced, moved }
}

const refused = ({ notices, rowsBySource }: Checked, faults: readonly BatchFault[]): Raw => ({
  status: 'refused',
  release: null,
  changes: null,
  faults,
  notices,
  rowsBySource,
  rowsConfirmed: 0,
  samplesReplaced: 0,
  moved: [],
})
