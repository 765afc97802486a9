import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** For each derived dataset, the release of each dataset it takes in, joined or counted by, that all its rows have been computed with. */
type Joined = Readonly<Record<string, Readonly<Record<string, string>>>>

const fileIn = (captures: string): string => join(captures, 'joined.json')

function readJoined(captures: string): Joined {
  try {
    return JSON.parse(readFileSync(fileIn(captures), 'utf8')) as Joined
  } catch {
    return {}
  }
}

/** The release of `source` that every row of `derived` was joined with, or undefined when nobody knows: then all are joined again. */
export const joinedRelease = (captures: string, derived: string, source: string): string | undefined =>
  readJoined(captures)[derived]?.[source]

/** Notes that every row of `derived` is joined with that release. A crash before it means the join is done once more. */
export function noteJoined(captures: string, derived: string, source: string, release: string): void {
  const joined = readJoined(captures)
  write(captures, { ...joined, [derived]: { ...joined[derived], [source]: release } })
}

/** Nobody knows what the rows of `derived` are joined with any more, so that the next publication of either joins all of them. */
export function forgetJoined(captures: string, derived: string): void {
  const { [derived]: forgotten, ...rest } = readJoined(captures)
  if (forgotten) write(captures, rest)
}

function write(captures: string, joined: Joined): void {
  const next = `${fileIn(captures)}.next`
  writeFileSync(next, JSON.stringify(joined))
  renameSync(next, fileIn(captures))
}
