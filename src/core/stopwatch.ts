/** Times the stages of one request. */
export interface Stopwatch {
  /** When it began, in milliseconds of its clock. */
  readonly began: number
  /** Milliseconds per stage, in order. */
  readonly laps: Readonly<Record<string, number>>
  lap(stage: string): void
}

/** Splits one request into named stages. */
export function stopwatch(now: () => number = () => performance.now()): Stopwatch {
  const laps: Record<string, number> = {}
  const began = now()
  let last = began
  return {
    began,
    laps,
    lap(stage) {
      const at = now()
      laps[stage] = Math.round((at - last) * 100) / 100
      last = at
    },
  }
}

/** @example serverTiming({ plan: 0.1, fetch: 2.4 }) // 'plan;dur=0.1, fetch;dur=2.4' */
export const serverTiming = (laps: Readonly<Record<string, number>>): string =>
  Object.entries(laps)
    .map(([stage, ms]) => `${stage};dur=${ms}`)
    .join(', ')
