import { type EnvelopeB, PLANS, versionOf } from '../../../catalog/index.ts'
import { statusOf } from '../../releases/index.ts'
import { type Answer, echoFilters, emptyNote, isSynthetic, knownGaps, ROWS, releaseFacts, warnings } from './answer.ts'

/** Envelope B, nested: rows under `envelope.data`. */
export function envelopeB(answer: Answer, envelope: EnvelopeB) {
  const { dataset, grant } = answer.plan
  return {
    api_version: 'v2',
    endpoint: answer.endpoint,
    request_id: answer.requestId,
    plan_id: grant.plan,
    dataset: dataset.id,
    query: echoQuery(answer, envelope.aliases ?? {}),
    meta: meta(answer),
    envelope: {
      api_version: 'v2',
      dataset: dataset.id,
      dataset_version: versionOf(dataset),
      ...releaseFacts(answer),
      request_context: requestContext(answer, envelope),
      data: ROWS,
      quality: { ...quality(answer), ...emptyNote(answer) },
      lineage: lineage(answer),
      error: noError(answer),
    },
    known_gaps: knownGaps(answer),
    warnings: warnings(answer),
  }
}

function echoQuery(answer: Answer, aliases: Readonly<Record<string, string>>) {
  const { limit, offset, order, release } = answer.plan
  const echo = echoFilters(answer)
  const [by, direction] = order[0]!
  return {
    ...echo,
    as_of_date: echo['as_of_date'] ?? release?.manifest.data_as_of ?? null,
    limit,
    offset,
    sort_by: by,
    sort_order: direction,
    ...Object.fromEntries(Object.entries(aliases).map(([alias, param]) => [alias, echo[param] ?? null])),
  }
}

/** `is_limited` is true where the plan's row limit, and not the caller, decided how many rows there are at most. */
const meta = ({ plan: { grant, limited }, rows }: Answer) => ({
  rows_returned: rows,
  mandatory_contract_fields_present: ['api_version', 'data', 'data_as_of'],
  plan: grant.plan,
  row_limit: PLANS[grant.plan].rowLimit,
  is_limited: limited,
})

/** The part of `request_context` that envelopes B and C share. */
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

/** `completeness_ratio` is the share of the release's cells, provenance aside, that hold a value. */
export function quality({ freshness, plan }: Answer) {
  const { release } = plan
  return {
    freshness_state: freshness,
    freshness_as_of: release?.completeThrough ?? null,
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

/** The error place of a good answer: present, with nulls. */
export const noError = ({ plan, requestId }: Answer) => ({
  error_code: null,
  error_message: null,
  blocking_gate: null,
  dataset: plan.dataset.id,
  request_id: requestId,
})
