import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { storedName } from '../../../catalog/index.ts'

/** The release from which all rows were last computed, by derived dataset and joined dataset. */
type JoinLog = Readonly<Record<string, Readonly<Record<string, string>>>>

const fileIn = (captures: string): string => join(captures, 'joined.json')

function readJoinLog(captures: string): JoinLog {
  try {
    return JSON.parse(readFileSync(fileIn(captures), 'utf8')) as JoinLog
  } catch {
    return {}
  }
}

/**
 * Returns the release of `source` from which `derived` was last computed. Undefined if all rows
 * must be joined again.
 */
export const loggedJoin = (captures: string, derived: string, source: string): string | undefined =>
  readJoinLog(captures)[storedName(derived)]?.[storedName(source)]

/** Records a complete join. A crash before the record only repeats the join. */
export function logJoin(captures: string, derived: string, source: string, release: string): void {
  const log = readJoinLog(captures)
  const [into, from] = [storedName(derived), storedName(source)]
  write(captures, { ...log, [into]: { ...log[into], [from]: release } })
}

/** Makes the next publication join all rows again. */
export function forgetJoins(captures: string, derived: string): void {
  const { [storedName(derived)]: forgotten, ...rest } = readJoinLog(captures)
  if (forgotten) write(captures, rest)
}

function write(captures: string, log: JoinLog): void {
  const next = `${fileIn(captures)}.${process.pid}.next`
  writeFileSync(next, JSON.stringify(log))
  renameSync(next, fileIn(captures))
}
