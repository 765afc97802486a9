import { createHash } from 'node:crypto'
import { closeSync, openSync, readSync } from 'node:fs'
import { parentPort } from 'node:worker_threads'

/** The sha256 in hexadecimal, or the error of reading the file. */
export type HashResult = { readonly sha256: string } | { readonly code: string | undefined; readonly message: string }

/** Small enough for the CPU cache. */
const chunk = Buffer.allocUnsafeSlow(1 << 18)

// Each message is a path. Results have the same order.
parentPort!.on('message', (file: string) => parentPort!.postMessage(resultOf(file)))

function resultOf(file: string): HashResult {
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
      const read = readSync(file, chunk, 0, chunk.length, null)
      if (read === 0) return hash.digest('hex')
      hash.update(read === chunk.length ? chunk : chunk.subarray(0, read))
    }
  } finally {
    closeSync(file)
  }
}
