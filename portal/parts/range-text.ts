/** A numeric range of a column, as in the parameter `range`. */
export interface Range {
  readonly column: string
  /** A number in the JSON format. Empty for an open end. */
  readonly from: string
  readonly to: string
  /** True if the range excludes its upper end. */
  readonly below: boolean
}

/**
 * Parses ranges. Malformed numbers remain unchanged.
 *
 * @param text may be absent or empty
 */
export const rangesIn = (text: string | undefined): readonly Range[] =>
  (text ?? '')
    .split(',')
    .filter(part => part.trim() !== '')
    .map(part => {
      const [, column = part, from = '', less = '', to = ''] = /^([^:]*):(.*?)\.\.(<?)(.*)$/.exec(part.trim()) ?? []
      return { column: column.trim(), from: from.trim(), to: to.trim(), below: less !== '' }
    })

/** Returns ranges as the value of a parameter. Empty if there are none. */
export const rangesText = (ranges: readonly Range[]): string =>
  ranges.map(({ column, from, to, below }) => `${column}:${from}..${below && to !== '' ? '<' : ''}${to}`).join(',')
