import type { FieldView } from '../../catalog/index.ts'
import type { Reads } from '../engine/index.ts'
import type { Release, Releases } from '../releases/index.ts'
import type { Columns } from '../row-cache/index.ts'
import type { FactSet } from './facts.ts'
import type { NewestFacts } from './newest.ts'

export interface FieldDeps {
  readonly releases: Releases
  /** Reads wait in the queue of the caller's account. */
  readonly pool: Reads
  readonly newest: NewestFacts
  readonly columns: Columns
}

export interface Lookup<V extends FieldView = FieldView> {
  readonly view: V
  readonly release: Release
  readonly entities: readonly string[]
  /** `YYYY-MM-DD`, not after today. */
  readonly asOf: string
}

export type Resolved = ReadonlyMap<string, FactSet | MissingReason>

export interface Answers {
  readonly unanswered: () => readonly string[]
  set(entity: string, answer: FactSet | MissingReason): void
}

export const MISSING_REASONS = {
  no_such_entity: 'no served dataset of this entity type contains the id',
  no_value: 'the row has no value in this column, or the dataset has no row of this entity by as_of_date',
  not_announced: 'no period of this entity was announced by as_of_date',
  announcement_date_unknown:
    'a newer period had ended by as_of_date, but its announcement date is unknown, because as_of_date is before the first release',
  outside_coverage: 'as_of_date is before the first day of the dataset',
  snapshot_has_no_history: 'the dataset is a snapshot taken after as_of_date, and no older release is retained',
  not_captured: 'no data was collected, so events may exist that are not listed',
  not_built: 'the dataset does not cover this entity yet',
  dataset_building: 'the dataset has no published release yet',
  data_unavailable: 'the stored data is damaged, or the release of that day has columns that can no longer be read',
} as const

export type MissingReason = keyof typeof MISSING_REASONS

export function reasonOf(view: FieldView, { dataset, manifest, spanOf }: Release, entity: string, asOf: string): MissingReason {
  const span = spanOf(entity)
  if (view.time === 'snapshot' && (span?.[0] ?? manifest.data_as_of) > asOf) return 'snapshot_has_no_history'
  const { first_date: first } = manifest.statistics
  if (view.time === 'series' && first !== null && first > asOf) return 'outside_coverage'
  if (span === undefined) return dataset.empty === undefined || dataset.empty === 'no_match' ? 'no_value' : dataset.empty
  return view.time === 'announced' ? 'not_announced' : 'no_value'
}
