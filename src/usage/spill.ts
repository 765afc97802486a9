import { closeSync, existsSync, fsyncSync, ftruncateSync, openSync, readFileSync, renameSync, rmSync, statSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { checksummedLine, readChecksummedLines } from '../core/index.ts'
import type { Use } from './batch.ts'

/** Content of the spill file. */
export interface Spilled {
  /** Without duplicates. */
  readonly uses: readonly Use[]
  /** Number of lines that a crash cut off or the disk changed. */
  readonly damaged: number
}

/**
 * Stores uses that a stopping service could not commit, until the next start books them. The file
 * is next to the state file and has one JSON object per line.
 *
 * A crash during a write leaves whole lines and at most one partial line. A checksum detects
 * changed lines.
 */
export function createSpill(path: string) {
  /** Request ids that this process read from the file or wrote to it. */
  const storedIds = new Set<string>()
  /** True if something in the file cannot be booked. */
  let hasRefused = false
  return {
    /** Empty without a file. @throws Error if the file cannot be read */
    read(): Spilled {
      if (!existsSync(path)) return { uses: [], damaged: 0 }
      const { values, damaged } = readChecksummedLines<Use>(readFileSync(path, 'utf8'))
      const valid = values.map(parseUse).filter(use => use !== undefined)
      const uses = new Map(valid.map(use => [use.requestId, use]))
      for (const id of uses.keys()) storedIds.add(id)
      return { uses: [...uses.values()], damaged: damaged + values.length - valid.length }
    },
    /**
     * Appends uses that are not in the file, and syncs it.
     *
     * @throws Error if the disk is full; the file is then unchanged
     */
    append(uses: readonly Use[]): void {
      const added = uses.filter(({ requestId }) => !storedIds.has(requestId))
      if (added.length === 0) return
      // Starts with a line break because the previous line may be incomplete.
      appendSynced(path, `\n${added.map(checksummedLine).join('')}`)
      for (const { requestId } of added) storedIds.add(requestId)
    },
    /** True if this process read something from the file or wrote to it. */
    hasContent: (): boolean => storedIds.size > 0 || hasRefused,
    /** Marks content that cannot be booked: `remove` renames the file instead of deleting it. */
    markRefused(): void {
      hasRefused = true
    },
    /**
     * Deletes the file, or renames it to `.refused` (then `.refused.2` and so on) if it has content
     * that cannot be booked. Call it after all other uses are booked and synced.
     */
    remove(): void {
      if (hasRefused) renameSync(path, freeName(`${path}.refused`))
      else rmSync(path, { force: true })
      storedIds.clear()
      hasRefused = false
    },
  }
}

export type Spill = ReturnType<typeof createSpill>

function appendSynced(path: string, text: string): void {
  const sizeBefore = statSync(path, { throwIfNoEntry: false })?.size
  const descriptor = openSync(path, 'a', 0o600)
  try {
    const bytes = Buffer.from(text)
    // A nearly full disk can accept part of a write.
    for (let written = 0; written < bytes.length; ) written += writeSync(descriptor, bytes, written)
    fsyncSync(descriptor)
  } catch (error) {
    ftruncateSync(descriptor, sizeBefore ?? 0)
    if (sizeBefore === undefined) rmSync(path, { force: true })
    throw error
  } finally {
    closeSync(descriptor)
  }
  syncFolder(dirname(path))
}

function syncFolder(path: string): void {
  const descriptor = openSync(path, 'r')
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Validates a parsed line. */
function parseUse({ requestId, accountId, keyId, dataset, at, credits, rows }: Use): Use | undefined {
  const texts = [requestId, accountId, keyId, dataset, at].every(text => typeof text === 'string')
  const counts = [credits, rows].every(count => Number.isSafeInteger(count) && count >= 0)
  return texts && counts ? { requestId, accountId, keyId, dataset, at, credits, rows } : undefined
}

function freeName(path: string): string {
  let name = path
  for (let nth = 2; existsSync(name); nth++) name = `${path}.${nth}`
  return name
}
