import { LRUCache } from 'lru-cache'

/** Cache of parsed manifests and spans, keyed by the sha256 of the text. */
export interface ParsedFiles {
  get(sha256: string): unknown
  /** @param length length of the text in characters */
  set(sha256: string, parsed: unknown, length: number): void
}

/** Maximum size of the cache, in characters of text. The spans of a few large releases fit. */
const MOST_CHARACTERS = 1 << 24

/** Creates an LRU cache. Callers must not change the cached objects. */
export function createParsedFiles(): ParsedFiles {
  const parsed = new LRUCache<string, object>({ maxSize: MOST_CHARACTERS })
  return {
    get: sha256 => parsed.get(sha256),
    set: (sha256, value, length) => void parsed.set(sha256, value as object, { size: Math.max(1, length) }),
  }
}
