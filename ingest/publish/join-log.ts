import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** For each derived dataset, the release of each dataset it takes in, joined or counted by, that all its rows have been computed with. */
type JoinLog = Readonly<Record<string, Readonly<Record<string, string>>>>

const fileIn = (captures: string): string => join(captures, 'joined.json')

function readJoinLog(captures: string): JoinLog {
  try {
    return JSON.parse(readFileSync(fileIn(captures), 'utf8')) as JoinLog
  } catch {
    return {}
  }
}

/** The release of `source` that every row of `derived` was joined with, or undefined when nobody knows: then all are joined again. */
export const loggedJoin = (captures: string, derived: string, source: string): string | undefined =>
  readJoinLog(captures)[derived]?.[source]

/** Notes that every row of `derived` is joined with that release. A crash before it means the join is done once more. */
export function logJoin(captures: string, derived: string, source: string, release: string): void {
  const log = readJoinLog(captures)
  write(captures, { ...log, [derived]: { ...log[derived], [source]: release } })
}

/** Nobody knows what the rows of `derived` are joined with any more, so that the next publication of either joins all of them. */
export function forgetJoins(captures: string, derived: string): void {
  const { [derived]: forgotten, ...rest } = readJoinLog(captures)
  if (forgotten) write(captures, rest)
}

function write(captures: string, log: JoinLog): void {
  const next = `${fileIn(captures)}.next`
  writeFileSync(next, JSON.stringify(log))
  renameSync(next, fileIn(captures))
}
