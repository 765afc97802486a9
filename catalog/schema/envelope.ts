/** Declarations of envelopes, the metadata around the rows of a response. */

export interface Measure<C extends string = string> {
  readonly name: string
  readonly of: C
  /** `distinct` lists the values on the page in order of appearance. `count` counts them. */
  readonly as: 'distinct' | 'count'
}

/** Flat envelope, with the rows under `data`. */
export interface EnvelopeA<C extends string = string> {
  readonly kind: 'A'
  readonly scope: string
  readonly coverage: string
  readonly measures?: readonly Measure<C>[]
  /** Names of two keys in `request_context`: the first and the last date of the release. */
  readonly dates?: { readonly first: string; readonly last: string }
}

/**
 * Envelope with only `dataset_id`, `row_count` and `data`. If the request selects the full
 * envelope, envelope A is sent.
 */
export interface EnvelopeBare {
  readonly kind: 'A-bare'
}

export interface EnvelopeB {
  readonly kind: 'B'
  readonly fieldGroup: string
  readonly view: string
  /** Additional keys of `query`. The value is the name of the repeated parameter. */
  readonly aliases?: Readonly<Record<string, string>>
}

/** Envelope with counts and filters in `request_context`. */
export interface EnvelopeC<C extends string = string> {
  readonly kind: 'C'
  readonly fieldGroup: string
  readonly view: string
  readonly scope: string
  readonly coverage: string
  /** Columns whose distinct values are counted. The keys are names in `request_context`. */
  readonly counts: Readonly<Record<string, C>>
  /**
   * Parameters that `request_context` repeats. Null in the response if the parameter was not sent.
   */
  readonly filters: Readonly<Record<string, string>>
}

export const SOURCE_ROLES = ['canonical', 'fallback', 'helper'] as const
export type SourceRole = (typeof SOURCE_ROLES)[number]

/** Envelope of reports, as in version 1. */
export interface EnvelopeD {
  readonly kind: 'D'
  readonly role: SourceRole
  readonly freshness: boolean
}

export type Envelope<C extends string = string> = EnvelopeA<C> | EnvelopeBare | EnvelopeB | EnvelopeC<C> | EnvelopeD
