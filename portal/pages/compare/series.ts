export interface DayValue {
  readonly x: string
  readonly value: number | null
}

/**
 * Removes the days before the first day on which all series have a value, so that changes cover the
 * same period. Ignores series without values.
 */
export function fromCommonStart(series: readonly (readonly DayValue[])[]): readonly (readonly DayValue[])[] {
  const starts = series.flatMap(points => points.find(({ value }) => value !== null)?.x ?? []).sort()
  const start = starts.at(-1) ?? ''
  return series.map(points => points.filter(({ x }) => x >= start))
}

/**
 * Returns changes since the first value, in percent. Null where a value is missing. All changes
 * are null if there is no positive first value.
 */
export function fromFirst(points: readonly DayValue[]): readonly DayValue[] {
  const first = points.find(({ value }) => value !== null && value > 0)?.value
  return points.map(({ x, value }) => ({ x, value: value === null || first == null ? null : (100 * (value - first)) / first }))
}
