export const MAX_TOKENS = 20_000

/** Low, because JSON contains many digits and punctuation marks. */
const ASCII_PER_TOKEN = 2.5
const TOKENS_PER_OTHER = 1.5

/** Returns a high estimate, so that answers stay within the limit. */
export function tokensOf(text: string): number {
  let others = 0
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) > 0x7f) others++
  return Math.ceil((text.length - others) / ASCII_PER_TOKEN + others * TOKENS_PER_OTHER)
}

/**
 * Returns as many items as fit into one answer, at least one item.
 *
 * @param rest the answer without the items
 */
export function takeFitting<T>(items: readonly T[], rest: object): readonly T[] {
  let remaining = MAX_TOKENS - tokensOf(JSON.stringify(rest))
  const end = items.findIndex((item, index) => {
    remaining -= tokensOf(JSON.stringify(item)) + 1
    return remaining < 0 && index > 0
  })
  return end === -1 ? items : items.slice(0, end)
}

const LENGTH_RATIO = 2

/** Returns how many items fit into one answer. Infinity without examples. */
export function maxFitting(examples: readonly unknown[]): number {
  const shortest = Math.min(...examples.map(item => tokensOf(JSON.stringify(item)) + 1))
  return Number.isFinite(shortest) ? Math.ceil((LENGTH_RATIO * MAX_TOKENS) / shortest) : Number.POSITIVE_INFINITY
}
