/** JSON text of consecutive rows with all columns. There is a comma after each row. Immutable. */
export interface RowText {
  readonly bytes: Buffer
  /** For each row, its start in `bytes`. The last element is the end of the last row. */
  readonly starts: readonly number[]
}

/**
 * Cached JSON texts of the rows of a block. Each text is a page of `PAGE_ROWS` rows. The last page
 * may be shorter. The JSON encoder adds the texts.
 */
export interface RowTexts {
  readonly rows: number
  /** Returns the cached text of a page. Each call counts as a use of the page. */
  textOf(page: number): RowText | undefined
  /**
   * True if the text of a page should be cached. The page was used before, and there may be enough
   * memory.
   */
  shouldCache(page: number): boolean
  store(page: number, text: RowText): void
  exclude(page: number): void
}

/**
 * Number of rows per page. Shorter pages make copying more expensive, and longer pages make
 * encoding more expensive. A page of a numeric series has about 12 KB.
 */
export const PAGE_ROWS = 32

/** Memory of a cached text in bytes, without the text itself. */
const TEXT_BYTES = 512
const SWEEP_MS = 60_000

/** The cached texts of all blocks. They share one memory limit. */
export interface TextCache {
  textsFor(rows: number): BlockTexts
  /**
   * Sets the memory limit, in bytes. Evicts texts until the limit is met, starting with unused
   * texts.
   */
  limit(bytes: number): void
  bytes(): number
}

export interface BlockTexts extends RowTexts {
  /** Evicts all texts. Later texts are not cached. */
  close(): void
}

/**
 * Evicts texts of one block. If `unused` is true, texts that were used since the last eviction
 * stay.
 *
 * @returns the number of freed bytes
 */
type Evict = (unused: boolean) => number

/**
 * Creates a cache that stores the text of a page at its second use, until the memory limit is
 * reached. Then the texts that were not used since the last eviction are evicted, at most once a
 * minute. Because evictions are rare, a client that repeatedly reads more rows than fit still finds
 * some of their texts.
 *
 * @param now current time in ms of a monotonic clock
 */
export function createTextCache(now: () => number = () => performance.now()): TextCache {
  const blocks = new Set<Evict>()
  let bytes = 0
  let maxBytes = 0
  let sweptAt = Number.NEGATIVE_INFINITY
  const evictAll = (unused: boolean): void => {
    for (const evict of blocks) bytes -= evict(unused)
  }
  const hasRoom = (more: number): boolean => {
    if (bytes + more <= maxBytes) return true
    if (maxBytes === 0 || now() - sweptAt < SWEEP_MS) return false
    sweptAt = now()
    evictAll(true)
    return bytes + more <= maxBytes
  }
  return {
    textsFor(rows) {
      const uses = new Uint8Array(Math.ceil(rows / PAGE_ROWS))
      let texts: (RowText | undefined)[] = []
      // Size of the last text that did not fit. Texts of a block have similar sizes. Until the next
      // eviction, no text is tried unless this number of bytes is free.
      let needed = TEXT_BYTES
      let closed = false
      const tooLong = new Set<number>()
      const evict: Evict = unused => {
        let freed = 0
        needed = TEXT_BYTES
        texts = texts.map((text, page) => {
          if (!text || (unused && uses[page]! > 0)) return text
          freed += sizeOf(text)
          return undefined
        })
        uses.fill(0)
        return freed
      }
      return {
        rows,
        textOf(page) {
          if (uses[page]! < MOST_USES) uses[page]!++
          return texts[page]
        },
        shouldCache: page => !closed && uses[page]! > 1 && !tooLong.has(page) && hasRoom(needed),
        exclude: page => void tooLong.add(page),
        store(page, text) {
          if (closed || texts[page]) return
          blocks.add(evict)
          if (!hasRoom(sizeOf(text))) {
            needed = sizeOf(text)
            return
          }
          if (texts.length === 0) texts = new Array(uses.length).fill(undefined)
          texts[page] = text
          bytes += sizeOf(text)
        },
        close() {
          closed = true
          bytes -= evict(false)
          blocks.delete(evict)
        },
      }
    },
    limit(newMaxBytes) {
      maxBytes = newMaxBytes
      if (bytes > maxBytes) evictAll(true)
      for (const evict of blocks) if (bytes > maxBytes) bytes -= evict(false)
    },
    bytes: () => bytes,
  }
}

const MOST_USES = 255
const sizeOf = ({ bytes }: RowText): number => bytes.length + TEXT_BYTES
