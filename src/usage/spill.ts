import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { readSealed, sealedLine } from '../core/index.ts'
import type { Use } from './batch.ts'

/** What is in the file. */
export interface Spilled {
  /** Each once. */
  readonly uses: readonly Use[]
  /** Lines of which nothing is known: a crash cut one off, or the disk changed it. */
  readonly damaged: number
}

/**
 * Uses that a stopping service could not commit, one JSON object a line in a file beside the state file, until the next start books them.
 *
 * A crash while it is written leaves whole lines and at most one that is cut off. A line in which a bit flipped is not believed.
 */
export function createSpill(path: string) {
  /** Request ids in the file, as far as it was read or written here. */
  const held = new Set<string>()
  /** Something in the file cannot be booked. */
  let refused = false
  return {
    /** None where there is no file. @throws Error when it cannot be read */
    read(): Spilled {
      if (!existsSync(path)) return { uses: [], damaged: 0 }
      const { values, damaged } = readSealed<Use>(readFileSync(path, 'utf8'))
      const known = values.map(useOf).filter(use => use !== undefined)
      const uses = new Map(known.map(use => [use.requestId, use]))
      for (const id of uses.keys()) held.add(id)
      return { uses: [...uses.values()], damaged: damaged + values.length - known.length }
    },
    /** Adds the uses that are not in the file and syncs it. @throws Error when there is no room; the file is then as it was */
    append(uses: readonly Use[]): void {
      const added = uses.filter(({ requestId }) => !held.has(requestId))
      if (added.length === 0) return
      // Begins with a line break: the line before may be cut off.
      appendSynced(path, `\n${added.map(sealedLine).join('')}`)
      for (const { requestId } of added) held.add(requestId)
    },
    /** True while there is something in the file that was read or written here. */
    holdsAny: (): boolean => held.size > 0 || refused,
    /** Something in the file cannot be booked without a look at it: it is put aside instead of removed. */
    refuse(): void {
      refused = true
    },
    /**
     * Removes the file, or puts it aside under the ending `.refused`, or `.refused.2` and so on. To be called once every use in it that can be
     * booked is in the ledger, and synced.
     */
    remove(): void {
      if (refused) renameSync(path, freeName(`${path}.refused`))
      else rmSync(path, { force: true })
      held.clear()
      refused = false
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

/** Undefined for what is no use. */
function useOf({ requestId, accountId, keyId, dataset, at, credits, rows }: Use): Use | undefined {
  const texts = [requestId, accountId, keyId, dataset, at].every(text => typeof text === 'string')
  const counts = [credits, rows].every(count => Number.isSafeInteger(count) && count >= 0)
  return texts && counts ? { requestId, accountId, keyId, dataset, at, credits, rows } : undefined
}

function freeName(path: string): string {
  let name = path
  for (let nth = 2; existsSync(name); nth++) name = `${path}.${nth}`
  return name
}
