/**
 * Envelope fields in addition to the rows. All values are computed from the page's rows, the
 * release or the parameters.
 */

export interface Measure<C extends string = string> {
  /** Key under `quality`. */
  readonly name: string
  readonly of: C
  /** `distinct` lists the page's distinct values in order of appearance; `count` counts them. */
  readonly as: 'distinct' | 'count'
}

/** Flat: rows under `data`. */
export interface EnvelopeA<C extends string = string> {
  readonly kind: 'A'
  readonly scope: string
  readonly coverage: string
  readonly measures?: readonly Measure<C>[]
  /** Names of two keys in `request_context` that contain the release's first and last date. */
  readonly dates?: { readonly first: string; readonly last: string }
}

/**
 * Bare: only `dataset_id`, `row_count` and `data`. If the full envelope is requested, envelope A is
 * sent.
 */
export interface EnvelopeBare {
  readonly kind: 'A-bare'
}

/** Nested: rows under `envelope.data`. */
export interface EnvelopeB {
  readonly kind: 'B'
  readonly fieldGroup: string
  readonly view: string
  /** Additional keys of the `query` echo, each with the parameter that it repeats. */
  readonly aliases?: Readonly<Record<string, string>>
}

/** Rows under `data`, with counts and filters in `request_context`. */
export interface EnvelopeC<C extends string = string> {
  readonly kind: 'C'
  readonly fieldGroup: string
  readonly view: string
  readonly scope: string
  readonly coverage: string
  /** `request_context` key → column whose distinct values in the whole release are counted. */
  readonly counts: Readonly<Record<string, C>>
  /**
   * `request_context` key → the parameter that it repeats. Null in the response if the parameter
   * was not sent.
   */
  readonly filters: Readonly<Record<string, string>>
}

export const SOURCE_ROLES = ['canonical', 'fallback', 'helper'] as const
export type SourceRole = (typeof SOURCE_ROLES)[number]

/** Version 1 reports: rows under `data`. */
export interface EnvelopeD {
  readonly kind: 'D'
  readonly role: SourceRole
  /** False omits `freshness`. */
  readonly freshness: boolean
}

export type Envelope<C extends string = string> = EnvelopeA<C> | EnvelopeBare | EnvelopeB | EnvelopeC<C> | EnvelopeD
