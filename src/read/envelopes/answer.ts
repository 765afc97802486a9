import type { FreshnessState } from '../../calendar/index.ts'
import { gapLabels, warningLabels } from '../../releases/index.ts'
import type { EmptyReason } from '../empty.ts'
import type { ReadPlan } from '../plan.ts'

/** Everything an envelope may state: a value made once per read, so that envelopes stay pure. */
export interface Answer {
  readonly plan: ReadPlan
  readonly rows: number
  /** Set when there are no rows. */
  readonly empty: EmptyReason | null
  readonly requestId: string
  /** Path of the request, without the query. */
  readonly endpoint: string
  readonly freshness: FreshnessState
  /** Values measured over the page's rows, by name. */
  readonly measures: Readonly<Record<string, unknown>>
}

/** Stands where the rows go; `frame` cuts the envelope there, so rows are encoded once and never parsed. */
export const ROWS = '\u0000rows'

export const knownGaps = (answer: Answer): readonly string[] => gapLabels(answer.plan)

export const warnings = (answer: Answer): readonly string[] => warningLabels(answer.plan)

/** True where the caller must not take the rows for market data. */
export const isSynthetic = ({ plan }: Answer): boolean => plan.release?.manifest.synthetic === true

/** Each of the dataset's parameters under its echoed name, null when not sent. */
export function echoFilters({ plan: { dataset, sent } }: Answer): Readonly<Record<string, string | null>> {
  const echo: Record<string, string | null> = {}
  for (const [param, { echo: name = param, all }] of Object.entries(dataset.filters)) {
    const value = sent[param] === all ? null : (sent[param] ?? null)
    echo[name] = value ?? echo[name] ?? null
  }
  return echo
}

/** The empty-answer note for a `quality` object; nothing when there are rows. */
export const emptyNote = ({ empty }: Answer): { readonly empty_reason?: EmptyReason } => (empty ? { empty_reason: empty } : {})

/** Versions and dates of the release behind the rows; null for a planned dataset without one. */
export const releaseFacts = ({ plan: { release } }: Answer) => ({
  release_version: release?.id ?? null,
  release_date: release?.manifest.published_at.slice(0, 10) ?? null,
  data_as_of: release?.manifest.data_as_of ?? null,
})
