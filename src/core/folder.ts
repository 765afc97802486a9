import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Creates a folder and its parents.
 * @throws Error whose message is a clause for a longer sentence
 */
export function makeFolder(path: string): void {
  // In Node 26, recursive mkdir can hang, for example in /proc.
  for (const folder of pathsFromRoot(path)) {
    if (!isFolder(folder)) createFolder(folder)
  }
  explainErrors(path, () => accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK))
}

/**
 * Checks that a folder can be created at a path.
 * @throws Error whose message is a clause for a longer sentence
 */
export function checkFolder(path: string): void {
  pathsFromRoot(path).every(isFolder)
}

function pathsFromRoot(path: string): readonly string[] {
  const above = dirname(path)
  return above === path ? [path] : [...pathsFromRoot(above), path]
}

/** False if the path does not exist. @throws Error if the path is not a folder */
function isFolder(path: string): boolean {
  const stats = explainErrors(path, () => statSync(path, { throwIfNoEntry: false }))
  if (stats && !stats.isDirectory()) throw new Error(`${path} is not a folder`)
  return stats !== undefined
}

function createFolder(path: string): void {
  explainErrors(path, () => {
    try {
      mkdirSync(path)
    } catch (error) {
      // Another process may have created the folder.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isFolder(path)) throw error
    }
  })
}

const REASONS: Readonly<Record<string, (path: string) => string>> = {
  EACCES: path => `this user has no access to ${path}`,
  EPERM: path => `this user has no access to ${path}`,
  EROFS: path => `${path} is on a read-only disk`,
  ENOSPC: path => `there is no space left for ${path}`,
  ENOENT: path => `no folder can be created in ${dirname(path)}`,
}

function explainErrors<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new Error(REASONS[code]?.(path) ?? `the system refuses ${path} with ${code}`)
  }
}
