/** Rows a bucket is sized for: a point read opens one file and decodes one or two row groups of it. */
export const ROWS_PER_BUCKET = 26_000

/**
 * Bucket of a key: 32-bit FNV-1a over its UTF-8 bytes, modulo the bucket count. Fixed for ever, since it decides which file
 * holds a key; an engine's own hash may change between versions.
 */
export function bucketOf(key: string, buckets: number): number {
  let hash = 0x811c9dc5
  for (const byte of Buffer.from(key)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0
  return hash % buckets
}

/** Buckets for a release of that many rows; one where the dataset has no key. */
export const bucketsFor = (rows: number): number => Math.max(1, Math.ceil(rows / ROWS_PER_BUCKET))
