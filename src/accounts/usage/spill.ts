import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Use } from './batch.ts'

/**
 * Uses that a stopping service could not commit, one JSON object a line in a file beside the state file, until the next start books them.
 *
 * A crash while it is written leaves whole lines and at most one that is cut off, which is not read.
 */
export function createSpill(path: string) {
  /** Request ids in the file, as far as it was read or written here. */
  const held = new Set<string>()
  return {
    /** The uses in the file, each once; none where there is no file. @throws Error when it cannot be read */
    read(): readonly Use[] {
      if (!existsSync(path)) return []
      const uses = new Map(
        readFileSync(path, 'utf8')
          .split('\n')
          .map(useOf)
          .filter(use => use !== undefined)
          .map(use => [use.requestId, use]),
      )
      for (const id of uses.keys()) held.add(id)
      return [...uses.values()]
    },
    /** Adds the uses that are not in the file and syncs it. @throws Error when there is no room; the file is then as it was */
    append(uses: readonly Use[]): void {
      const added = uses.filter(({ requestId }) => !held.has(requestId))
      if (added.length === 0) return
      // Begins with a line break: the line before may be cut off.
      appendSynced(path, `\n${added.map(use => JSON.stringify(use)).join('\n')}\n`)
      for (const { requestId } of added) held.add(requestId)
    },
    /** True while there are uses in the file that were read or written here. */
    holdsAny: (): boolean => held.size > 0,
    /** Removes the file. To be called once every use in it is in the ledger, and synced. */
    remove(): void {
      rmSync(path, { force: true })
      held.clear()
    },
    /** Puts the file aside under the ending `.refused`: what is in it may not be booked without a look at it. What was read is booked all the same. */
    putAside(): void {
      renameSync(path, `${path}.refused`)
      held.clear()
    },
  }
}

export type Spill = ReturnType<typeof createSpill>

function appendSynced(path: string, text: string): void {
  const before = statSync(path, { throwIfNoEntry: false })?.size
  const file = openSync(path, 'a', 0o600)
  try {
    const bytes = Buffer.from(text)
    // A disk with little room takes a part of what it is given.
    for (let written = 0; written < bytes.length; ) written += writeSync(file, bytes, written)
    fsyncSync(file)
  } catch (error) {
    ftruncateSync(file, before ?? 0)
    if (before === undefined) rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(file)
  }
  syncFolder(dirname(path))
}

function syncFolder(path: string): void {
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** A line as a use; undefined for one that is empty, cut off or not ours. */
function useOf(line: string): Use | undefined {
  try {
    const { requestId, accountId, keyId, dataset, at, credits, rows } = JSON.parse(line) as Use
    const texts = [requestId, accountId, keyId, dataset, at].every(text => typeof text === 'string')
    const counts = [credits, rows].every(count => Number.isSafeInteger(count) && count >= 0)
    return texts && counts ? { requestId, accountId, keyId, dataset, at, credits, rows } : undefined
  } catch {
    return undefined
  }
}
