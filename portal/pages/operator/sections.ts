import type {
  DamageReport,
  FeedRuns,
  InboxState,
  QuarantineList,
  Queues,
  ReleaseOverview,
  SlowReads,
} from '../../../clients/typescript/src/index.ts'

/** Sections of the page, keyed by the last part of the path under `/v2/admin/`. */
export interface Sections {
  readonly queues: Queues
  readonly damage: DamageReport
  readonly quarantine: QuarantineList
  readonly inbox: InboxState
  readonly feeds: FeedRuns
  readonly releases: ReleaseOverview
  readonly 'slow-reads': SlowReads
}

export type Snapshot = { readonly [Name in keyof Sections]: Sections[Name] | null }
