import type { Row } from '../../catalog/index.ts'
import { Refusal, type Words } from '../../src/core/index.ts'
import type { Source } from '../../src/releases/index.ts'
import type { Fetch } from './fetch.ts'

export interface Body {
  readonly name: string
  readonly bytes: Uint8Array
}

/** Totals that a file states, to compare with the published rows. */
export type StatedTotals = Pick<Source, 'held' | 'totals'>

/** Rows have all stored columns except derived ones. Missing values are null. */
export type Parsed =
  | {
      readonly kind: 'rows'
      readonly rows: Readonly<Record<string, readonly Row[]>>
      readonly notes?: readonly string[]
      readonly statedTotals?: Readonly<Record<string, StatedTotals>>
    }
  | { readonly kind: 'empty'; readonly date: string | null; readonly reason: string }

export interface Feed {
  readonly name: string
  /** Publisher and accepted formats, for the CLI's help. */
  readonly title: string
  readonly datasets: readonly string[]
  /** Public address, listed in the sources of a release. */
  readonly url: string
  /**
   * Ways to download the publication, preferred one first. Missing if only the user can obtain the
   * files.
   */
  readonly fetch?: readonly Fetch[]
  /** Market of the files, if each file contains one trading day. */
  readonly daily?: 'TWSE' | 'TPEX' | 'TAIFEX'
  /**
   * Prefix of this feed's slice names, needed to find the days that the feed published. Only for
   * datasets that are not sliced by market. If missing, slices of all feeds count.
   */
  readonly slice?: string
  /** Matches the source's message for an empty list. Missing if the list always has entries. */
  readonly nothing?: RegExp
  /**
   * Minimum number of rows of a complete list, keyed by dataset. Detects an incomplete first list.
   * Applies per market if the dataset is published by market.
   */
  readonly leastRows?: Readonly<Record<string, number>>
  /**
   * Maximum decompressed bytes. Default: 64 MB. Bounds memory. A file and its rows are in memory
   * at the same time.
   */
  readonly mostBytes?: number
  /**
   * Converts bytes to rows, without side effects. Finds columns by name.
   *
   * @param requestedDay undefined if any day is accepted
   * @throws Refusal body_refused for another day or table, an error page or a damaged file
   */
  parse(body: Body, requestedDay: string | undefined): Parsed
}

export type Called = string | Words

export const calledIn = (called: Called): Words => (typeof called === 'string' ? { en: called, zh: called } : called)

/**
 * @param rule one snake_case word, for programs and reports
 * @param words what is wrong, and what to do
 */
export const bodyRefused = (rule: string, words: Words, facts: Readonly<Record<string, unknown>> = {}): Refusal =>
  new Refusal('body_refused', { rule, ...facts }, words)
