/** Compiled once: the catalog has a few dozen patterns, and every read tries one. */
const compiled = new Map<string, RegExp>()

/** Matches what a pattern of the catalog describes, from its first character to its last. */
export function wholly(pattern: string): RegExp {
  const known = compiled.get(pattern) ?? new RegExp(`^(?:${pattern})$`)
  compiled.set(pattern, known)
  return known
}
