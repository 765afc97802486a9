import { closeSync, createReadStream, createWriteStream, openSync, readSync } from 'node:fs'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createZstdDecompress, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { isMachineFault } from '../../src/engine/index.ts'

/** A compression format, recognized by the first bytes of a file, not by the file name. */
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

export const PACKED_ENDING = /\.(gz|zst)$/i

const packingOf = (bytes: Uint8Array): Packing | undefined => PACKINGS.find(({ begins }) => begins.every((byte, at) => bytes[at] === byte))

export interface UnpackFaults {
  tooLarge(): Error
  damaged(packing: string): Error
}

/**
 * Decompresses bytes. Returns uncompressed bytes unchanged.
 *
 * @param most maximum size in bytes
 * @throws an error of `faults`, or Error if resources are short
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
 * Decompresses a file.
 *
 * @returns false if the file is not compressed; nothing is then written
 * @throws an error of `faults`, or Error if reading or writing fails or resources are short
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
