/**
 * Maximum length of a header with a list of labels, in characters. The catalog has the full list.
 */
const LONGEST = 1_000
/** Last label in a header whose list was cut off. */
const CUT = 'and_more'

/**
 * Joins labels to a header value, separated by commas. If not all fit, the value contains as many
 * complete labels as possible. Special characters are percent-encoded.
 *
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
