import { mkdir } from 'node:fs/promises'
import type { Dataset } from '../../../catalog/index.ts'
import { syncFolder, taipei, writeSynced } from '../../../src/core/index.ts'
import {
  type Changes,
  type LineageEntry,
  type Manifest,
  readManifest,
  releasePaths,
  type Withdrawal,
  withdrawalFile,
} from '../../../src/releases/index.ts'
import { newestId, nextId } from './commit.ts'
import type { Workspace } from './workspace.ts'

/**
 * Facts about two served releases, each with its ancestors, newest first: the previous (`left`) and
 * the present one (`right`).
 */
export interface WithdrawalFacts {
  readonly manifest: Manifest
  readonly former: string | null
  readonly left: readonly LineageEntry[]
  readonly right: readonly LineageEntry[]
}

/**
 * Records that a retained release replaces the served one. Call it before `current` changes.
 *
 * @returns the withdrawn releases, oldest first
 */
export async function recordWithdrawal(workspace: Workspace, dataset: Dataset, facts: WithdrawalFacts): Promise<readonly string[]> {
  const [paths, now] = [releasePaths(workspace.releases, dataset.slug), workspace.clock()]
  const { manifest, former, left, right } = facts
  const before = former === null ? null : await readManifest(workspace.releases, dataset.slug, former).catch(() => null)
  const { release, data_as_of, synthetic } = manifest
  const withdrawal: Withdrawal = {
    id: nextId(dataset, now, await newestId(paths)),
    release,
    former,
    withdrawn: idsOf(without(left, right)).reverse(),
    served_at: taipei(now),
    data_as_of,
    data_until: before !== null && before.data_as_of > data_as_of ? before.data_as_of : data_as_of,
    synthetic,
    changes: changesBetween(facts, before),
  }
  await mkdir(paths.withdrawals, { recursive: true })
  await writeSynced(withdrawalFile(workspace.releases, dataset.slug, withdrawal.id), `${JSON.stringify(withdrawal)}\n`)
  await syncFolder(paths.withdrawals)
  await syncFolder(paths.home)
  return withdrawal.withdrawn
}

const idsOf = (entries: readonly LineageEntry[]): string[] => entries.map(({ release }) => release)

const without = (entries: readonly LineageEntry[], others: readonly LineageEntry[]): readonly LineageEntry[] => {
  const ids = new Set(idsOf(others))
  return entries.filter(({ release }) => !ids.has(release))
}

type Op = 'added' | 'changed' | 'removed'
type Reach = readonly [from: string, to: string]
type Undone = Withdrawal['changes']

interface Deed {
  readonly op: Op
  readonly rows: number
  readonly reach: Reach | null
}

const UNDO: Readonly<Record<Op, Op>> = { added: 'removed', changed: 'changed', removed: 'added' }

/**
 * Returns the changes for a reader that moves from the previous release to the present one. First
 * undoes the publications after the last common ancestor. Then applies the publications that lead
 * to the present release.
 */
function changesBetween({ manifest, left, right }: WithdrawalFacts, before: Manifest | null): Undone {
  const [withdrawn, restored] = [without(left, right), without(right, left)]
  const between = [...withdrawn, ...restored]
  const related = withdrawn.length < left.length && between.every(({ publication }) => publication !== undefined)
  if (!related) return summed([...wholeOf(before, 'removed'), ...wholeOf(manifest, 'added')])
  return summed([...withdrawn.flatMap(deedsOf).map(deed => ({ ...deed, op: UNDO[deed.op] })), ...restored.flatMap(deedsOf)])
}

function wholeOf(manifest: Manifest | null, op: Op): readonly Deed[] {
  if (manifest === null) return []
  const { rows, first_date, last_date } = manifest.statistics
  return [{ op, rows, reach: first_date === null || last_date === null ? null : [first_date, last_date] }]
}

const deedsOf = ({ publication }: LineageEntry): readonly Deed[] =>
  (['added', 'changed', 'removed'] as const).map(op => ({
    op,
    rows: publication!.changes[`rows_${op}`],
    reach: reachOf(publication!.changes, op),
  }))

function reachOf({ reach, date_from, date_to }: Changes, op: Op): Reach | null {
  if (reach) return reach[op]
  return date_from === null || date_to === null ? null : [date_from, date_to]
}

function summed(deeds: readonly Deed[]): Undone {
  const effective = deeds.filter(({ rows }) => rows > 0)
  const rowsOf = (op: Op): number => effective.filter(deed => deed.op === op).reduce((sum, { rows }) => sum + rows, 0)
  const [added, changed, removed] = (['added', 'changed', 'removed'] as const).map(op => spanOf(effective.filter(deed => deed.op === op)))
  const [date_from, date_to] = spanOf(effective) ?? [null, null]
  return {
    rows_added: rowsOf('added'),
    rows_changed: rowsOf('changed'),
    rows_removed: rowsOf('removed'),
    date_from,
    date_to,
    reach: { added: added!, changed: changed!, removed: removed! },
  }
}

function spanOf(deeds: readonly Deed[]): [string, string] | null {
  const days = deeds.flatMap(({ reach }) => reach ?? []).sort()
  return days.length === 0 ? null : [days[0]!, days.at(-1)!]
}
