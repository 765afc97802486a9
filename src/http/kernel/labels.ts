/** Characters of the longest list of labels in a header; what is beyond is in the catalog. */
const LONGEST = 1_000
/** Ends a list that was cut. */
const CUT = 'and_more'

/**
 * Labels as the value of a header, separated by commas: as many complete ones as fit. Labels with
 * special characters are percent-encoded.
 *
 * @param first a list that precedes the labels
 * @returns undefined for none
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
