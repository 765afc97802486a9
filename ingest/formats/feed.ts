import type { Row } from '../../catalog/index.ts'
import { Refusal, type Words } from '../../src/core/index.ts'
import type { Source } from '../../src/releases/index.ts'
import type { Fetch } from './fetch.ts'

/** A received file: its name for reports, and its decompressed bytes. */
export interface Body {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Totals that a file states about its rows. They are compared with the published rows. */
export type StatedTotals = Pick<Source, 'held' | 'totals'>

/**
 * Parsed content of a file. Rows have all stored columns of their dataset, with null for columns
 * that the file lacks. Derived columns are added later.
 */
export type Parsed =
  | {
      readonly kind: 'rows'
      readonly rows: Readonly<Record<string, readonly Row[]>>
      readonly notes?: readonly string[]
      readonly statedTotals?: Readonly<Record<string, StatedTotals>>
    }
  | { readonly kind: 'empty'; readonly date: string | null; readonly reason: string }

/** A publication of an exchange, and how its files are converted to rows. */
export interface Feed {
  readonly name: string
  /** One line for the CLI's help: publisher and accepted formats. */
  readonly title: string
  readonly datasets: readonly string[]
  /** Public address of the publication. It is listed in the sources of a release. */
  readonly url: string
  /**
   * Ways to fetch the publication, preferred one first. Missing if only the user can obtain its
   * files.
   */
  readonly fetch?: readonly Fetch[]
  /** The market, if each file contains one trading day of this market. */
  readonly daily?: 'TWSE' | 'TPEX' | 'TAIFEX'
  /**
   * Names of this feed's slices (parts of a dataset that are replaced as a whole) start with this
   * value. It is needed to find the days that this feed has published. Only for datasets that are
   * not sliced by market. If it is missing, the slices of all feeds count.
   */
  readonly slice?: string
  /** Matches the source's message for an empty list. Missing if the list always has entries. */
  readonly nothing?: RegExp
  /**
   * Minimum number of rows of a complete list, keyed by dataset. It applies per market if the
   * dataset is published by market. The first list is compared with this number, because there is
   * no earlier list.
   */
  readonly leastRows?: Readonly<Record<string, number>>
  /**
   * Maximum decompressed size in bytes. Default: 64 MB. It bounds memory, because a file and its
   * rows are in memory at the same time.
   */
  readonly mostBytes?: number
  /**
   * Converts bytes to rows, without side effects. Finds columns by name.
   *
   * @param requestedDay `YYYY-MM-DD`, or undefined if any day is accepted
   * @throws Refusal body_refused for another day or table, an error page or a damaged file
   */
  parse(body: Body, requestedDay: string | undefined): Parsed
}

/** Name of a publication. A string is used in both languages. */
export type Called = string | Words

export const calledIn = (called: Called): Words => (typeof called === 'string' ? { en: called, zh: called } : called)

/**
 * Creates the refusal of a file.
 *
 * @param rule one snake_case word, for programs and reports
 * @param words what is wrong, and what to do
 */
export const bodyRefused = (rule: string, words: Words, facts: Readonly<Record<string, unknown>> = {}): Refusal =>
  new Refusal('body_refused', { rule, ...facts }, words)
