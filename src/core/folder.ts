import { accessSync, constants, mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it, where they are not there yet.
 *
 * @throws Error saying in a part of a sentence why it cannot be made, or not be written to
 */
export function makeFolder(path: string): void {
  // With `recursive`, mkdir of Node 26 asks for ever where a folder such as /proc answers that a path in it does not exist.
  for (const each of fromTop(path)) {
    if (!isFolder(each)) makeOne(each)
  }
  attempt(path, () => accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK))
}

/** Makes nothing. @throws Error saying in a part of a sentence why there can be no folder of that path, for something else lies there */
export function checkFolder(path: string): void {
  fromTop(path).every(isFolder)
}

/** The path after every one that it lies in. */
function fromTop(path: string): readonly string[] {
  const above = dirname(path)
  return above === path ? [path] : [...fromTop(above), path]
}

/** False where there is nothing. @throws Error where there is something else */
function isFolder(path: string): boolean {
  const found = attempt(path, () => statSync(path, { throwIfNoEntry: false }))
  if (found && !found.isDirectory()) throw new Error(`${path} is not a folder`)
  return found !== undefined
}

function makeOne(path: string): void {
  attempt(path, () => {
    try {
      mkdirSync(path)
    } catch (error) {
      // Another process made it meanwhile.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isFolder(path)) throw error
    }
  })
}

const SAID: Readonly<Record<string, (path: string) => string>> = {
  EACCES: path => `this user may not use ${path}`,
  EPERM: path => `this user may not use ${path}`,
  EROFS: path => `${path} is on a disk that takes no writes`,
  ENOSPC: path => `there is no room left for ${path}`,
  ENOENT: path => `${dirname(path)} takes no folders`,
}

function attempt<T>(path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === undefined) throw error
    throw new Error(SAID[code]?.(path) ?? `the system refuses ${path} with ${code}`)
  }
}
