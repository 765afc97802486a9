import { type EnvelopeC, versionOf } from '../../../catalog/index.ts'
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

/** `request_context` contains the filters and counts of the whole release. */
export function envelopeC(answer: Answer, envelope: EnvelopeC) {
  const { dataset, release, sent } = answer.plan
  const distinct = release?.manifest.statistics.distinct ?? {}
  return {
    api_version: 'v2',
    dataset: dataset.id,
    dataset_version: versionOf(dataset),
    ...releaseFacts(answer),
    request_context: {
      ...requestContext(answer, envelope),
      scope: envelope.scope,
      coverage_type: envelope.coverage,
      ...Object.fromEntries(Object.entries(envelope.counts).map(([name, column]) => [name, distinct[column] ?? 0])),
      ...Object.fromEntries(Object.entries(envelope.filters).map(([name, param]) => [name, sent[param] ?? null])),
      filters: { ...echoFilters(answer), ...echoPage(answer) },
    },
    data: ROWS,
    quality: { ...quality(answer), ...absenceNotes(answer) },
    lineage: lineage(answer),
    error: noError(answer),
    dataset_id: dataset.id,
    data_count: answer.rows,
    known_gaps: knownGaps(answer),
    warnings: warnings(answer),
  }
}
