/** Maximum length of a list of labels in a header, in characters. The catalog has the full list. */
const LONGEST = 1_000
/** Ends a list that was cut off. */
const CUT = 'and_more'

/**
 * Labels as the value of a header, separated by commas. Contains as many complete labels as fit.
 * Labels with special characters are percent-encoded.
 *
 * @param first a list that precedes the labels
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
