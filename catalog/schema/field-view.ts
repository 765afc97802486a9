import type { EntityType } from './entity.ts'
import type { PlanId } from './price.ts'

/**
 * Maps a dataset's columns to fields of entities: the rows of each entity, their day, and the field
 * name of each column. `time` selects the rows that apply on a day:
 *
 * - `series`: the row of the newest day up to that day
 * - `snapshot`: the list of that day, if a release of that day is retained
 * - `announced`: the newest fiscal period announced up to that day, from the release that was
 *   served on that day
 */
export type FieldView<C extends string = string> = SeriesView<C> | SnapshotView<C> | AnnouncedView<C>

interface AnyView<C extends string> {
  readonly entity: EntityType
  /**
   * Column that contains the entity's id. Default: the dataset's key, otherwise the first column of
   * its grain.
   */
  readonly id: C
  /**
   * Field name → column. With a `group`, fields are named `group.name`, and the plain name is an
   * alias. Without a group, a name includes its own group, `group.name`, and has no alias. Names
   * and aliases are unique among all views of an entity type.
   */
  readonly names: Readonly<Record<string, C>>
  readonly group?: string
  /** Names in which another word follows the group: `index_value` is `index.value`. */
  readonly words?: Readonly<Record<string, string>>
  /** Fields that a query without field names returns. Default: none. */
  readonly defaults?: readonly string[]
  /** Selects the view's rows: rows with this value in this column. Default: all rows. */
  readonly rows?: { readonly column: C; readonly equals: string | number }
  /** Description of `rows` in field descriptions, for example `the latest announced quarter`. */
  readonly of: string
  /** `of` in Chinese. */
  readonly ofZh: string
  /**
   * With `list`, every value is a list over all rows of the newest day, in grain order. Otherwise,
   * the first row is used.
   */
  readonly many?: 'list'
  /** Column that contains the source role of a row. Default: the dataset's own role. */
  readonly role?: C
  /**
   * Lowest plan that may query the fields. Default: the plan of the dataset. Required if the
   * dataset is not in the catalog.
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
  /** Day for which a row was recorded. Default: the release's `data_as_of`. */
  readonly date?: C
}

export interface AnnouncedView<C extends string = string> extends AnyView<C> {
  readonly time: 'announced'
  /** Last day of the fiscal period. */
  readonly date: C
  /** Name of the fiscal period. */
  readonly period: C
  /**
   * Day on which the figures of the row were announced. Null if unknown. Otherwise later than
   * `date`.
   */
  readonly announced: C
  readonly many?: never
}
