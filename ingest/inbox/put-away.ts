import { lstatSync, renameSync, rmSync } from 'node:fs'
import { relative } from 'node:path'
import { createQuarantine } from '../intake/index.ts'
import type { Workspace } from '../publish/index.ts'
import type { Taken } from './archive.ts'
import { DONE, markOf } from './look.ts'
import type { Place } from './places.ts'
import type { BatchRun, Drop } from './publish-drops.ts'

/** What became of a file. */
export interface TakenFile {
  /** Path within its folder of the inbox. */
  readonly file: string
  /** already: its bytes were taken before, and are only moved. left: it stays where it is. */
  readonly outcome: Taken['outcome'] | 'already' | 'refused' | 'left'
  /** Where it is now, from the data folder; null where it stays. */
  readonly movedTo: string | null
  /** The rule that a refused file broke first. */
  readonly rule: string | null
  /** Why it was refused or left; otherwise what its feed tells of it. */
  readonly said: readonly string[]
}

/** A file that changed after it was read is another by now: it stays, and is looked at again. */
export const isSame = ({ path, mark }: Drop): boolean => {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats !== undefined && markOf(stats) === mark
}

/** Removes the mark beside a file that is gone from the inbox. */
export const removeMark = ({ path, isDone }: Drop): void => {
  if (isDone) rmSync(`${path}${DONE}`, { force: true })
}

/**
 * Ending of a refused file that the quarantine cannot keep: it is left where it is and not taken
 * again until it is renamed.
 */
const REFUSED = '.refused'

/** A name that no refused file before it has. */
function refusedNameOf(path: string): string {
  for (let nth = 1; ; nth++) {
    const name = nth === 1 ? `${path}${REFUSED}` : `${path}.${nth}${REFUSED}`
    if (!lstatSync(name, { throwIfNoEntry: false })) return name
  }
}

/**
 * Moves refused files into the quarantine, each with its report, on disk before it leaves the
 * inbox. Where the disk takes no more, those before are moved all the same: the room they leave is
 * what the next try needs.
 *
 * @returns what became of each, the quarantine folders that left to make room, and why the others
 * stay; undefined where none does
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
