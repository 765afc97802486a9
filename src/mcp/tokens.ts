/** Most tokens of one answer. */
export const MOST_TOKENS = 20_000

/** Characters of JSON in ASCII that make a token, few since most are digits and marks; and tokens that any other character makes. */
const [ASCII_PER_TOKEN, TOKENS_PER_OTHER] = [2.5, 1.5]

/** About how many tokens a model takes for a text; rather too many than too few. */
export function tokensOf(text: string): number {
  let others = 0
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) others++
  return Math.ceil((text.length - others) / ASCII_PER_TOKEN + others * TOKENS_PER_OTHER)
}

/**
 * As many of the first items as one answer may hold; one at least, so that whoever asks for the rest gets on.
 *
 * @param around what the answer says beside them
 */
export function fitting<T>(items: readonly T[], around: object): readonly T[] {
  let left = MOST_TOKENS - tokensOf(JSON.stringify(around))
  const over = items.findIndex((item, at) => {
    left -= tokensOf(JSON.stringify(item)) + 1
    return left < 0 && at > 0
  })
  return over === -1 ? items : items.slice(0, over)
}

/** How much shorter the items of an answer may be than the shortest of the examples. */
const SHORTER = 2

/** How many items may fit one answer, told from examples of them before any is read; Infinity without examples. */
export function mostThatFit(examples: readonly unknown[]): number {
  const shortest = Math.min(...examples.map(item => tokensOf(JSON.stringify(item)) + 1))
  return Number.isFinite(shortest) ? Math.ceil((SHORTER * MOST_TOKENS) / shortest) : Number.POSITIVE_INFINITY
}
