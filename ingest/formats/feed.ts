import type { Row } from '../../catalog/index.ts'
import { Refusal, type Words } from '../../src/core/index.ts'
import type { Source } from '../../src/releases/index.ts'
import type { Fetch } from './fetch.ts'

/** A received file: its name for reports, and its decompressed bytes. */
export interface Body {
  readonly name: string
  readonly bytes: Uint8Array
}

/**
 * Totals that a body states about its rows of a dataset. They are compared with the published rows.
 */
export type StatedTotals = Pick<Source, 'held' | 'totals'>

/**
 * Content of a body. Rows have all stored (not derived) columns of their dataset. Columns that the
 * body lacks are null.
 */
export type Parsed =
  | {
      readonly kind: 'rows'
      readonly rows: Readonly<Record<string, readonly Row[]>>
      readonly notes?: readonly string[]
      readonly statedTotals?: Readonly<Record<string, StatedTotals>>
    }
  | { readonly kind: 'empty'; readonly date: string | null; readonly reason: string }

/** A publication of an exchange, and how it is converted to rows. */
export interface Feed {
  readonly name: string
  /** One line for the CLI's help: publisher and accepted formats. */
  readonly title: string
  /** Slugs of the feed's datasets. */
  readonly datasets: readonly string[]
  /** Public address of the publication, for the sources of a release. */
  readonly url: string
  /**
   * Ways to fetch the publication, preferred one first. Absent if it is only available as files.
   */
  readonly fetch?: readonly Fetch[]
  /** The market, if each body contains one trading day of this market. */
  readonly daily?: 'TWSE' | 'TPEX' | 'TAIFEX'
  /**
   * First value of the slices that a body contains. Only for datasets that are not published by
   * market. Without it, the slices of all feeds of the dataset count.
   */
  readonly slice?: string
  /** Message of the source for an empty list. Absent if the list always has entries. */
  readonly nothing?: RegExp
  /**
   * Minimum number of rows of a complete list, by dataset, and per market if the dataset is
   * published by market. The first list is compared with this number, because no earlier list is
   * available.
   */
  readonly leastRows?: Readonly<Record<string, number>>
  /**
   * Maximum decompressed size in bytes. Default: 64 MB. The limit bounds memory, because a body and
   * its rows are in memory at the same time.
   */
  readonly mostBytes?: number
  /**
   * Pure function that converts bytes to rows. Finds columns by name.
   *
   * @param requestedDay requested day, `YYYY-MM-DD`, if any
   * @throws Refusal body_refused for another day or table, an error page or a damaged body
   */
  parse(body: Body, requestedDay: string | undefined): Parsed
}

/** Name of a publication. A string is used in both languages. */
export type Called = string | Words

/** The name of a publication in every language. */
export const calledIn = (called: Called): Words => (typeof called === 'string' ? { en: called, zh: called } : called)

/**
 * Refuses a body.
 *
 * @param rule one snake_case word, for programs and reports
 * @param words what is wrong, and what to do
 */
export const bodyRefused = (rule: string, words: Words, facts: Readonly<Record<string, unknown>> = {}): Refusal =>
  new Refusal('body_refused', { rule, ...facts }, words)
