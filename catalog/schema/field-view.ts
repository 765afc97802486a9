import type { PlanId } from './dataset.ts'
import type { EntityType } from './entity.ts'

/**
 * One dataset seen as fields of entities: which rows speak of which entity, of which day, and under which names their columns are asked
 * for. What is true as of a day follows from `time`:
 *
 * series the row of the newest day up to it · snapshot the list as it stood that day, where a release of then is kept · announced the
 * newest fiscal period announced by then, as the release served that day has it.
 */
export type FieldView<C extends string = string> = SeriesView<C> | SnapshotView<C> | AnnouncedView<C>

interface AnyView<C extends string> {
  readonly entity: EntityType
  /** Column with the entity's id: the dataset's key, or the first column of its grain. */
  readonly id: C
  /** Field name → column. Names are unique among all views of an entity type; `group.name` where two datasets would share one. */
  readonly names: Readonly<Record<string, C>>
  /** Fields answered when a query names none; empty when absent. */
  readonly defaults?: readonly string[]
  /** DuckDB expression over the dataset's columns: only rows for which it holds. In words: `of`. */
  readonly rows?: string
  /** What `rows` chooses, as the descriptions say it, for example `the latest announced quarter`. */
  readonly of: string
  /** Where several rows are the newest: `list` makes every value a list of them all, in the grain's order. Absent: the first of them. */
  readonly many?: 'list'
  /** Column that says where a row comes from; the dataset's own role when absent. */
  readonly role?: C
  /** Least plan. Needed where the dataset itself is not sold; the dataset's plan when absent. */
  readonly plan?: PlanId
}

export interface SeriesView<C extends string = string> extends AnyView<C> {
  readonly time: 'series'
  /** Day a row speaks of. */
  readonly date: C
}

export interface SnapshotView<C extends string = string> extends AnyView<C> {
  readonly time: 'snapshot'
  /** Day a row was taken; the release's `data_as_of` when absent. */
  readonly date?: C
}

export interface AnnouncedView<C extends string = string> extends AnyView<C> {
  readonly time: 'announced'
  /** Last day of the fiscal period. */
  readonly date: C
  /** Name of the fiscal period. */
  readonly period: C
  /** Day the row's figures were announced, null where unknown; always after `date`. */
  readonly announced: C
  readonly many?: never
}
