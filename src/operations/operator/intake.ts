export interface IntakeFault {
  readonly rule: string
  readonly column?: string | null | undefined
  readonly count?: number | undefined
  readonly samples?: readonly unknown[] | undefined
  readonly message: string
  /** Absent in reports of earlier versions. */
  readonly message_zh?: string | undefined
}

export interface IntakeFile {
  readonly id: string
  readonly for: string
  readonly file: string
  readonly bytes: number
  /** Null if the report is damaged. */
  readonly refusedAt: string | null
  /** True if the file is stored with the report. */
  readonly hasCopy: boolean
  readonly faults: readonly IntakeFault[]
  /** Rules whose violation the operator can accept. */
  readonly acceptable: readonly string[]
}

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
  readonly history: 'all' | 'days' | 'newest'
  readonly history_days: number | null
  readonly needs_consent: readonly string[]
}

/** RFC 3339 in Taipei time. Null if there was no such run. */
export interface IntakeFeedTimes {
  readonly feed: string
  readonly cameAt: string | null
  readonly refusedAt: string | null
  /** Number of unsuccessful runs since the last successful run. */
  readonly tries: number
}

/** Import of data files. Child processes publish the files. */
export interface Intake {
  /** Newest first. */
  quarantine(
    most: number,
  ): Promise<{ readonly count: number; readonly files: readonly IntakeFile[]; readonly settled: readonly IntakeSettled[] }>
  /** Null if the id is unknown. */
  find(id: string): Promise<{ readonly file: IntakeFile | null; readonly settled: IntakeSettled | null } | null>
  /** Publishes a refused file in a child process. Accepts violations of `rules`. Never rejects. */
  accept(id: string, rules: readonly string[], date: string | null): Promise<IntakeAccepted>
  /** Deletes a refused file. Null if the file no longer exists. */
  discard(id: string): Promise<IntakeSettled | null>
  inbox(most: number): Promise<{
    readonly waiting: readonly IntakeWaiting[]
    readonly left: readonly (IntakeWaiting & { readonly reason: string; readonly reason_zh: string })[]
    readonly taken: readonly IntakeTaken[]
  }>
  feeds(): Promise<readonly IntakeFeed[]>
  feedTimes(): Promise<readonly IntakeFeedTimes[]>
}

/** For services that import no files, such as benchmarks. */
export const NO_INTAKE: Intake = {
  quarantine: async () => ({ count: 0, files: [], settled: [] }),
  find: async () => null,
  accept: async id => ({ id, outcome: 'failed', said: 'This service was started without the import of files.' }),
  discard: async () => null,
  inbox: async () => ({ waiting: [], left: [], taken: [] }),
  feeds: async () => [],
  feedTimes: async () => [],
}
