import { coverageWords, type EnvelopeA } from '../../../catalog/index.ts'
import { type Answer, absenceNotes, echoFilters, echoPage, isSynthetic, knownGaps, ROWS, staleness, warnings } from './answer.ts'

export function envelopeA(answer: Answer, { scope, coverage, dates }: Omit<EnvelopeA, 'kind'>) {
  const { dataset, release } = answer.plan
  const span = dates && {
    [dates.first]: release?.manifest.statistics.first_date ?? null,
    [dates.last]: release?.manifest.statistics.last_date ?? null,
  }
  return {
    dataset_id: dataset.id,
    request_context: { scope, coverage_type: coverage, filters: { ...echoFilters(answer), ...echoPage(answer) }, ...span },
    quality: { row_count: answer.rows, sensitive_fields_exposed: false, ...answer.measures, ...staleness(answer), ...absenceNotes(answer) },
    lineage: {
      source_families: dataset.lineage.families,
      semantics: dataset.lineage.semantics,
      ...(isSynthetic(answer) ? { synthetic: true } : {}),
    },
    error: null,
    data: ROWS,
    data_count: answer.rows,
    known_gaps: knownGaps(answer),
    warnings: warnings(answer),
    envelope: { dataset_id: dataset.id, scope, row_count: answer.rows },
  }
}

/** Contains only id, row count and rows. `envelope=full` adds the fields of `envelopeA`. */
export function envelopeBare(answer: Answer) {
  const { dataset, full } = answer.plan
  const bare = { dataset_id: dataset.id, row_count: answer.rows, data: ROWS }
  if (!full) return bare
  const { scope, type: coverage } = coverageWords(dataset)
  return { ...bare, ...envelopeA(answer, { scope, coverage }) }
}
