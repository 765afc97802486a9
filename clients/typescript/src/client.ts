import { follow } from './follow.ts'
import { type Download, type Facts, factsOf, type Page, rowsIn } from './page.ts'
import { type CallOptions, type ClientOptions, createAsk, jsonOf, type Param } from './request.ts'
import {
  type DatasetCatalog,
  type DryRun,
  type FieldQueryAnswer,
  PATHS,
  type QueryFields,
  type QueryParams,
  type Reads,
  type SearchParams,
  type SearchResult,
  type SqlAnswer,
  type SqlDryRun,
  type Updates,
  type UpdatesParams,
} from './service.ts'

export type ReadName = keyof Reads
type Sort<Column extends string> = Column | `-${Column}`

/** Filters of the dataset, and parameters of all reads. */
export type ReadParams<Name extends ReadName> = Reads[Name]['params'] & {
  /**
   * Maximum rows per page. Default: 50, or all rows of a cross-section. The plan's row limit is
   * the maximum.
   */
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  /** Columns to sort by. `-` before a column sorts in descending order. */
  readonly sort?: Sort<Column<Name>> | readonly Sort<Column<Name>>[] | undefined
  /** Columns to return. Default: all. */
  readonly columns?: string | readonly Column<Name>[] | undefined
  /** Id of an earlier release. Default: the served release. */
  readonly release?: string | undefined
  /**
   * Returns the rows that were served at the end of this day in Taipei, or at this RFC 3339 time.
   * Not together with `release`.
   */
  readonly as_of?: string | undefined
}
type Column<Name extends ReadName> = Extract<keyof Reads[Name]['row'], string>

export type RowOf<Name extends ReadName, Params> = Params extends { readonly columns: readonly (infer Columns)[] }
  ? Pick<Reads[Name]['row'], Columns & keyof Reads[Name]['row']>
  : Params extends { readonly columns: string }
    ? Partial<Reads[Name]['row']>
    : Reads[Name]['row']

type SqlValue = string | number | boolean | null

export interface SqlParams {
  /** Values of `$1`, `$2`, … as a list, or of `$name` as an object. */
  readonly params?: readonly SqlValue[] | Readonly<Record<string, SqlValue>> | undefined
  /** Maximum number of rows. Default: the plan's row limit. */
  readonly limit?: number | undefined
  readonly offset?: number | undefined
  /** Reads the releases at the end of this day in Taipei, or at this RFC 3339 time. */
  readonly as_of?: string | undefined
  /** Release ids, keyed by dataset slug. */
  readonly releases?: Readonly<Record<string, string>> | undefined
}

export type Format = 'csv' | 'ndjson' | 'arrow' | 'parquet' | 'json'

export interface DownloadOptions extends CallOptions {
  readonly format: Format
  /** Starts CSV with a byte order mark for Excel. */
  readonly bom?: boolean | undefined
}

export interface Client {
  /**
   * Reads one page of rows.
   *
   * @throws TwmdError
   */
  read<Name extends ReadName, const Params extends ReadParams<Name>>(
    name: Name,
    params: Params,
    options?: CallOptions,
  ): Promise<Page<RowOf<Name, Params>>>
  /**
   * Reads all pages, from one release. Each page is charged as one read.
   *
   * @throws TwmdError
   */
  pages<Name extends ReadName, const Params extends ReadParams<Name>>(
    name: Name,
    params: Params,
    options?: CallOptions,
  ): AsyncGenerator<Page<RowOf<Name, Params>>, void>
  /**
   * Yields the rows of all pages.
   *
   * @throws TwmdError
   */
  rows<Name extends ReadName, const Params extends ReadParams<Name>>(
    name: Name,
    params: Params,
    options?: CallOptions,
  ): AsyncGenerator<RowOf<Name, Params>, void>
  /**
   * Reads one page as a stream of bytes.
   *
   * @throws TwmdError
   */
  download<Name extends ReadName>(name: Name, params: ReadParams<Name>, options: DownloadOptions): Promise<Download>
  /**
   * Reads all pages as streams. Read each stream to its end before the next one.
   *
   * @throws TwmdError
   */
  downloads<Name extends ReadName>(name: Name, params: ReadParams<Name>, options: DownloadOptions): AsyncGenerator<Download, void>
  /**
   * Estimates rows, bytes and price of a read. Free. If the read would be refused, the result
   * contains the refusal.
   *
   * @throws TwmdError
   */
  dryRun<Name extends ReadName>(name: Name, params: ReadParams<Name>, options?: CallOptions & { readonly format?: Format }): Promise<DryRun>
  /**
   * Reads single values of many entities as of a day.
   *
   * @throws TwmdError
   */
  fields(params: QueryParams, options?: CallOptions): Promise<FieldQueryAnswer & { readonly credits: Facts['credits'] }>
  /**
   * Runs one SELECT over the datasets. `params` has the values of `$1`, `$2`, …, or of `$name`.
   *
   * @throws TwmdError
   */
  sql(q: string, params?: SqlParams, options?: CallOptions): Promise<SqlAnswer & { readonly credits: Facts['credits'] }>
  /**
   * Estimates the price of an SQL query. Free.
   *
   * @throws TwmdError
   */
  drySql(q: string, params?: SqlParams, options?: CallOptions): Promise<SqlDryRun>
  /**
   * Lists the fields that `fields` can read.
   *
   * @throws TwmdError
   */
  fieldNames(params?: { readonly entity_type?: QueryParams['entity_type'] }, options?: CallOptions): Promise<QueryFields>
  /**
   * Searches symbols, datasets, fields, themes, indices, brokers and branches.
   *
   * @throws TwmdError
   */
  search(q: string, params?: Omit<SearchParams, 'q'>, options?: CallOptions): Promise<SearchResult>
  /**
   * Lists all datasets with state, price and filters. Free, and works without a key.
   *
   * @throws TwmdError
   */
  datasets(options?: CallOptions): Promise<DatasetCatalog>
  /**
   * Returns one page of publications, newest first. Free, and works without a key.
   *
   * @throws TwmdError
   */
  updates(params?: UpdatesParams, options?: CallOptions): Promise<Updates>
  /**
   * Yields new publications, oldest first, until the signal aborts. See {@link follow}.
   *
   * @throws TwmdError
   */
  follow: ReturnType<typeof follow>
}

