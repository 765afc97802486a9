/** JSON texts of neighbouring rows, each as an answer with every column writes it, with a comma after it. Immutable. */
export interface RowText {
  readonly bytes: Buffer
  /** Where each row begins in `bytes`, and where the last one ends. */
  readonly starts: readonly number[]
}

/** Texts of the rows of one block, by page: `PAGE_ROWS` rows from a multiple of that on, fewer in the last page. Whoever encodes rows makes them. */
export interface RowTexts {
  /** Rows of the block. */
  readonly rows: number
  /** The text of a page, if it is kept. Counts as a use of it. */
  textOf(page: number): RowText | undefined
  /** A page was asked for before and there may be room for it: its text is worth making. */
  wants(page: number): boolean
  /** Keeps the text of a page, if there is room. */
  keep(page: number, text: RowText): void
  /** The text of a page is too long to be kept, and is not to be made again. */
  leave(page: number): void
}

/** Rows of a page. Shorter pages cost more to copy and larger ones more to make; a page of a numeric series takes 12 KB. */
export const PAGE_ROWS = 32

/** What a text takes beside its bytes, with its starts. */
const TEXT_BYTES = 512
/** How long texts that nobody asks for stay, at least, once there is no room for others. */
const SWEEP_MS = 60_000

/** Memory for the texts of all blocks. */
export interface TextMemory {
  /** For a block of so many rows. */
  textsFor(rows: number): BlockTexts
  /** From now on texts may take so many bytes; where they take more, all are given up. */
  limit(bytes: number): void
  bytes(): number
}

/** Texts of a block, which goes some day. */
export interface BlockTexts extends RowTexts {
  /** Gives all texts up, and keeps none any more. */
  close(): void
}

/** Gives up texts of a block, only those that were not asked for since the last time where `unused` is true. @returns bytes given up */
type GiveUp = (unused: boolean) => number

/**
 * Texts are made when their rows are asked for a second time, for as long as there is room. Then, at most once a minute, those that were not
 * asked for since the last time make room for others: so reads that go round more rows than there is room for find some of them.
 *
 * @param now milliseconds of a monotonic clock
 */
export function createTextMemory(now: () => number = () => performance.now()): TextMemory {
  const blocks = new Set<GiveUp>()
  let [bytes, most, sweptAt] = [0, 0, Number.NEGATIVE_INFINITY]
  const giveUpAll = (unused: boolean): void => {
    for (const giveUp of blocks) bytes -= giveUp(unused)
  }
  const hasRoom = (more: number): boolean => {
    if (bytes + more <= most) return true
    if (most === 0 || now() - sweptAt < SWEEP_MS) return false
    sweptAt = now()
    giveUpAll(true)
    return bytes + more <= most
  }
  return {
    textsFor(rows) {
      const uses = new Uint8Array(Math.ceil(rows / PAGE_ROWS))
      let texts: (RowText | undefined)[] = []
      // What a page takes that there was no room for, until texts were given up: pages of a block are about as long as each other.
      let needed = TEXT_BYTES
      let closed = false
      /** Pages whose text is too long. */
      const left = new Set<number>()
      const giveUp: GiveUp = unused => {
        let given = 0
        needed = TEXT_BYTES
        texts = texts.map((text, page) => {
          if (!text || (unused && uses[page]! > 0)) return text
          given += sizeOf(text)
          return undefined
        })
        uses.fill(0)
        return given
      }
      return {
        rows,
        textOf(page) {
          if (uses[page]! < MOST_USES) uses[page]!++
          return texts[page]
        },
        wants: page => !closed && uses[page]! > 1 && !left.has(page) && hasRoom(needed),
        leave: page => void left.add(page),
        keep(page, text) {
          if (closed || texts[page]) return
          blocks.add(giveUp)
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
          bytes -= giveUp(false)
          blocks.delete(giveUp)
        },
      }
    },
    limit(of) {
      most = of
      if (bytes > most) giveUpAll(false)
    },
    bytes: () => bytes,
  }
}

const MOST_USES = 255
const sizeOf = ({ bytes }: RowText): number => bytes.length + TEXT_BYTES
