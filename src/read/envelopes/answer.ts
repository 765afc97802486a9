import { noReleaseVersion } from '../../../catalog/index.ts'
import type { FreshnessState } from '../../calendar/index.ts'
import { gapLabels, statusOf, warningLabels } from '../../releases/index.ts'
import type { EmptyReason } from '../empty.ts'
import type { ReadPlan } from '../plan.ts'
import { UNKNOWN_SYMBOL, type UnknownSymbol } from '../unknown-symbols.ts'

/** Facts about a response, collected once per read. */
export interface Answer {
  readonly plan: ReadPlan
  readonly rows: number
  /** True if the plan's row limit omitted rows. False if only the caller's `limit` did. */
  readonly limited: boolean
  /** True if the default limit omitted rows. */
  readonly truncated: boolean
  readonly empty: EmptyReason | null
  readonly requestId: string
  /** Path of the request, without the query. */
  readonly endpoint: string
  readonly freshness: FreshnessState
  /** Values computed from the rows of the page. */
  readonly measures: Readonly<Record<string, unknown>>
}

const TRUNCATED = 'truncated'

/** Placeholder for the rows. `frame` splits the JSON text at this placeholder. */
export const ROWS = '\u0000rows'

export const knownGaps = (answer: Answer): readonly string[] => gapLabels(answer.plan)

/** Excludes warnings about the release. */
export const readWarnings = ({ plan: { unknown }, truncated }: Pick<Answer, 'plan' | 'truncated'>): readonly string[] => [
  ...(unknown ? [UNKNOWN_SYMBOL] : []),
  ...(truncated ? [TRUNCATED] : []),
]

export const warnings = (answer: Answer): readonly string[] => [...warningLabels(answer.plan), ...readWarnings(answer)]

export const isSynthetic = ({ plan }: Answer): boolean => plan.release?.manifest.synthetic === true

/**
 * Returns the sent value of each filter. Some filters also have a second name. Under that name, a
 * value that selects everything is null.
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

/** `columns` is null if all columns are returned. */
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

/** Explains an answer without rows. Empty if there are rows. */
export const absenceNotes = ({
  empty,
  plan: { unknown },
}: Answer): { readonly empty_reason?: EmptyReason; readonly unknown_symbols?: readonly UnknownSymbol[] } => ({
  ...(empty && { empty_reason: empty }),
  ...(unknown && { unknown_symbols: unknown.described() }),
})

/** Without a release, all fields except `release_version` are null. */
export const releaseFacts = ({ plan: { dataset, release } }: Answer) => ({
  release_version: release?.id ?? noReleaseVersion(dataset),
  release_date: release?.manifest.published_at.slice(0, 10) ?? null,
  data_as_of: release?.manifest.data_as_of ?? null,
})

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

export const staleness = ({ freshness, plan: { release } }: Answer) => ({
  freshness_state: freshness,
  freshness_as_of: release?.completeThrough ?? null,
})

/**
 * `completeness_ratio` is the share of cells with a value. Excludes provenance columns and columns
 * that do not apply to every row.
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

export const noError = ({ plan, requestId }: Answer) => ({
  error_code: null,
  error_message: null,
  blocking_gate: null,
  dataset: plan.dataset.id,
  request_id: requestId,
})
