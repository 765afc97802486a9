import { lstatSync, renameSync, rmSync } from 'node:fs'
import { relative } from 'node:path'
import { createQuarantine } from '../intake/index.ts'
import type { Workspace } from '../publish/index.ts'
import type { Taken } from './archive.ts'
import { DONE, markOf } from './look.ts'
import type { Place } from './places.ts'
import type { BatchRun, Drop } from './publish-drops.ts'

export interface TakenFile {
  readonly file: string
  /** `already`: the file was processed before. `left`: the file stays in the inbox. */
  readonly outcome: Taken['outcome'] | 'already' | 'refused' | 'left'
  /** Relative to the data folder. Null if the file stays. */
  readonly movedTo: string | null
  /** First broken rule. Null if the file was not refused. */
  readonly rule: string | null
  /** Why the file was refused or stays, or notes of the feed. */
  readonly said: readonly string[]
}

/**
 * True if the file is unchanged since it was read. A changed file stays in the inbox and is
 * scanned again.
 */
export const isSame = ({ path, mark }: Drop): boolean => {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats !== undefined && markOf(stats) === mark
}

export const removeMark = ({ path, isDone }: Drop): void => {
  if (isDone) rmSync(`${path}${DONE}`, { force: true })
}

/**
 * Extension for a refused file that is too large for the quarantine. The file stays in the inbox.
 * The user must rename the file to retry.
 */
const REFUSED = '.refused'

function refusedNameOf(path: string): string {
  for (let nth = 1; ; nth++) {
    const name = nth === 1 ? `${path}${REFUSED}` : `${path}.${nth}${REFUSED}`
    if (!lstatSync(name, { throwIfNoEntry: false })) return name
  }
}

/**
 * Moves refused files into quarantine. Reports and copies are synced before the files leave the
 * inbox. If the disk fills up, copied files still leave the inbox to free space for the next
 * attempt.
 *
 * @returns results, deleted quarantine folders, and why files stay in the inbox, if any do
 */
export function putAway(workspace: Workspace, { holds }: Place, refused: BatchRun['refused'], dataDir: string) {
  const quarantine = createQuarantine(workspace)
  const name = holds.kind === 'dataset' ? holds.dataset.slug : holds.feed.name
  const kept: ((typeof refused)[number] & { readonly folder: string })[] = []
  let failure: unknown
  try {
    for (const { drop, faults } of refused)
      if (isSame(drop)) kept.push({ drop, faults, folder: quarantine.keep(drop.path, drop.sha256, { for: name, file: drop.path, faults }) })
  } catch (error) {
    failure = error
  }
  const { left, reportOnly } = quarantine.close()
  const files = kept.map(({ drop, faults, folder }): TakenFile => {
    const isKept = !left.includes(folder) && !reportOnly.includes(folder)
    if (isKept) rmSync(drop.path)
    const aside = isKept ? '' : refusedNameOf(drop.path)
    if (!isKept) renameSync(drop.path, aside)
    removeMark(drop)
    const said = faults.map(({ message }) => message)
    return {
      file: drop.file,
      outcome: 'refused',
      movedTo: relative(dataDir, isKept ? folder : aside),
      rule: faults[0]!.rule,
      said,
    }
  })
  return { files, left, failure }
}
