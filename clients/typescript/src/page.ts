/** What the headers of an answer say of it. */
export interface Facts {
  /** The release the rows come from; null of answers that are of none. */
  readonly release: string | null
  /** Newest day that the release holds. */
  readonly dataAsOf: string | null
  /** Labels of what the dataset is known to lack. */
  readonly knownGaps: readonly string[]
  /** Labels of what must not be overlooked; `synthetic_sample_data` means sample rows. */
  readonly warnings: readonly string[]
  /** Why there are no rows; null where there are. */
  readonly emptyReason: string | null
  /** Rows of the answer; null where the answer does not say. */
  readonly rowCount: number | null
  /** The plan's row limit left out rows that were asked for. */
  readonly limited: boolean
  /** What the answer cost, and what is left, null where the answer does not say; null without a key. */
  readonly credits: { readonly charged: number; readonly remaining: number | null } | null
  readonly requestId: string | null
  /** Path of the next page, of the same release; null on the last. */
  readonly next: string | null
}

/** One answer of a read. */
export interface Page<Row> extends Facts {
  readonly rows: readonly Row[]
  /** The whole body, envelope included. */
  readonly body: Readonly<Record<string, unknown>>
}

/** One answer as it is sent, in a format other than objects. */
export interface Download extends Facts {
  readonly contentType: string
  /** Bytes of it; null where the service does not know before it is made. */
  readonly bytes: number | null
  /** Ends with an error where the answer breaks off. */
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

/** The rows of a body, wherever its envelope has them. */
export function rowsIn(body: Readonly<Record<string, unknown>>): readonly unknown[] {
  const { data, envelope } = body as { data?: unknown; envelope?: { data?: unknown } }
  const rows = data ?? envelope?.data
  return Array.isArray(rows) ? rows : []
}
