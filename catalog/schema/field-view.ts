import type { EntityType } from './entity.ts'
import type { PlanId } from './price.ts'

/**
 * Declares columns as fields of an entity type. `time` selects the rows for the requested day:
 * - `series`: the newest row up to that day
 * - `snapshot`: the list of that day, if a release of that day is retained
 * - `announced`: the newest fiscal period that was announced by that day, from the release that was
 *   served on that day
 */
export type FieldView<C extends string = string> = SeriesView<C> | SnapshotView<C> | AnnouncedView<C>

interface AnyView<C extends string> {
  readonly entity: EntityType
  /** Column with the entity's id. Default: the key, or else the first column of the grain. */
  readonly id: C
  /**
   * Columns, keyed by field name. With a `group`, the full name is `group.name`. The plain name is
   * then an alias.
   */
  readonly names: Readonly<Record<string, C>>
  readonly group?: string
  /** Replaces names in full names. With `{ index_name: 'name' }`, the full name is `index.name`. */
  readonly words?: Readonly<Record<string, string>>
  /** Fields of a query without field names. Default: none. */
  readonly defaults?: readonly string[]
  /** Only rows with this value have the fields. Default: all rows. */
  readonly rows?: { readonly column: C; readonly equals: string | number }
  /** Text that describes `rows`, for example `the latest announced quarter`. */
  readonly of: string
  readonly ofZh: string
  /**
   * `list`: a query returns the values of all rows of the newest day, in grain order. Default: only
   * the first value.
   */
  readonly many?: 'list'
  /** Column with the source role of each row. Default: the dataset's role. */
  readonly role?: C
  /**
   * Lowest plan that may query these fields. Default: the dataset's plan. Required if the dataset
   * is internal.
   */
  readonly plan?: PlanId
}

export interface SeriesView<C extends string = string> extends AnyView<C> {
  readonly time: 'series'
  /** Day that a row describes. */
  readonly date: C
}

export interface SnapshotView<C extends string = string> extends AnyView<C> {
  readonly time: 'snapshot'
  /** Day on which a row was recorded. Default: the release's `data_as_of`. */
  readonly date?: C
}

export interface AnnouncedView<C extends string = string> extends AnyView<C> {
  readonly time: 'announced'
  /** Last day of the fiscal period. */
  readonly date: C
  readonly period: C
  /** Day of the announcement. Null if unknown. Always later than `date`. */
  readonly announced: C
  readonly many?: never
}
