import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'

/** What is found of a file: its sha256 as hex, or why it cannot be read. */
export type Found = { readonly sha256: string } | { readonly code: string | undefined; readonly message: string }

/** Bytes read at a time, into memory that stays in the processor's cache. */
const piece = Buffer.allocUnsafeSlow(1 << 18)

/** A thread that hashes the files it is sent, one after another, and answers in their order. */
parentPort!.on('message', (file: string) => parentPort!.postMessage(found(file)))

function found(file: string): Found {
  try {
    return { sha256: sha256Of(file) }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { code, message }
  }
}

function sha256Of(path: string): string {
  const file = openSync(path, 'r')
  try {
    const hash = createHash('sha256')
    for (;;) {
      const read = readSync(file, piece, 0, piece.length, null)
      if (read === 0) return hash.digest('hex')
      hash.update(read === piece.length ? piece : piece.subarray(0, read))
    }
  } finally {
    closeSync(file)
  }
}