/**
 * Creates a client for one service. The whole program can share one client.
 */
export function createClient(options: ClientOptions): Client {
  const ask = createAsk(options)
  const json = async <T>(path: string, params: Readonly<Record<string, Param>>, call?: Parameters<typeof ask>[2]): Promise<T> =>
    jsonOf<T>(await ask(path, params, call))

  async function* answers(path: string, params: Readonly<Record<string, Param>>, call?: CallOptions): AsyncGenerator<Response, void> {
    let response = await ask(path, params, call)
    for (;;) {
      const { next } = factsOf(response)
      yield response
      if (next === null) return
      // The link already contains all parameters, including `release` or `as_of`.
      response = await ask(next, {}, call)
    }
  }
  const pageOf = async <Row>(response: Response): Promise<Page<Row>> => {
    const body = await jsonOf<Readonly<Record<string, unknown>>>(response)
    return { ...factsOf(response), rows: rowsIn(body) as readonly Row[], body }
  }
  const asDownload = (response: Response): Download => {
    const length = response.headers.get('content-encoding') === null ? response.headers.get('content-length') : null
    return {
      ...factsOf(response),
      contentType: response.headers.get('content-type') ?? '',
      bytes: length === null ? null : Number(length),
      stream: response.body!,
    }
  }
  const asParams = (params: object): Readonly<Record<string, Param>> => params as Readonly<Record<string, Param>>

  async function* pages(name: string, params: object, call?: CallOptions): AsyncGenerator<Page<never>, void> {
    for await (const response of answers(pathOf(name), asParams(params), call)) yield await pageOf<never>(response)
  }
  const updates: Client['updates'] = (params = {}, call) => json('/v2/updates', asParams(params), { ...call, free: true })

  return {
    read: async (name, params, call) => pageOf(await ask(pathOf(name), asParams(params), call)),
    pages,
    async *rows(name, params, call) {
      for await (const { rows } of pages(name, params, call)) yield* rows
    },
    download: async (name, params, { format, bom, ...call }) =>
      asDownload(await ask(pathOf(name), asParams({ ...params, format, bom }), call)),
    async *downloads(name, params, { format, bom, ...call }) {
      for await (const response of answers(pathOf(name), asParams({ ...params, format, bom }), call)) yield asDownload(response)
    },
    dryRun: (name, params, { format, ...call } = {}) =>
      json(pathOf(name), asParams({ ...params, format, dry_run: true }), { ...call, free: true }),
    async fields(params, call) {
      const response = await ask('/v2/query', asParams(params), call)
      return { ...(await jsonOf<FieldQueryAnswer>(response)), credits: factsOf(response).credits }
    },
    async sql(q, params = {}, call) {
      const response = await ask('/v2/sql', sqlParams(q, params), call)
      return { ...(await jsonOf<SqlAnswer>(response)), credits: factsOf(response).credits }
    },
    drySql: (q, params = {}, call) => json('/v2/sql', { ...sqlParams(q, params), dry_run: true }, { ...call, free: true }),
    fieldNames: (params = {}, call) => json('/v2/query/fields', asParams(params), { ...call, free: true }),
    search: (q, params = {}, call) => json('/v2/search', asParams({ q, ...params }), call),
    datasets: call => json('/v2/datasets', {}, { ...call, free: true }),
    updates,
    follow: follow(updates),
  }
}

const sqlParams = (q: string, { params, limit, offset, as_of, releases }: SqlParams): Readonly<Record<string, Param>> => ({
  q,
  params: params === undefined ? undefined : JSON.stringify(params),
  limit,
  offset,
  as_of,
  releases:
    releases === undefined
      ? undefined
      : Object.entries(releases)
          .map(([slug, id]) => `${slug}=${id}`)
          .join(','),
})

const pathOf = (name: string): string => PATHS[name] ?? `/v2/datasets/${name}`
