import type { Row } from '../../catalog/index.ts'
import { Refusal, type Words } from '../../src/core/index.ts'
import type { Source } from '../../src/releases/index.ts'
import type { Fetch } from './fetch.ts'

/** A file as it arrived: its name for reports, its bytes already decompressed. */
export interface Body {
  readonly name: string
  readonly bytes: Uint8Array
}

/** What a body says about its own rows of a dataset, to hold the published ones against. */
export type StatedTotals = Pick<Source, 'held' | 'totals'>

/** What a body holds. Rows carry every stored (not derived) column of their dataset; a missing name is null. */
export type Parsed =
  | {
      readonly kind: 'rows'
      readonly rows: Readonly<Record<string, readonly Row[]>>
      readonly notes?: readonly string[]
      readonly statedTotals?: Readonly<Record<string, StatedTotals>>
    }
  | { readonly kind: 'empty'; readonly date: string | null; readonly reason: string }

/** One kind of file an exchange publishes, and how it becomes rows. */
export interface Feed {
  readonly name: string
  /** One line for the CLI's help: whose publication this is and the forms it accepts. */
  readonly title: string
  /** Slugs of the datasets its rows belong to. */
  readonly datasets: readonly string[]
  /** Public address of the publication, for the release's source list. */
  readonly url: string
  /** How the publication is asked for, the preferred way first; absent where it is only handed in as files. */
  readonly fetch?: readonly Fetch[]
  /** Market whose trading day one body is; absent where a body is not one trading day. */
  readonly daily?: 'TWSE' | 'TPEX'
  /** What the source of a list says where it really has nothing; absent where a list always has entries. */
  readonly nothing?: RegExp
  /**
   * Fewest rows of a complete list, by dataset; of each market where the dataset is published by market. Bounds the first list, for which
   * there is no served one to compare with.
   */
  readonly leastRows?: Readonly<Record<string, number>>
  /** Largest body that is read, unpacked, in bytes; 64 MB where absent. A body and what is made of it are in memory at once. */
  readonly mostBytes?: number
  /**
   * Pure: bytes in, rows out, columns found by name.
   *
   * @param requestedDay the day the body was fetched for, `YYYY-MM-DD`, when the operator named it
   * @throws Refusal body_refused when the body is another day's, another table's, an error page or damaged
   */
  parse(body: Body, requestedDay: string | undefined): Parsed
}

/** What a publication is called; text alone where it has its Chinese name in both languages. */
export type Called = string | Words

/** The name of a publication in every language. */
export const calledIn = (called: Called): Words => (typeof called === 'string' ? { en: called, zh: called } : called)

/**
 * Why a body was not believed.
 *
 * @param rule one snake_case word for programs and reports
 * @param words what was wrong and what to do next, for a person
 */
export const bodyRefused = (rule: string, words: Words, facts: Readonly<Record<string, unknown>> = {}): Refusal =>
  new Refusal('body_refused', { rule, ...facts }, words)
