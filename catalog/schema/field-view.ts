import type { EntityType } from './entity.ts'
import type { PlanId } from './price.ts'

/**
 * Declares which columns of a dataset are fields of an entity type. `time` selects the rows that
 * apply on a requested day:
 *
 * - `series`: the row of the newest day up to the requested day
 * - `snapshot`: the list of the requested day, if a release of that day is retained
 * - `announced`: the newest fiscal period that was announced by the requested day, from the release
 *   that was served on that day
 */
export type FieldView<C extends string = string> = SeriesView<C> | SnapshotView<C> | AnnouncedView<C>

interface AnyView<C extends string> {
  readonly entity: EntityType
  /**
   * Column that contains the id of the entity. Default: the dataset's key. Without a key, the first
   * column of the grain is used.
   */
  readonly id: C
  /**
   * Columns, keyed by field name. With a `group`, a field is named `group.name`, and the plain name
   * is an alias. Without a `group`, the key is already `group.name` and has no alias. Names and
   * aliases are unique among all views of an entity type.
   */
  readonly names: Readonly<Record<string, C>>
  readonly group?: string
  /** Field names that put another word after the group: `index_value` is `index.value`. */
  readonly words?: Readonly<Record<string, string>>
  /** Fields that a query without field names returns. Default: none. */
  readonly defaults?: readonly string[]
  /** Limits the view to rows with this value in this column. Default: all rows. */
  readonly rows?: { readonly column: C; readonly equals: string | number }
  /** Describes `rows` in field descriptions, for example `the latest announced quarter`. */
  readonly of: string
  readonly ofZh: string
  /**
   * With `list`, a field returns a list with the values of all rows of the newest day, in grain
   * order. Otherwise a field returns the value of the first row.
   */
  readonly many?: 'list'
  /** Column that contains the source role of each row. Default: the role of the dataset. */
  readonly role?: C
  /**
   * Lowest plan that may query these fields. Default: the plan of the dataset. Required if the
   * dataset is internal.
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
  /**
   * Day on which the figures of the row were announced. Always later than `date`. Null if unknown.
   */
  readonly announced: C
  readonly many?: never
}
