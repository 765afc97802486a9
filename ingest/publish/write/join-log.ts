import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { storedName } from '../../../catalog/index.ts'

/**
 * For each derived dataset and each dataset that it joins: the release from which all rows were
 * last computed.
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
 * Returns the release of `source` from which all rows of `derived` were last computed. Undefined if
 * unknown; all rows must then be joined again.
 */
export const loggedJoin = (captures: string, derived: string, source: string): string | undefined =>
  readJoinLog(captures)[storedName(derived)]?.[storedName(source)]

/**
 * Records the release of `source` from which all rows of `derived` were computed. After a crash
 * before this record, the join is repeated.
 */
export function logJoin(captures: string, derived: string, source: string, release: string): void {
  const log = readJoinLog(captures)
  const [into, from] = [storedName(derived), storedName(source)]
  write(captures, { ...log, [into]: { ...log[into], [from]: release } })
}

/** Deletes the record of `derived`, so that the next publication joins all rows again. */
export function forgetJoins(captures: string, derived: string): void {
  const { [storedName(derived)]: forgotten, ...rest } = readJoinLog(captures)
  if (forgotten) write(captures, rest)
}

function write(captures: string, log: JoinLog): void {
  const next = `${fileIn(captures)}.${process.pid}.next`
  writeFileSync(next, JSON.stringify(log))
  renameSync(next, fileIn(captures))
}
