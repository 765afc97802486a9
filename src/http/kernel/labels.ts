/** In characters. The catalog has the full list. */
const LONGEST = 1_000
/** Last label of a truncated list. */
const CUT = 'and_more'

/**
 * Joins as many percent-encoded labels as fit.
 * @param first a list to put in front of the labels
 * @returns undefined if there are no labels
 */
export function labelList(labels: readonly string[], first = ''): string | undefined {
  let list = first
  for (const label of labels.map(encodeURIComponent)) {
    const longer = list === '' ? label : `${list}, ${label}`
    if (longer.length > LONGEST) return `${list}, ${CUT}`
    list = longer
  }
  return list || undefined
}
