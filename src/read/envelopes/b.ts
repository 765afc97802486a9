import { type EnvelopeB, versionOf } from '../../../catalog/index.ts'
import {
  type Answer,
  absenceNotes,
  echoFilters,
  echoPage,
  knownGaps,
  lineage,
  noError,
  quality,
  ROWS,
  releaseFacts,
  requestContext,
  warnings,
} from './answer.ts'

/** The rows are in `envelope.data`. */
export function envelopeB(answer: Answer, envelope: EnvelopeB) {
  const { dataset, limits } = answer.plan
  return {
    api_version: 'v2',
    endpoint: answer.endpoint,
    request_id: answer.requestId,
    plan_id: limits.plan,
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
      quality: { ...quality(answer), ...absenceNotes(answer) },
      lineage: lineage(answer),
      error: noError(answer),
    },
    known_gaps: knownGaps(answer),
    warnings: warnings(answer),
  }
}

function echoQuery(answer: Answer, aliases: Readonly<Record<string, string>>) {
  const echo = echoFilters(answer)
  return {
    ...echo,
    as_of_date: echo['as_of_date'] ?? answer.plan.release?.manifest.data_as_of ?? null,
    ...echoPage(answer),
    ...Object.fromEntries(Object.entries(aliases).map(([alias, param]) => [alias, echo[param] ?? null])),
  }
}

/** Without a release, `data_as_of` is null and therefore not listed. */
const meta = ({ plan: { limits, release }, rows, limited }: Answer) => ({
  rows_returned: rows,
  mandatory_contract_fields_present: ['api_version', 'data', ...(release ? ['data_as_of'] : [])],
  plan: limits.plan,
  row_limit: limits.rowLimit,
  is_limited: limited,
})
