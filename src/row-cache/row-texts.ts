/** JSON text of consecutive rows, with a comma after each row. */
export interface RowText {
  readonly bytes: Buffer
  /** Start of each row in `bytes`, followed by the end of the last row. */
  readonly starts: readonly number[]
}

/** Cached JSON texts, each of `PAGE_ROWS` rows. */
export interface RowTexts {
  readonly rows: number
  textOf(page: number): RowText | undefined
  /** True if the text was used before and probably fits into memory. */
  shouldCache(page: number): boolean
  store(page: number, text: RowText): void
  exclude(page: number): void
}

/** With fewer rows, copying becomes slower. With more rows, encoding becomes slower. */
export const PAGE_ROWS = 32

/** Memory of a cached text without the bytes of the text. */
const TEXT_BYTES = 512
const SWEEP_MS = 60_000

export interface TextCache {
  textsFor(rows: number): BlockTexts
  /** Sets the memory limit in bytes. Evicts unused texts first. */
  limit(bytes: number): void
  bytes(): number
}

export interface BlockTexts extends RowTexts {
  /** Texts are not cached after this call. */
  close(): void
}

/**
 * If `unused` is true, evicts only texts that were not used recently.
 *
 * @returns number of freed bytes
 */
type Evict = (unused: boolean) => number

/**
 * Caches a text at its third use, because making it encodes rows that the read does not need.
 * Evicts unused texts at most once a minute. If repeated reads use more rows than fit into memory,
 * some texts therefore stay cached.
 *
 * @param now monotonic clock in ms
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
      /**
       * Size of the last text that did not fit. Texts of similar size are not tried until this many
       * bytes are free.
       */
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
        shouldCache: page => !closed && uses[page]! >= CACHED_AT_USE && !tooLong.has(page) && hasRoom(needed),
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
const CACHED_AT_USE = 3
const sizeOf = ({ bytes }: RowText): number => bytes.length + TEXT_BYTES
