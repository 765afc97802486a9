/**
 * Declarations of envelopes (the metadata around the rows of a response). All values are computed
 * from the page's rows, the release or the parameters.
 */

export interface Measure<C extends string = string> {
  /** Key under `quality`. */
  readonly name: string
  readonly of: C
  /**
   * `distinct` lists the distinct values on the page, in order of appearance. `count` counts them.
   */
  readonly as: 'distinct' | 'count'
}

/** Flat envelope, with the rows under `data`. */
export interface EnvelopeA<C extends string = string> {
  readonly kind: 'A'
  readonly scope: string
  readonly coverage: string
  readonly measures?: readonly Measure<C>[]
  /**
   * Names of two keys in `request_context`. They contain the first and the last date of the
   * release.
   */
  readonly dates?: { readonly first: string; readonly last: string }
}

/**
 * Bare envelope with only `dataset_id`, `row_count` and `data`. If a request selects the full
 * envelope, envelope A is sent.
 */
export interface EnvelopeBare {
  readonly kind: 'A-bare'
}

/** Nested envelope, with the rows under `envelope.data`. */
export interface EnvelopeB {
  readonly kind: 'B'
  readonly fieldGroup: string
  readonly view: string
  /**
   * Additional keys of `query`. The value of a key is the name of the parameter that it repeats.
   */
  readonly aliases?: Readonly<Record<string, string>>
}

/** Envelope with the rows under `data`, and with counts and filters in `request_context`. */
export interface EnvelopeC<C extends string = string> {
  readonly kind: 'C'
  readonly fieldGroup: string
  readonly view: string
  readonly scope: string
  readonly coverage: string
  /**
   * Counts of distinct values in the whole release. The key is the name in `request_context`, the
   * value is the counted column.
   */
  readonly counts: Readonly<Record<string, C>>
  /**
   * Parameters that `request_context` repeats. The key is the name in `request_context`, the value
   * is the name of the parameter. The response contains null if the parameter was not sent.
   */
  readonly filters: Readonly<Record<string, string>>
}

export const SOURCE_ROLES = ['canonical', 'fallback', 'helper'] as const
export type SourceRole = (typeof SOURCE_ROLES)[number]

/** Envelope of reports, as in version 1, with the rows under `data`. */
export interface EnvelopeD {
  readonly kind: 'D'
  readonly role: SourceRole
  /** Whether the envelope contains `freshness`. */
  readonly freshness: boolean
}

export type Envelope<C extends string = string> = EnvelopeA<C> | EnvelopeBare | EnvelopeB | EnvelopeC<C> | EnvelopeD
