import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { storedName } from '../../../catalog/index.ts'

/**
 * By derived dataset: for each joined dataset, the release with which all rows were last computed.
 */
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
 * The release of `source` with which all rows of `derived` were joined. If undefined, it is
 * unknown, and all rows are joined again.
 */
export const loggedJoin = (captures: string, derived: string, source: string): string | undefined =>
  readJoinLog(captures)[storedName(derived)]?.[storedName(source)]

/**
 * Records that all rows of `derived` are joined with that release. If the process crashes before
 * this, the join is repeated.
 */
export function logJoin(captures: string, derived: string, source: string, release: string): void {
  const log = readJoinLog(captures)
  const [into, from] = [storedName(derived), storedName(source)]
  write(captures, { ...log, [into]: { ...log[into], [from]: release } })
}

/**
 * Deletes the record of `derived`, so that the next publication of either dataset joins all rows.
 */
export function forgetJoins(captures: string, derived: string): void {
  const { [storedName(derived)]: forgotten, ...rest } = readJoinLog(captures)
  if (forgotten) write(captures, rest)
}

function write(captures: string, log: JoinLog): void {
  const next = `${fileIn(captures)}.${process.pid}.next`
  writeFileSync(next, JSON.stringify(log))
  renameSync(next, fileIn(captures))
}
