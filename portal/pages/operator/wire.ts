/** By slug, the release that holds the rows. */
export type ByDataset = Readonly<Record<string, string>>

/** What the releases of a dataset come to. Moments are RFC 3339 here and below. */
export interface DatasetReleases {
  readonly slug: string
  readonly title: string
  readonly title_zh: string
  readonly status: string
  /** Null where none is served. */
  readonly served: string | null
  /** The one the folder names; another than served while that one is damaged or not taken up yet. */
  readonly named: string | null
  readonly published_at: string | null
  readonly data_as_of: string | null
  readonly rows: number | null
  readonly synthetic: boolean | null
  readonly kept: number
  readonly pinned: number
  readonly withdrawn: number
  readonly retired: number
  readonly damaged: number
}

/** A release that is kept; its facts are null where its manifest is damaged. */
export interface KeptRelease {
  readonly release: string
  readonly served: boolean
  readonly standing: 'served' | 'ancestor' | 'unused'
  readonly damaged: boolean
  readonly rows: number | null
  readonly data_as_of: string | null
  readonly synthetic: boolean | null
  readonly changes: { readonly rows_added: number; readonly rows_changed: number; readonly rows_removed: number } | null
  readonly pinned: boolean
  readonly pin_note: string | null
  readonly note: string | null
}

export interface DamagedDataset {
  readonly slug: string
  /** The older release that is served instead; null where reads are refused. */
  readonly fallback: string | null
  readonly findings: readonly { readonly file: string; readonly reason: string }[]
}

/** How served files are verified again and again. */
export interface Scrub {
  readonly parts: number
  readonly size_bytes: number
  readonly parts_to_go: number
  readonly laps: number
  readonly last_lap_ended_at: string | null
}

/** Why a file was refused. */
export interface Fault {
  readonly rule: string
  readonly column: string | null
  readonly count: number | null
  readonly message: string
  /** Null in the report of a file that an earlier version refused. */
  readonly message_zh: string | null
  readonly samples: readonly unknown[]
  /** The rule to let pass; null where nothing lets it pass. */
  readonly accept: string | null
}

export interface RefusedFile {
  readonly id: string
  /** Dataset or feed it was meant for. */
  readonly for: string
  readonly file: string
  readonly size_bytes: number
  readonly refused_at: string | null
  /** False where the file was too large to be kept and stayed where it was. */
  readonly has_copy: boolean
  readonly rules: readonly string[]
}

export interface SettledFile {
  readonly id: string
  readonly at: string
  readonly action: 'accept' | 'discard'
  readonly for: string
  readonly file: string
  readonly rules: readonly string[]
  readonly outcome: 'published' | 'unchanged' | 'empty' | 'discarded'
  readonly releases: ByDataset
}

/** What a try to publish came to, or that it still runs. */
export interface Attempt {
  readonly outcome: 'published' | 'unchanged' | 'empty' | 'refused' | 'failed' | 'running'
  readonly releases: ByDataset
  readonly faults: readonly Fault[]
  readonly said: string | null
  readonly settled: SettledFile | null
}

export interface Report {
  readonly id: string
  /** Null once it is settled. */
  readonly file: RefusedFile | null
  readonly faults: readonly Fault[]
  readonly settled: SettledFile | null
  /** The last try of this service; null where it made none since its start. */
  readonly attempt: Attempt | null
}

export interface InboxFile {
  readonly inbox: string
  readonly file: string
  readonly modified_at: string
}

/** Why a file is not taken. */
export interface Reason {
  readonly reason: string
  readonly reason_zh: string
}

export interface FeedRun {
  readonly feed: string
  readonly datasets: readonly string[]
  /** In words, in Taipei. */
  readonly due: string
  readonly due_zh: string
  readonly next_at: string | null
  readonly last_run: {
    readonly at: string
    readonly outcome: 'came' | 'late' | 'unreachable' | 'refused'
    readonly said: string
    /** Absent where it is in English alone. */
    readonly said_zh?: string
  } | null
  readonly covers: string | null
  /** Runs without success since the last that came. */
  readonly tries: number
  /** Hosts whose consent is missing, so that it is not fetched. */
  readonly needs_consent: readonly string[]
}

export interface Queue {
  readonly waiting: number
  /** Most attempts that any of them has behind it. */
  readonly attempts: number
  readonly oldest_at: string | null
  readonly next_at: string | null
  readonly last_error: string | null
}

export interface SlowRead {
  readonly at: string
  readonly request_id: string
  readonly product: string
  readonly release: string | null
  /** Null for a visitor. */
  readonly account: string | null
  readonly key: string | null
  readonly rows: number
  readonly ms: number
  /** Milliseconds by stage, in order. */
  readonly stages: Readonly<Record<string, number>>
}

/** What the operator's page reads, by the last part of its path below `/v2/admin/`. */
export interface Sections {
  readonly queues: {
    /** Uses that were answered and are not committed yet. */
    readonly ledger: { readonly owed: number }
    readonly mail: Queue & { readonly codes: number; readonly notices: number; readonly sent: number; readonly given_up: number }
    readonly payment_events: Queue
    readonly webhooks: Omit<Queue, 'last_error'> & { readonly endpoints: number; readonly failing: number; readonly disabled: number }
  }
  readonly damage: { readonly data: readonly DamagedDataset[]; readonly scrub: Scrub }
  readonly quarantine: { readonly kept: number; readonly data: readonly RefusedFile[]; readonly settled: readonly SettledFile[] }
  readonly inbox: {
    /** Oldest first; not all of them where `waiting_count` is more. */
    readonly waiting: readonly InboxFile[]
    readonly waiting_count: number
    readonly left: readonly (InboxFile & Reason)[]
    readonly taken: readonly {
      readonly at: string
      readonly inbox: string
      readonly file: string
      readonly outcome: 'published' | 'unchanged' | 'empty'
      readonly releases: ByDataset
    }[]
    /** A process of this service takes files from it. */
    readonly watching: boolean
  }
  readonly feeds: { readonly data: readonly FeedRun[] }
  readonly releases: { readonly data: readonly DatasetReleases[] }
  readonly 'slow-reads': { readonly data: readonly SlowRead[] }
}

/** A section as it was read last; null before. */
export type Snapshot = { readonly [Name in keyof Sections]: Sections[Name] | null }
