import { statSync } from 'node:fs'

/**
 * Changes whenever the file is replaced or written to, also by a copy that keeps its time; undefined while there is none. Asked for on the
 * spot: a local file's age takes two microseconds, and handing the question to a thread takes ten times that and wakes it while it may
 * read for a caller.
 */
export function fileVersion(file: string): string | undefined {
  try {
    const found = statSync(file, { bigint: true, throwIfNoEntry: false })
    return found && `${found.mtimeNs}.${found.ctimeNs}.${found.ino}.${found.size}`
  } catch {
    return undefined
  }
}
