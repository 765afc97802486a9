import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { checksummedLine, readChecksummedLines, syncNow } from '../core/index.ts'
import type { Use } from './batch.ts'

export interface Spilled {
  readonly uses: readonly Use[]
  /** Number of damaged lines, including a line that a crash cut off. */
  readonly damaged: number
}

/** Enough for 100,000 uses of up to 335 bytes. */
const RESERVED_BYTES = 32 * 2 ** 20
const BLOCK_BYTES = 2 ** 20
/** Number of uses that are written completely or not at all. */
const CHUNK_USES = 500
/**
 * Unused space contains line breaks, because readers ignore empty lines. With zeros, a copy of the
 * file could become sparse.
 */
const PADDING = 0x0a

/**
 * Stores uses that cannot be committed, one JSON object per line. Reserves space in advance,
 * because the disk may be full. The first use renames the reserve file, and lines replace the
 * padding. A crash leaves complete lines and at most one partial line. Btrfs and ZFS still need
 * free space, because they never overwrite in place.
 */
export function createSpill(path: string) {
  const reservePath = `${path}.reserve`
  const unfinishedPath = `${reservePath}.part`
  const storedIds = new Set<string>()
  /** True if some content cannot be added to the ledger. */
  let hasRefused = false
  /** Length of the lines in bytes. Null until the file is read. */
  let contentBytes: number | null = null
  let isClosed = false

  const readContent = (): Buffer => {
    const bytes = existsSync(path) ? withoutPadding(readFileSync(path)) : Buffer.alloc(0)
    contentBytes = bytes.length
    return bytes
  }
  const openFile = (): number => {
    if (!existsSync(path)) {
      if (existsSync(reservePath)) renameSync(reservePath, path)
      contentBytes = 0
    } else if (contentBytes === null) readContent()
    return openSync(path, constants.O_RDWR | constants.O_CREAT, 0o600)
  }
  const writeChunk = (uses: readonly Use[]): void => {
    // Start with a line break, because the line before may be incomplete.
    const bytes = Buffer.from(`\n${uses.map(checksummedLine).join('')}`)
    const descriptor = openFile()
    try {
      replacePadding(descriptor, bytes, contentBytes!)
    } catch (error) {
      if (fstatSync(descriptor).size === 0) rmSync(path, { force: true })
      throw error
    } finally {
      closeSync(descriptor)
    }
    contentBytes! += bytes.length
    for (const { requestId } of uses) storedIds.add(requestId)
  }
  const recycle = (): void => {
    const length = contentBytes ?? readContent().length
    renameSync(path, unfinishedPath)
    const descriptor = openSync(unfinishedPath, 'r+')
    try {
      writeFully(descriptor, Buffer.alloc(length, PADDING), 0)
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
    renameSync(unfinishedPath, reservePath)
  }
  return {
    /**
     * Allocates space without blocking the event loop. Safe to call twice. After a kill, the next
     * call replaces the partial file.
     *
     * @throws Error if the disk is full
     */
    async reserve(): Promise<void> {
      if (existsSync(path) || sizeOf(reservePath) === RESERVED_BYTES) return
      const file = await open(unfinishedPath, 'w', 0o600)
      try {
        const block = Buffer.alloc(BLOCK_BYTES, PADDING)
        for (let written = 0; written < RESERVED_BYTES && !isClosed; ) written += (await file.write(block)).bytesWritten
        await file.sync()
      } catch (error) {
        await rm(unfinishedPath, { force: true })
        throw error
      } finally {
        await file.close()
      }
      if (isClosed) await rm(unfinishedPath, { force: true })
      else await rename(unfinishedPath, reservePath)
    },
    /**
     * Empty if the file does not exist.
     * @throws Error if the file cannot be read
     */
    read(): Spilled {
      const { values, damaged } = readChecksummedLines<Use>(readContent().toString())
      const valid = values.map(parseUse).filter(use => use !== undefined)
      const uses = new Map(valid.map(use => [use.requestId, use]))
      for (const id of uses.keys()) storedIds.add(id)
      return { uses: [...uses.values()], damaged: damaged + values.length - valid.length }
    },
    /**
     * Appends uses that are not in the file yet. Call `sync` to survive a power cut. Without
     * `sync`, the uses survive a kill.
     *
     * @throws Error if some uses do not fit
     */
    append(uses: readonly Use[]): void {
      const added = uses.filter(({ requestId }) => !storedIds.has(requestId))
      for (let from = 0; from < added.length; from += CHUNK_USES) writeChunk(added.slice(from, from + CHUNK_USES))
    },
    /** @throws Error if the disk fails */
    sync(): void {
      if (!existsSync(path)) return
      syncNow(path)
      syncNow(dirname(path))
    },
    has: ({ requestId }: Use): boolean => storedIds.has(requestId),
    hasContent: (): boolean => storedIds.size > 0 || hasRefused,
    /**
     * Records that a part of the file cannot be added to the ledger, for an operator to inspect.
     * `remove` then renames the file instead of emptying the file.
     */
    markRefused(): void {
      hasRefused = true
    },
    /** Empties or renames the file. Call after all uses are in the ledger and synced. */
    remove(): void {
      if (hasRefused) {
        truncateSync(path, contentBytes ?? readContent().length)
        renameSync(path, freeName(`${path}.refused`))
      } else if (sizeOf(path) === RESERVED_BYTES) recycle()
      else rmSync(path, { force: true })
      storedIds.clear()
      hasRefused = false
      contentBytes = null
    },
    close(): void {
      isClosed = true
    },
  }
}

export type Spill = ReturnType<typeof createSpill>

const sizeOf = (path: string): number | undefined => statSync(path, { throwIfNoEntry: false })?.size

function withoutPadding(bytes: Buffer): Buffer {
  let end = bytes.length
  while (end > 0 && bytes[end - 1] === PADDING) end--
  return bytes.subarray(0, Math.min(end + 1, bytes.length))
}

/** @throws Error if the bytes do not fit. In that case, the file is unchanged */
function replacePadding(descriptor: number, bytes: Buffer, position: number): void {
  const { size } = fstatSync(descriptor)
  try {
    writeFully(descriptor, bytes, position)
  } catch (error) {
    const inside = Math.min(bytes.length, size - position)
    if (inside > 0) writeFully(descriptor, Buffer.alloc(inside, PADDING), position)
    ftruncateSync(descriptor, size)
    throw error
  }
}

/** A nearly full disk may accept only a part of the bytes. */
function writeFully(descriptor: number, bytes: Buffer, position: number): void {
  for (let written = 0; written < bytes.length; )
    written += writeSync(descriptor, bytes, written, bytes.length - written, position + written)
}

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
