/** What an envelope says beside the rows. Values come from the page's rows, the release or the parameters; none is typed by hand. */

export interface Measure<C extends string = string> {
  /** Key under `quality`. */
  readonly name: string
  readonly of: C
  /** distinct lists the page's values in the order they appear; count counts them. */
  readonly as: 'distinct' | 'count'
}

/** Flat. Rows under `data`. */
export interface EnvelopeA<C extends string = string> {
  readonly kind: 'A'
  readonly scope: string
  readonly coverage: string
  readonly measures?: readonly Measure<C>[]
  /** Adds the release's first and last date to `request_context` under these names. */
  readonly dates?: { readonly first: string; readonly last: string }
}

/** `dataset_id`, `row_count`, `data` and nothing else, but for warnings about the data itself. */
export interface EnvelopeBare {
  readonly kind: 'A-bare'
}

/** Nested. Rows under `envelope.data`. */
export interface EnvelopeB {
  readonly kind: 'B'
  readonly fieldGroup: string
  readonly view: string
  /** Extra keys of the `query` echo, each repeating a parameter. */
  readonly aliases?: Readonly<Record<string, string>>
}

/** Rows under `data`, with counts and filters in `request_context`. */
export interface EnvelopeC<C extends string = string> {
  readonly kind: 'C'
  readonly fieldGroup: string
  readonly view: string
  readonly scope: string
  readonly coverage: string
  /** `request_context` key → column whose distinct values in the release are counted. */
  readonly counts: Readonly<Record<string, C>>
  /** `request_context` key → parameter repeated there, null when not sent. */
  readonly filters: Readonly<Record<string, string>>
}

/** Version 1 reports. Rows under `data`. */
export interface EnvelopeD {
  readonly kind: 'D'
  readonly role: 'canonical' | 'fallback' | 'helper'
  /** False leaves `freshness` out. */
  readonly freshness: boolean
}

export type Envelope<C extends string = string> = EnvelopeA<C> | EnvelopeBare | EnvelopeB | EnvelopeC<C> | EnvelopeD
