import { readdirSync, type Stats, statSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The files that a command was given, in the order they were named; a folder stands for the files in it and in its folders, by name, those
 * that are hidden left out.
 *
 * @throws Error naming every path that is neither, and every folder without files: reading a pipe or a device would wait for ever, or never end
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
  if (stats === undefined) return [`There is no file ${path}.`]
  if (stats.isFile()) return []
  if (stats.isDirectory()) return filesIn(path).length > 0 ? [] : [`The folder ${path} holds no files.`]
  const kind = stats.isFIFO() ? 'a pipe' : stats.isSocket() ? 'a socket' : 'a device'
  return [`${path} is ${kind}, not a file; write what it gives into a file first.`]
}
