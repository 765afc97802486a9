/** The inputs of a case. */
export interface Bounds {
  /** Factor for counts and durations. 1 for the whole campaign. */
  readonly scale: number
  /** Duration of the attack in seconds. Starting and stopping services takes additional time. */
  readonly seconds: number
  /** A temporary folder, removed afterwards. */
  readonly folder: string
  /** A data folder with the example rows of every dataset. Read-only: cases copy it. */
  readonly examples: string
  /** Reports progress. */
  readonly say: (text: string) => void
}

/** The outcome of a case. */
export interface Outcome {
  /** Number of attacks made. */
  readonly tries: number
  /**
   * Violations, each a sentence with the details needed to reproduce it. Empty if the case passed.
   */
  readonly failures: readonly string[]
  /** Measurements and counts, by name with unit. */
  readonly figures?: Readonly<Record<string, number | string>>
  /** Reason why the case was skipped; absent if it ran. */
  readonly skipped?: string
}

/** One kind of attack on a running service, its disk or its processes. */
export interface HostileCase {
  /** Id of the case in the table of `test/README.md`. */
  readonly id: string
  /** The attack, as a noun phrase. */
  readonly tries: string
  /** The rule that must hold, as a full sentence. */
  readonly holds: string
  /**
   * Time limit of the whole case in minutes on a slow machine. Only if longer than the campaign's
   * default.
   */
  readonly minutes?: number
  run(bounds: Bounds): Promise<Outcome>
}

/** `full`, multiplied by the scale, but at least 1. */
export const scaled = ({ scale }: Pick<Bounds, 'scale'>, full: number): number => Math.max(1, Math.round(full * scale))
