import { noReleaseVersion } from '../../../catalog/index.ts'
import type { FreshnessState } from '../../calendar/index.ts'
import { gapLabels, statusOf, warningLabels } from '../../releases/index.ts'
import type { EmptyReason } from '../empty.ts'
import type { ReadPlan } from '../plan.ts'
import { UNKNOWN_SYMBOL, type UnknownSymbol } from '../unknown-symbols.ts'

/**
 * All facts that an envelope (the fields around the rows of a response) may contain. They are
 * collected once per read, so that the functions that build envelopes are pure.
 */
export interface Answer {
  readonly plan: ReadPlan
  readonly rows: number
  /**
   * True if the row limit of the subscription plan left out rows. False if only the caller's
   * `limit` did.
   */
  readonly limited: boolean
  /** True if rows were left out because the caller sent no `limit` and the default applied. */
  readonly truncated: boolean
  readonly empty: EmptyReason | null
  readonly requestId: string
  /** Path of the request, without the query. */
  readonly endpoint: string
  readonly freshness: FreshnessState
  /** Values computed from the rows of the page, keyed by name. */
  readonly measures: Readonly<Record<string, unknown>>
}

/**
 * Warning in an answer: more rows match, but the caller sent no `limit`, so the default applied.
 */
const TRUNCATED = 'truncated'

/**
 * Placeholder for the rows. `frame` splits the JSON text of the envelope here, and the encoder
 * writes the rows between the two parts.
 */
export const ROWS = '\u0000rows'

export const knownGaps = (answer: Answer): readonly string[] => gapLabels(answer.plan)

/** Returns the warnings about one read. Warnings about the release are not included. */
export const readWarnings = ({ plan: { unknown }, truncated }: Pick<Answer, 'plan' | 'truncated'>): readonly string[] => [
  ...(unknown ? [UNKNOWN_SYMBOL] : []),
  ...(truncated ? [TRUNCATED] : []),
]

export const warnings = (answer: Answer): readonly string[] => [...warningLabels(answer.plan), ...readWarnings(answer)]

export const isSynthetic = ({ plan }: Answer): boolean => plan.release?.manifest.synthetic === true

/**
 * Returns the sent value of each filter parameter, keyed by parameter name. The value is null if
 * the parameter was not sent. Some parameters also appear under a second name, the echo name.
 * There, a value that selects everything is replaced by null. If a parameter has the same name as
 * an echo name, the value of that parameter is returned.
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
 * Returns the paging, order, columns and release of a read, and `as_of` if it was sent. `columns`
 * is null if all columns are returned.
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

/** Returns the fields of `quality` that explain why there are no rows. Empty if there are rows. */
export const absenceNotes = ({
  empty,
  plan: { unknown },
}: Answer): { readonly empty_reason?: EmptyReason; readonly unknown_symbols?: readonly UnknownSymbol[] } => ({
  ...(empty && { empty_reason: empty }),
  ...(unknown && { unknown_symbols: unknown.described() }),
})

/**
 * Returns the version and dates of the release. If there is no release, `release_version` is a
 * marker for this case and the other fields are null.
 */
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
 * Returns the fields of `quality`. `completeness_ratio` is the share of cells that are not null.
 * Provenance columns, and columns that do not apply to every row, are excluded.
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
