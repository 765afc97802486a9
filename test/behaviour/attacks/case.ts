/** What a case may use. */
export interface Bounds {
  /** 1 for the whole campaign; counts and times go down with it. */
  readonly scale: number
  /** How long the case may attack; starting and stopping services comes on top. */
  readonly seconds: number
  /** A fresh temporary folder, removed afterwards. */
  readonly folder: string
  /** A data folder with every dataset's example rows; copied, never written to. */
  readonly examples: string
  /** Tells how far the case is. */
  readonly say: (text: string) => void
}

/** What came of a case. */
export interface Outcome {
  /** Attacks made. */
  readonly tries: number
  /** What did not hold, each a sentence with what it takes to see it again; none where everything held. */
  readonly failures: readonly string[]
  /** What was measured or counted, by name with its unit. */
  readonly figures?: Readonly<Record<string, number | string>>
  /** Why nothing was tried; absent where something was. */
  readonly skipped?: string
}

/** One kind of attack on a running service, or on its disk and processes. */
export interface HostileCase {
  /** As in the table of `test/README.md`. */
  readonly id: string
  /** What is tried, as a noun phrase. */
  readonly tries: string
  /** What must hold, as a sentence that reads alone. */
  readonly holds: string
  /** Minutes that the whole of it may take on a slow machine, where that is longer than the campaign gives every case. */
  readonly minutes?: number
  run(bounds: Bounds): Promise<Outcome>
}

/** So many at this scale, one at least. */
export const scaled = ({ scale }: Pick<Bounds, 'scale'>, full: number): number => Math.max(1, Math.round(full * scale))
