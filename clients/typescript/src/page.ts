/** Metadata from the headers of a response. */
export interface Facts {
  /** Release that contains the rows. Null if the response has none. */
  readonly release: string | null
  /** `as_of` of the read. Null if the read had no `as_of`. */
  readonly asOf: string | null
  /** Newest day in the release. */
  readonly dataAsOf: string | null
  /** Labels of the dataset's known gaps. */
  readonly knownGaps: readonly string[]
  /** Labels of warnings. `synthetic_sample_data` means that the rows are sample data. */
  readonly warnings: readonly string[]
  /** Reason why there are no rows. Null if there are rows. */
  readonly emptyReason: string | null
  /** Number of rows in the response. Null if the response does not contain this number. */
  readonly rowCount: number | null
  /** True if the plan's row limit reduced the number of rows. */
  readonly limited: boolean
  /**
   * Charged and remaining credits. Null without a key. `remaining` is null if the response does not
   * contain it.
   */
  readonly credits: { readonly charged: number; readonly remaining: number | null } | null
  readonly requestId: string | null
  /** Path of the next page of the same release. Null on the last page. */
  readonly next: string | null
}

/** One page of rows. */
export interface Page<Row> extends Facts {
  readonly rows: readonly Row[]
  /** The whole body, including the metadata around the rows. */
  readonly body: Readonly<Record<string, unknown>>
}

/** One page as a stream of bytes. */
export interface Download extends Facts {
  readonly contentType: string
  /** Size in bytes. Null if the service does not know the size in advance. */
  readonly bytes: number | null
  /** The bytes of the body. Reading fails with an error if the response ends too early. */
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

/** Returns the rows of a body. The dataset's envelope determines where they are. */
export function rowsIn(body: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { data, envelope } = body as { data?: unknown; envelope?: { data?: unknown } }
  const rows = data ?? envelope?.data
  return Array.isArray(rows) ? rows : []
}
