import type { FieldView } from '../../catalog/index.ts'
import type { Release } from '../releases/index.ts'

/** Why a field of an entity has no value, and what each word says. Nothing that was asked for is left out without one. */
export const MISSING_REASONS = {
  no_such_entity: 'no served dataset of this entity type holds the id',
  no_value: 'the row is there and has no value in this column, or the dataset has no row of this entity',
  not_announced: 'no period of this entity was announced by as_of_date',
  announcement_date_unknown:
    'a newer period had ended by as_of_date, before its first release, and no announcement day says whether it was known by then',
  outside_coverage: 'as_of_date is before the first day the dataset has of this entity',
  snapshot_has_no_history: 'the dataset is a snapshot taken after as_of_date, and no kept release is as old',
  not_captured: 'nothing was captured, which does not mean that there was nothing',
  not_built: 'the dataset does not cover this entity yet',
  dataset_building: 'the dataset has no published release yet',
  data_unavailable:
    'what is stored did not pass its check, or the release of that day was written with columns that cannot be read as they are now',
} as const

export type MissingReason = keyof typeof MISSING_REASONS

/** Why a release has no row of an entity by a day, whatever the reason is where it has none at all. */
export function reasonOf(view: FieldView, { dataset, manifest, spanOf }: Release, entity: string, asOf: string): MissingReason {
  const span = spanOf(entity)
  if (view.time === 'snapshot' && (span?.[0] ?? manifest.data_as_of) > asOf) return 'snapshot_has_no_history'
  if (span === undefined) return dataset.empty === undefined || dataset.empty === 'no_match' ? 'no_value' : dataset.empty
  if (view.time === 'announced') return 'not_announced'
  return span[0] !== null && span[0] > asOf ? 'outside_coverage' : 'no_value'
}
