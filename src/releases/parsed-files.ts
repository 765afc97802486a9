import { LRUCache } from 'lru-cache'

/** What was parsed of manifests and spans, by the sha256 of their text: a text whose sha256 is known need not be parsed again. */
export interface ParsedFiles {
  get(sha256: string): unknown
  /** @param length of the text, in characters */
  set(sha256: string, parsed: unknown, length: number): void
}

/** Characters of text whose parsed form is kept: the spans of a few large releases. */
const KEPT = 1 << 24

/** Keeps what was used last. Nobody may change what comes out of it. */
export function createParsedFiles(): ParsedFiles {
  const parsed = new LRUCache<string, object>({ maxSize: KEPT })
  return {
    get: sha256 => parsed.get(sha256),
    set: (sha256, value, length) => void parsed.set(sha256, value as object, { size: Math.max(1, length) }),
  }
}
