/** What goes wrong with the next calls of the API. */
export interface Trouble {
  /** How many calls it befalls. */
  readonly times: number | 'until told'
  /** Only calls whose path begins so; all where absent. */
  readonly path?: string
  /** Answered with this status, and nothing is done. */
  readonly status?: number
  /** Answered this much later. */
  readonly slowMs?: number
  /** The delay lies after the work rather than before it: the answer is out of date when it arrives. */
  readonly late?: boolean
  /** The connection is cut: before anything is done, or after it was done and before it was told. */
  readonly reset?: 'before' | 'after'
}

/** The trouble there is at present. */
export function openTroubles() {
  let present: Trouble | null = null
  return {
    /** Replaces whatever trouble there was; null ends it. */
    set(trouble: Trouble | null): void {
      present = trouble
    },
    /** What befalls a call of that path; counts it. */
    meet(path: string): Trouble | null {
      if (!present || !path.startsWith(present.path ?? '/')) return null
      const met = present
      if (met.times !== 'until told') present = met.times > 1 ? { ...met, times: met.times - 1 } : null
      return met
    },
  }
}

export type Troubles = ReturnType<typeof openTroubles>
