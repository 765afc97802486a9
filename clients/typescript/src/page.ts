/** Metadata from the headers of an answer. */
export interface Facts {
  /** The release of the rows; null for answers without one. */
  readonly release: string | null
  /** `as_of` of the read; null if not sent. */
  readonly asOf: string | null
  /** Newest day of the release. */
  readonly dataAsOf: string | null
  /** Labels of the dataset's known gaps. */
  readonly knownGaps: readonly string[]
  /** Labels of warnings; `synthetic_sample_data` means sample rows. */
  readonly warnings: readonly string[]
  /** Reason why there are no rows; null if there are rows. */
  readonly emptyReason: string | null
  /** Number of rows in the answer. Null if the answer does not state it. */
  readonly rowCount: number | null
  /** True if the plan's row limit cut the answer. */
  readonly limited: boolean
  /**
   * Credits charged and remaining. `remaining` is null if the answer does not state it. Null
   * without a key.
   */
  readonly credits: { readonly charged: number; readonly remaining: number | null } | null
  readonly requestId: string | null
  /** Path of the next page, from the same release. Null on the last page. */
  readonly next: string | null
}

/** One answer of a read. */
export interface Page<Row> extends Facts {
  readonly rows: readonly Row[]
  /** The whole body with its envelope. */
  readonly body: Readonly<Record<string, unknown>>
}

/** One answer as a stream, in a format other than objects. */
export interface Download extends Facts {
  readonly contentType: string
  /** Size in bytes. Null if the service does not know it in advance. */
  readonly bytes: number | null
  /** Fails with an error if the response is cut off. */
  readonly stream: ReadableStream<Uint8Array>
}

export function factsOf({ headers }: Response): Facts {
  const list = (name: string): readonly string[] => headers.get(name)?.split(', ').filter(Boolean) ?? []
  const number = (name: string): number | null => {
    const text = headers.get(name)
    return text === null ? null : Number(text)
  }
  const charged = number('x-credits-charged')
  return {
    release: headers.get('x-release'),
    asOf: headers.get('x-as-of'),
    dataAsOf: headers.get('x-data-as-of'),
    knownGaps: list('x-known-gaps'),
    warnings: list('x-warnings'),
    emptyReason: headers.get('x-empty-reason'),
    rowCount: number('x-row-count'),
    limited: /;\s*limited/.test(headers.get('x-row-limit') ?? ''),
    credits: charged === null ? null : { charged, remaining: number('x-credits-remaining') },
    requestId: headers.get('x-request-id'),
    next: /<([^>]+)>;\s*rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? null,
  }
}

/** The rows of a body. Their position depends on the envelope. */
export function rowsIn(body: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { data, envelope } = body as { data?: unknown; envelope?: { data?: unknown } }
  const rows = data ?? envelope?.data
  return Array.isArray(rows) ? rows : []
}
