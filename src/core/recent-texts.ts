/**
 * Remembers at least `count` and at most twice as many texts. Caches use this to store a value only
 * on the second request.
 * @returns true if the text was already present
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
