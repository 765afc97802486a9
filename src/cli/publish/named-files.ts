import { readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Returns files in the order of the arguments. A folder adds all files in all subfolders, sorted by
 * name, without hidden files. Rejects pipes and devices, because reading might never end.
 * @throws Error that names each invalid path and each folder without files
 */
export function namedFiles(paths: readonly string[]): readonly string[] {
  const found = paths.map(path => ({ path, stats: statSync(path, { throwIfNoEntry: false }) }))
  const mistakes = found.flatMap(({ path, stats }) => mistakeOf(path, stats))
  if (mistakes.length > 0) throw new Error(mistakes.join('\n'))
  return found.flatMap(({ path, stats }) => (stats!.isDirectory() ? filesIn(path) : [path]))
}

const filesIn = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter(path => !/(^|\/)\.[^/]*/.test(path.slice(folder.length)))
    .sort()

function mistakeOf(path: string, stats: Stats | undefined): readonly string[] {
  if (stats === undefined) return [`File not found: ${path}.`]
  if (stats.isFile()) return []
  if (stats.isDirectory()) return filesIn(path).length > 0 ? [] : [`The folder ${path} has no files.`]
  const kind = stats.isFIFO() ? 'a pipe' : stats.isSocket() ? 'a socket' : 'a device'
  return [`${path} is ${kind}, not a file. Write its content to a file first.`]
}
