/** A rule that a refused file broke, as its report states it. */
export interface IntakeFault {
  readonly rule: string
  readonly column?: string | null | undefined
  readonly count?: number | undefined
  readonly samples?: readonly unknown[] | undefined
  readonly message: string
  /** The same in Chinese; absent where an earlier version wrote the report. */
  readonly message_zh?: string | undefined
}

/** A refused file that is kept. */
export interface IntakeFile {
  readonly id: string
  readonly for: string
  readonly file: string
  readonly bytes: number
  /** Null where the report is damaged. */
  readonly refusedAt: string | null
  /** A copy of the file is kept beside its report. */
  readonly hasCopy: boolean
  readonly faults: readonly IntakeFault[]
  /** Rules that may be let pass for files of this kind. */
  readonly acceptable: readonly string[]
}

/** What became of a refused file by somebody's decision. */
export interface IntakeSettled {
  readonly id: string
  readonly at: string
  readonly action: 'accept' | 'discard'
  readonly for: string
  readonly file: string
  readonly rules: readonly string[]
  readonly outcome: 'published' | 'unchanged' | 'empty' | 'discarded'
  readonly releases: Readonly<Record<string, string>>
}

/** What a try to publish a refused file came to; `failed` where it was not looked at, for the reason that is said. */
export type IntakeAccepted =
  | IntakeSettled
  | { readonly id: string; readonly outcome: 'refused'; readonly faults: readonly IntakeFault[] }
  | { readonly id: string; readonly outcome: 'failed'; readonly said: string }

export interface IntakeWaiting {
  readonly inbox: string
  readonly file: string
  readonly modifiedAt: string
}

export interface IntakeTaken {
  readonly at: string
  readonly inbox: string
  readonly file: string
  readonly outcome: 'published' | 'unchanged' | 'empty'
  readonly releases: Readonly<Record<string, string>>
}

export interface IntakeFeed {
  readonly feed: string
  readonly datasets: readonly string[]
  readonly due: string
  readonly due_zh: string
  readonly next_at: string | null
  readonly last_run: {
    readonly at: string
    readonly outcome: 'came' | 'late' | 'unreachable' | 'refused'
    readonly said: string
    readonly said_zh?: string
  } | null
  readonly covers: string | null
  readonly tries: number
  readonly needs_consent: readonly string[]
}

/** When a feed last brought what was due, and when its data was last refused: RFC 3339 in Taipei, null for never. */
export interface IntakeFeedTimes {
  readonly feed: string
  readonly cameAt: string | null
  readonly refusedAt: string | null
  /** Runs without success since the last that came. */
  readonly tries: number
}

/**
 * What brings data into the data folder, as whoever runs the service sees it. A service does not publish: it is given this by what starts
 * it, and a refused file is published by a process of its own.
 */
export interface Intake {
  /** Refused files that are kept, newest first, and what was settled lately, newest first. */
  quarantine(
    most: number,
  ): Promise<{ readonly count: number; readonly files: readonly IntakeFile[]; readonly settled: readonly IntakeSettled[] }>
  /** One of either; null for an id that is unknown. */
  find(id: string): Promise<{ readonly file: IntakeFile | null; readonly settled: IntakeSettled | null } | null>
  /** Publishes a refused file with rules let pass, in another process. Never rejects. */
  accept(id: string, rules: readonly string[], date: string | null): Promise<IntakeAccepted>
  /** Lets a refused file go; null where it is not kept any more, by whoever's doing. */
  discard(id: string): Promise<IntakeSettled | null>
  inbox(most: number): Promise<{
    readonly waiting: readonly IntakeWaiting[]
    readonly left: readonly (IntakeWaiting & { readonly reason: string; readonly reason_zh: string })[]
    readonly taken: readonly IntakeTaken[]
  }>
  /** Feeds that can be fetched, by name. */
  feeds(): Promise<readonly IntakeFeed[]>
  /** Feeds that ran, as metrics ask often. */
  feedTimes(): Promise<readonly IntakeFeedTimes[]>
}

/** That of a service which was started without one, as benchmarks are. */
export const NO_INTAKE: Intake = {
  quarantine: async () => ({ count: 0, files: [], settled: [] }),
  find: async () => null,
  accept: async id => ({ id, outcome: 'failed', said: 'This service was started without a way to publish.' }),
  discard: async () => null,
  inbox: async () => ({ waiting: [], left: [], taken: [] }),
  feeds: async () => [],
  feedTimes: async () => [],
}
