/**
 * Envelopes are the metadata around the rows of a response. All values come from the page's rows,
 * the release or the parameters.
 */

export interface Measure<C extends string = string> {
  /** Key under `quality`. */
  readonly name: string
  readonly of: C
  /** `distinct` lists the values on the page in order of appearance. `count` counts them. */
  readonly as: 'distinct' | 'count'
}

/** Flat metadata, with the rows under `data`. */
export interface EnvelopeA<C extends string = string> {
  readonly kind: 'A'
  readonly scope: string
  readonly coverage: string
  readonly measures?: readonly Measure<C>[]
  /** Keys in `request_context` for the first and the last date of the release. */
  readonly dates?: { readonly first: string; readonly last: string }
}

/** Only `dataset_id`, `row_count` and `data`. A request can select the full form A. */
export interface EnvelopeBare {
  readonly kind: 'A-bare'
}

export interface EnvelopeB {
  readonly kind: 'B'
  readonly fieldGroup: string
  readonly view: string
  /** Additional keys of `query`. Each value is the parameter that the key repeats. */
  readonly aliases?: Readonly<Record<string, string>>
}

/** Rows under `data`, with counts and filters in `request_context`. */
export interface EnvelopeC<C extends string = string> {
  readonly kind: 'C'
  readonly fieldGroup: string
  readonly view: string
  readonly scope: string
  readonly coverage: string
  /** Columns whose distinct values are counted, keyed by name in `request_context`. */
  readonly counts: Readonly<Record<string, C>>
  /**
   * Parameters that `request_context` repeats, keyed by name. Null if the parameter was not sent.
   */
  readonly filters: Readonly<Record<string, string>>
}

export const SOURCE_ROLES = ['canonical', 'fallback', 'helper'] as const
export type SourceRole = (typeof SOURCE_ROLES)[number]

/** Reports, as in version 1, with the rows under `data`. */
export interface EnvelopeD {
  readonly kind: 'D'
  readonly role: SourceRole
  /** True if the response contains `freshness`. */
  readonly freshness: boolean
}

export type Envelope<C extends string = string> = EnvelopeA<C> | EnvelopeBare | EnvelopeB | EnvelopeC<C> | EnvelopeD
