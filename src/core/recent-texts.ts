/**
 * Remembers the most recent texts, at least `count` and at most twice as many. A cache uses this to
 * store a value only if it is requested a second time.
 *
 * @returns a function that remembers a text. It returns true if the text was remembered before
 */
export function createRecentTexts(count: number): (text: string) => boolean {
  let recent = new Set<string>()
  let former = new Set<string>()
  return text => {
    if (recent.has(text)) return true
    if (recent.size === count) {
      former = recent
      recent = new Set()
    }
    recent.add(text)
    return former.has(text)
  }
}
