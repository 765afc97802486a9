export interface Facts {
  /** Release of the rows. Null if the response has none. */
  readonly release: string | null
  /** The `as_of` of the read. Null if the read had none. */
  readonly asOf: string | null
  /** Newest day in the release. */
  readonly dataAsOf: string | null
  /** Labels of the dataset's known gaps. */
  readonly knownGaps: readonly string[]
  /** `synthetic_sample_data` marks sample data. */
  readonly warnings: readonly string[]
  /** Why there are no rows. Null if there are rows. */
  readonly emptyReason: string | null
  /** Rows in the response. Null if unknown. */
  readonly rowCount: number | null
  /** True if the plan's row limit applied. */
  readonly limited: boolean
  /**
   * Charged and remaining credits. Null without a key. `remaining` is null if the response does
   * not contain it.
   */
  readonly credits: { readonly charged: number; readonly remaining: number | null } | null
  readonly requestId: string | null
  /** Next page of the same release. Null on the last page. */
  readonly next: string | null
}

export interface Page<Row> extends Facts {
  readonly rows: readonly Row[]
  /** The whole body, with the metadata around the rows. */
  readonly body: Readonly<Record<string, unknown>>
}

/** One page as a stream of bytes. */
export interface Download extends Facts {
  readonly contentType: string
  /** Size in bytes. Null if unknown in advance. */
  readonly bytes: number | null
  /** Reading fails if the response ends too early. */
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

/** Returns the rows of a body. The position of the rows depends on the dataset's envelope. */
export function rowsIn(body: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { data, envelope } = body as { data?: unknown; envelope?: { data?: unknown } }
  const rows = data ?? envelope?.data
  return Array.isArray(rows) ? rows : []
}
