/** A range, as in the parameter `range`. */
export interface Range {
  readonly column: string
  /** A JSON number. Empty for an open end. */
  readonly from: string
  readonly to: string
  /** True if the range excludes its upper end. */
  readonly below: boolean
}

/**
 * Malformed numbers remain unchanged.
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

/** Value of the parameter. Empty without ranges. */
export const rangesText = (ranges: readonly Range[]): string =>
  ranges.map(({ column, from, to, below }) => `${column}:${from}..${below && to !== '' ? '<' : ''}${to}`).join(',')
