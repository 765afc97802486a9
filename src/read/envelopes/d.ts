import type { EnvelopeD } from '../../../catalog/index.ts'
import { type Answer, absenceNotes, isSynthetic, knownGaps, ROWS, staleness, warnings } from './answer.ts'

/** Format of reports in version 1 of the API. */
export function envelopeD(answer: Answer, { role, freshness }: EnvelopeD) {
  const { dataset, release } = answer.plan
  const publishedAt = release?.manifest.published_at ?? null
  return {
    dataset: dataset.id,
    source_role: role,
    ...(freshness ? { freshness: publishedAt } : {}),
    lineage: {
      provider: isSynthetic(answer) ? 'synthetic_sample' : dataset.lineage.selected,
      ingested_at: publishedAt,
      trace_id: answer.requestId,
      ...(isSynthetic(answer) ? { synthetic: true } : {}),
    },
    data: ROWS,
    quality: { ...staleness(answer), ...absenceNotes(answer) },
    known_gaps: knownGaps(answer),
    warnings: warnings(answer),
  }
}
