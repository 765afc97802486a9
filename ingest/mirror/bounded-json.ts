import { commandRefusal } from '../../src/core/index.ts'

export interface JsonLimits {
  readonly bytes: number
  /** Maximum number of values and property names. Each needs up to about 60 bytes when parsed. */
  readonly values: number
}

const MIB = 2 ** 20
export const ERROR_LIMITS: JsonLimits = { bytes: MIB / 16, values: 10_000 }
/** A list of 10,000 files has about 6 MB. */
export const LIST_LIMITS: JsonLimits = { bytes: 32 * MIB, values: 1_000_000 }
/** Statistics of the largest dataset have some tens of megabytes. */
export const DATA_LIMITS: JsonLimits = { bytes: 256 * MIB, values: 10_000_000 }

/** Maximum depth of nesting. Our documents have fewer than ten levels. */
const MAX_DEPTH = 32

/**
 * Parses JSON from another service. Counts levels and values first, because `[[[[…` takes 60 times
 * its size when parsed.
 *
 * @returns undefined if the text is not JSON
 * @throws Refusal conflict if the document exceeds a limit
 */
export function parseJson(bytes: Buffer, limits: JsonLimits): unknown {
  const { depth, values } = structureOf(bytes, limits.values)
  if (depth > MAX_DEPTH) throw tooLarge(`JSON with more than ${MAX_DEPTH} levels`)
  if (values > limits.values) throw tooLarge(`JSON with more than ${limits.values} values`)
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

/** Refuses a document that exceeds a limit. */
export const tooLarge = (fault: string) =>
  commandRefusal('conflict', {}, `The service sent ${fault}; the document was discarded. Check the address, or report it to the operator.`)

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [...Buffer.from('"\\,[]{}')] as [
  number,
  number,
  number,
  number,
  number,
  number,
  number,
]

/**
 * Returns the depth, and an upper bound of the number of values. Stops as soon as a limit is
 * exceeded.
 */
function structureOf(bytes: Buffer, maxValues: number): { readonly depth: number; readonly values: number } {
  let [level, depth, values] = [0, 0, 1]
  for (let index = 0; index < bytes.length && depth <= MAX_DEPTH && values <= maxValues; index++) {
    const byte = bytes[index]
    if (byte === QUOTE) index = endOfString(bytes, index)
    else if (byte === COMMA) values++
    else if (byte === OPEN_LIST || byte === OPEN_OBJECT) {
      values++
      depth = Math.max(depth, ++level)
    } else if (byte === CLOSE_LIST || byte === CLOSE_OBJECT) level--
  }
  return { depth, values }
}

function endOfString(bytes: Buffer, start: number): number {
  let index = start + 1
  while (index < bytes.length && bytes[index] !== QUOTE) index += bytes[index] === BACKSLASH ? 2 : 1
  return index
}
