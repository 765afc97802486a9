import type {
  DamageReport,
  FeedRuns,
  InboxState,
  QuarantineList,
  Queues,
  ReleaseOverview,
  SlowReads,
} from '../../../clients/typescript/src/index.ts'

/** What the operator's page reads, by the last part of its path below `/v2/admin/`. */
export interface Sections {
  readonly queues: Queues
  readonly damage: DamageReport
  readonly quarantine: QuarantineList
  readonly inbox: InboxState
  readonly feeds: FeedRuns
  readonly releases: ReleaseOverview
  readonly 'slow-reads': SlowReads
}

/** A section as it was read last; null before. */
export type Snapshot = { readonly [Name in keyof Sections]: Sections[Name] | null }
