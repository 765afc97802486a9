/** A short run of bytes that is written often, as whole words. */
export interface Word {
  readonly length: number
  /** Eight bytes each, little-endian; the last may hold zeros that the next write covers. */
  readonly octets: Float64Array
}

export function wordOf(text: string): Word {
  const bytes = Buffer.from(text)
  const padded = Buffer.alloc(Math.ceil(bytes.length / 8) * 8)
  bytes.copy(padded)
  return { length: bytes.length, octets: Float64Array.from({ length: padded.length / 8 }, (_, index) => padded.readDoubleLE(8 * index)) }
}

/** Takes up to seven bytes more than the word has. @returns where the next byte goes */
export function writeWord(view: DataView, at: number, { length, octets }: Word): number {
  for (let index = 0; index < octets.length; index++) view.setFloat64(at + 8 * index, octets[index]!, true)
  return at + length
}
