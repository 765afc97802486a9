export interface ByteRange {
  readonly from: number
  readonly bytes: number
}

/**
 * Parses a `Range` header. Null means that the whole file must be sent. Ignores several ranges,
 * other units, and a different `If-Range`.
 *
 * @param size size of the file in bytes
 * @param etag strong tag of the file, quoted
 * @returns `unsatisfiable` if the range starts after the end of the file
 */
export function rangeOf(
  range: string | undefined,
  ifRange: string | undefined,
  size: number,
  etag: string,
): ByteRange | 'unsatisfiable' | null {
  const asked = /^bytes=[ \t]*(\d{0,15})-(\d{0,15})[ \t]*$/i.exec(range ?? '')
  if (!asked || (ifRange !== undefined && ifRange.trim() !== etag)) return null
  const [first, last] = [asked[1]!, asked[2]!]
  if (first === '' && last === '') return null
  if (first === '') return suffixOf(Number(last), size)
  const [from, to] = [Number(first), last === '' ? Number.POSITIVE_INFINITY : Number(last)]
  if (to < from) return null
  return from >= size ? 'unsatisfiable' : { from, bytes: Math.min(to + 1, size) - from }
}

function suffixOf(bytes: number, size: number): ByteRange | 'unsatisfiable' {
  if (bytes === 0 || size === 0) return 'unsatisfiable'
  return { from: Math.max(0, size - bytes), bytes: Math.min(bytes, size) }
}
