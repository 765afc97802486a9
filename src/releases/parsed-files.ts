import { LRUCache } from 'lru-cache'

export interface ParsedFiles {
  get(sha256: string): unknown
  /** @param length the length of the text in characters */
  set(sha256: string, parsed: unknown, length: number): void
}

/** Fits a few large releases. */
const MOST_CHARACTERS = 1 << 24

/** Callers must not change the cached objects. */
export function createParsedFiles(): ParsedFiles {
  const parsed = new LRUCache<string, object>({ maxSize: MOST_CHARACTERS })
  return {
    get: sha256 => parsed.get(sha256),
    set: (sha256, value, length) => void parsed.set(sha256, value as object, { size: Math.max(1, length) }),
  }
}
