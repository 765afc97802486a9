/**
 * Encoded JSON of consecutive rows with all columns. Each row is followed by a comma. Immutable.
 */
export interface RowText {
  readonly bytes: Buffer
  /** Offsets of the rows in `bytes`, followed by the end of the last row. */
  readonly starts: readonly number[]
}

/**
 * Cached JSON of a block's rows, in pages of `PAGE_ROWS` rows. The last page may have fewer rows.
 * The JSON encoder adds the texts.
 */
export interface RowTexts {
  /** Number of rows of the block. */
  readonly rows: number
  /** Returns the cached text of a page. Counts as a use of the page. */
  textOf(page: number): RowText | undefined
  /**
   * True if a page should be encoded and cached: it was used before, and there may be enough
   * memory.
   */
  shouldCache(page: number): boolean
  /** Caches the text of a page, if there is enough memory. */
  store(page: number, text: RowText): void
  /** Marks a page as too long to be cached. */
  exclude(page: number): void
}

/**
 * Rows per page. With shorter pages, copying costs more; with longer pages, encoding costs more. A
 * page of a numeric series has about 12 KB.
 */
export const PAGE_ROWS = 32

/** Memory of a page's text with its offsets, without its bytes. */
const TEXT_BYTES = 512
/** Minimum time between evictions of unused texts. */
const SWEEP_MS = 60_000

/** The cached texts of all blocks, with a common memory limit. */
export interface TextCache {
  /** Creates the cache of a block of `rows` rows. */
  textsFor(rows: number): BlockTexts
  /** Sets the memory limit. Evicts texts until the limit is met, unused ones first. */
  limit(bytes: number): void
  bytes(): number
}

/** Cached JSON of one block. */
export interface BlockTexts extends RowTexts {
  /** Evicts all texts and stops caching. */
  close(): void
}

/**
 * Evicts texts of one block. If `unused` is true, evicts only texts that were not used since the
 * last eviction.
 *
 * @returns number of bytes freed
 */
type Evict = (unused: boolean) => number

/**
 * Caches the text of a page at its second use, until the memory limit is reached. Then evicts, at
 * most once a minute, the texts that were not used since the last eviction. Because evictions are
 * rare, clients that repeatedly read more rows than fit still find some texts in the cache.
 *
 * @param now milliseconds of a monotonic clock
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
      // Size of the last text that did not fit. Texts of a block have similar sizes, so smaller
      // sizes are not tried until the next eviction.
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
