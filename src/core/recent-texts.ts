/**
 * Remembers the most recent texts: at least `count`, at most twice as many.
 * @returns a function that adds a text, and returns true if the text was already present
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
