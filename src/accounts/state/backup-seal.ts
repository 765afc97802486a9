import { createHash } from 'node:crypto'
import { closeSync, fstatSync, fsyncSync, openSync, readSync, writeSync } from 'node:fs'

/** What a sealed file ends with, after its pages: this word and the sha256 of all before it. SQLite passes over both. */
const WORD = Buffer.from('twmd-sha256:')
const DIGEST = 32
const SEAL = WORD.length + DIGEST

/** SQLite does not notice a flipped bit in a value, so a backup carries its own digest. Returns once it is on the disk. */
export function sealFile(path: string): void {
  withFile(path, 'r+', (file, size) => {
    writeSync(file, Buffer.concat([WORD, digestOf(file, size)]), 0, SEAL, size)
    fsyncSync(file)
  })
}

/** True for a file that is byte for byte what was sealed, false for one that is not, undefined for one without a seal. */
export function sealHolds(path: string): boolean | undefined {
  return withFile(path, 'r', (file, size) => {
    if (size < SEAL) return undefined
    const seal = Buffer.alloc(SEAL)
    readSync(file, seal, 0, SEAL, size - SEAL)
    if (!seal.subarray(0, WORD.length).equals(WORD)) return undefined
    return digestOf(file, size - SEAL).equals(seal.subarray(WORD.length))
  })
}

function withFile<T>(path: string, flags: 'r' | 'r+', work: (file: number, size: number) => T): T {
  const file = openSync(path, flags)
  try {
    return work(file, fstatSync(file).size)
  } finally {
    closeSync(file)
  }
}

/** sha256 of the first `size` bytes, a piece at a time. */
function digestOf(file: number, size: number): Buffer {
  const [hash, piece] = [createHash('sha256'), Buffer.alloc(2 ** 20)]
  for (let at = 0; at < size; ) {
    const read = readSync(file, piece, 0, Math.min(piece.length, size - at), at)
    if (read === 0) break
    hash.update(piece.subarray(0, read))
    at += read
  }
  return hash.digest()
}
