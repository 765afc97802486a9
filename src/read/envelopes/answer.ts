import { noReleaseVersion } from '../../../catalog/index.ts'
import type { FreshnessState } from '../../calendar/index.ts'
import { gapLabels, statusOf, warningLabels } from '../../releases/index.ts'
import type { EmptyReason } from '../empty.ts'
import type { ReadPlan } from '../plan.ts'
import { UNKNOWN_SYMBOL, type UnknownSymbol } from '../unknown-symbols.ts'

/**
 * All facts that an envelope may contain, collected once per read, so that envelopes are pure
 * functions.
 */
export interface Answer {
  readonly plan: ReadPlan
  readonly rows: number
  /**
   * True if rows were left out because of the row limit of the subscription plan, not because of
   * the caller's limit.
   */
  readonly limited: boolean
  /** True if the default limit left out rows. */
  readonly truncated: boolean
  /** Reason why there are no rows. Null if there are rows. */
  readonly empty: EmptyReason | null
  readonly requestId: string
  /** Path of the request, without the query. */
  readonly endpoint: string
  readonly freshness: FreshnessState
  /** Values computed from the rows of the page, by name. */
  readonly measures: Readonly<Record<string, unknown>>
}

/** Warning that more rows match than the answer has, because the caller sent no `limit`. */
const TRUNCATED = 'truncated'

/**
 * Placeholder for the rows. `frame` splits the envelope at this value, so rows are encoded only
 * once.
 */
export const ROWS = '\u0000rows'

export const knownGaps = (answer: Answer): readonly string[] => gapLabels(answer.plan)

/** Warnings about one read, in addition to those of its release. */
export const readWarnings = ({ plan: { unknown }, truncated }: Pick<Answer, 'plan' | 'truncated'>): readonly string[] => [
  ...(unknown ? [UNKNOWN_SYMBOL] : []),
  ...(truncated ? [TRUNCATED] : []),
]

export const warnings = (answer: Answer): readonly string[] => [...warningLabels(answer.plan), ...readWarnings(answer)]

/** True if the rows are samples, not market data. */
export const isSynthetic = ({ plan }: Answer): boolean => plan.release?.manifest.synthetic === true

/**
 * Returns each filter parameter under its name; null if not sent. A parameter with an echo name
 * also appears under that name, except if its value selects everything. A sent parameter with the
 * same name as an echo name takes precedence.
 */
export function echoFilters({ plan: { dataset, sent } }: Answer): Readonly<Record<string, string | null>> {
  const echo: Record<string, string | null> = {}
  for (const param in dataset.filters) echo[param] = sent[param] ?? null
  for (const param in dataset.filters) {
    const { echo: name, all } = dataset.filters[param]!
    if (name !== undefined) echo[name] ??= sent[param] === all ? null : (sent[param] ?? null)
  }
  return echo
}

/**
 * Returns paging, order, columns, release and, if sent, `as_of`. `columns` is null for all columns.
 */
export const echoPage = ({ plan: { limit, offset, order, sent, release, asOf } }: Answer) => ({
  limit,
  offset,
  range: sent['range'] ?? null,
  sort: sent['sort'] ?? null,
  sort_by: order[0]![0],
  sort_order: order[0]![1],
  columns: sent['columns'] ?? null,
  release: release?.id ?? null,
  ...(asOf && { as_of: asOf.text }),
})

/** Fields of `quality` that state why there are no rows. Empty if there are rows. */
export const absenceNotes = ({
  empty,
  plan: { unknown },
}: Answer): { readonly empty_reason?: EmptyReason; readonly unknown_symbols?: readonly UnknownSymbol[] } => ({
  ...(empty && { empty_reason: empty }),
  ...(unknown && { unknown_symbols: unknown.described() }),
})

/**
 * Versions and dates of the release. Without a release, `release_version` is a marker for that, and
 * the other fields are null.
 */
export const releaseFacts = ({ plan: { dataset, release } }: Answer) => ({
  release_version: release?.id ?? noReleaseVersion(dataset),
  release_date: release?.manifest.published_at.slice(0, 10) ?? null,
  data_as_of: release?.manifest.data_as_of ?? null,
})

/** The fields of `request_context` that envelopes B and C share. */
export function requestContext(
  { plan: { dataset, release, sent } }: Answer,
  { fieldGroup, view }: { readonly fieldGroup: string; readonly view: string },
) {
  return {
    ticker: sent['symbol'] ?? null,
    as_of_date: release?.manifest.data_as_of ?? null,
    family: dataset.family,
    field_group_type: fieldGroup,
    dataset_view: view,
    supported_sort_by: dataset.sortable,
    supported_filter_fields: Object.keys(dataset.filters),
  }
}

/** Freshness of the release, and the day up to which it is complete. */
export const staleness = ({ freshness, plan: { release } }: Answer) => ({
  freshness_state: freshness,
  freshness_as_of: release?.completeThrough ?? null,
})

/**
 * Fields of `quality`. `completeness_ratio` is the share of cells that are not null, except in
 * provenance columns and in columns that may not apply.
 */
export function quality(answer: Answer) {
  const { plan } = answer
  const { release } = plan
  return {
    ...staleness(answer),
    completeness_ratio: release?.manifest.statistics.completeness ?? 0,
    quality_status: statusOf(plan),
  }
}

export function lineage(answer: Answer) {
  const { role, selected, fallbacks, notes } = answer.plan.dataset.lineage
  return {
    source_role: role,
    selected_source: isSynthetic(answer) ? 'synthetic_sample' : selected,
    fallback_chain: fallbacks,
    policy_notes: isSynthetic(answer) ? [...notes, 'synthetic_sample_data'] : notes,
  }
}

/** The `error` object of a successful answer. */
export const noError = ({ plan, requestId }: Answer) => ({
  error_code: null,
  error_message: null,
  blocking_gate: null,
  dataset: plan.dataset.id,
  request_id: requestId,
})
