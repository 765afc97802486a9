import { closeSync, createReadStream, createWriteStream, openSync, readSync } from 'node:fs'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdDecompress, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { isMachineFault } from '../../src/engine/index.ts'

/** A compression format, recognized by its first bytes, not by file name. */
interface Packing {
  readonly name: string
  readonly begins: readonly number[]
  readonly unpack: (bytes: Uint8Array, options: { maxOutputLength: number }) => Uint8Array
  readonly stream: () => Transform
}

const PACKINGS: readonly Packing[] = [
  { name: 'gzip', begins: [0x1f, 0x8b], unpack: gunzipSync, stream: createGunzip },
  { name: 'zstd', begins: [0x28, 0xb5, 0x2f, 0xfd], unpack: zstdDecompressSync, stream: createZstdDecompress },
]

/** File name extensions of compressed files. */
export const PACKED_ENDING = /\.(gz|zst)$/i

const packingOf = (bytes: Uint8Array): Packing | undefined => PACKINGS.find(({ begins }) => begins.every((byte, at) => bytes[at] === byte))

/** Errors that stop decompression. */
export interface UnpackFaults {
  /** The content exceeds the limit. */
  tooLarge(): Error
  /** @param packing name of the format; the data is truncated or invalid */
  damaged(packing: string): Error
}

/**
 * Decompresses bytes. Uncompressed bytes are returned unchanged.
 *
 * @param most maximum size
 * @throws the given faults, or Error if resources are short
 */
export function unpacked(bytes: Uint8Array, most: number, faults: UnpackFaults): Uint8Array {
  const packing = packingOf(bytes)
  if (!packing) return bytes
  try {
    return packing.unpack(bytes, { maxOutputLength: most })
  } catch (error) {
    if (isMachineFault(error)) throw error
    throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? faults.tooLarge() : faults.damaged(packing.name)
  }
}

/**
 * Decompresses a file to another, in pieces.
 *
 * @returns false if the file is not compressed; nothing is written in that case
 * @throws the given faults, or Error of reading, writing or resource shortages
 */
export async function unpackFile(from: string, to: string, most: number, faults: UnpackFaults): Promise<boolean> {
  const packing = packingOf(firstBytes(from))
  if (!packing) return false
  let written = 0
  const bound = new Transform({
    transform(chunk: Buffer, _, done) {
      written += chunk.length
      done(written > most ? faults.tooLarge() : null, chunk)
    },
  })
  try {
    await pipeline(createReadStream(from), packing.stream(), bound, createWriteStream(to))
    return true
  } catch (error) {
    const isOfUnpacking = String((error as NodeJS.ErrnoException).code).startsWith('Z') && !isMachineFault(error)
    throw isOfUnpacking ? faults.damaged(packing.name) : error
  }
}

function firstBytes(path: string): Buffer {
  const [bytes, file] = [Buffer.alloc(4), openSync(path, 'r')]
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, 4, 0))
  } finally {
    closeSync(file)
  }
}
