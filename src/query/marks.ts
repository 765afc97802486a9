import { statSync } from 'node:fs'
import { releasePaths } from '../../catalog/release.ts'

/** Tells whether `current` of a dataset was replaced since it was last looked at. */
export function openMarks(root: string) {
  const seen = new Map<string, string>()
  return {
    /** The mark of a file not looked at before; undefined where there is none, or it is the one that was looked at. */
    fresh(slug: string): string | undefined {
      const mark = markOf(releasePaths(root, slug).current)
      return mark === seen.get(slug) ? undefined : mark
    },
    /** Notes that the file of that mark is looked at. */
    see: (slug: string, mark: string): void => void seen.set(slug, mark),
    /** True once any was looked at, so that something was published. */
    hasSeen: (slug: string): boolean => seen.has(slug),
  }
}

/**
 * Changes whenever the file is replaced; undefined while there is none. Asked for on the spot: a local file's age takes two
 * microseconds, and handing the question to a thread takes ten times that and wakes it while it may read for a caller.
 */
function markOf(file: string): string | undefined {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false })
    return found && `${found.mtimeNs}.${found.ino}`
  } catch {
    return undefined
  }
}
