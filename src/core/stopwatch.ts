export interface Stopwatch {
  /** In ms of the stopwatch's clock. */
  readonly startedAt: number
  /** Duration of each stage in ms, in order. */
  readonly laps: Readonly<Record<string, number>>
  lap(stage: string): void
}

export function stopwatch(now: () => number = () => performance.now()): Stopwatch {
  const laps: Record<string, number> = {}
  const startedAt = now()
  let last = startedAt
  return {
    startedAt,
    laps,
    lap(stage) {
      const time = now()
      laps[stage] = Math.round((time - last) * 100) / 100
      last = time
    },
  }
}

/** @example serverTiming({ plan: 0.1, fetch: 2.4 }) // 'plan;dur=0.1, fetch;dur=2.4' */
export function serverTiming(laps: Readonly<Record<string, number>>): string {
  let text = ''
  for (const stage in laps) text += `${text === '' ? '' : ', '}${stage};dur=${laps[stage]}`
  return text
}
