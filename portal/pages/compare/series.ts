interface DayValue {
  readonly x: string
  readonly value: number | null
}

/**
 * Returns changes since the first value, in percent. Null where a value is missing. All changes
 * are null if there is no positive first value.
 */
export function fromFirst(points: readonly DayValue[]): readonly DayValue[] {
  const first = points.find(({ value }) => value !== null && value > 0)?.value
  return points.map(({ x, value }) => ({ x, value: value === null || first == null ? null : (100 * (value - first)) / first }))
}
