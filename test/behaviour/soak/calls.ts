import type { IncomingHttpHeaders } from 'node:http'
import type { Format } from '../../../catalog/index.ts'
import type { Parse } from '../../formats/parsing.ts'
import { COLUMNS, csvLine, DATASET, type Market, type PriceRow, type Wanted } from './market.ts'
import type { KnownReleases } from './releases.ts'

export interface Answered {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** One request, with a check of its answer. */
export interface Call {
  readonly path: string
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Expected statuses. Default: 200. */
  readonly expected?: readonly number[]
  /** @returns the fault; null if the answer is correct */
  readonly check?: (answered: Answered) => Promise<string | null> | string | null
}

export interface CallsDeps {
  readonly market: Market
  readonly releases: KnownReleases
  readonly parse: Readonly<Record<Exclude<Format, 'json'>, Parse>>
  /**
   * The publication step that was served when the request was sent. The answer must not be older.
   */
  readonly served: () => number
  /** Ids of recent releases, which are not deleted yet. */
  readonly recent: () => readonly string[]
  /** Keys of accounts on plan max, in rotation. */
  readonly nextKey: () => string
  /** Credits charged to the key so far, according to the answers. */
  readonly chargedTo: (key: string) => number
  /** True if the service has built its search index. */
  readonly searchable: () => boolean
  /** Token of a session. */
  readonly session: () => string
}

/** Formats of exports. Days of all tickers use only the first three. */
const FORMATS = ['json', 'csv', 'arrow', 'ndjson', 'parquet'] as const
const TYPES = {
  ticker: { type: 'text' },
  market: { type: 'text' },
  trade_date: { type: 'date' },
  name: { type: 'text' },
  open: { type: 'number' },
  high: { type: 'number' },
  low: { type: 'number' },
  close: { type: 'number' },
  volume: { type: 'integer' },
  turnover: { type: 'integer' },
  trades: { type: 'integer' },
} as unknown as Parameters<Parse>[1]

const random = (below: number): number => Math.floor(Math.random() * below)
const pick = <T>(values: readonly T[]): T => values[random(values.length)]!
const listOf = (rows: readonly Readonly<Record<string, unknown>>[]): string =>
  JSON.stringify(rows.map(row => COLUMNS.map(column => row[column])))

/** A kind of request: its share of all requests, and a function that creates a request. */
export interface Kind {
  readonly share: number
  readonly make: () => Call
}

export function callKinds({
  market,
  releases,
  parse,
  served,
  recent,
  nextKey,
  chargedTo,
  searchable,
  session,
}: CallsDeps): Readonly<Record<string, Kind>> {
  const { tickers } = market
  const READ = `/v2/datasets/${DATASET}`
  const withKey = (key = nextKey()) => ({ 'x-api-key': key })
  const aDay = (): string => pick(market.daysAt(served()))
  const some = (count: number): readonly string[] => [...new Set(Array.from({ length: count }, () => pick(tickers)))]
  const etags = new Map<string, { readonly tag: string; readonly step: number }>()

  /** A read. Its rows must match the release that the answer names, or the pinned release. */
  function read(query: string, wanted: Wanted, format: Format = 'json', release?: string): Call {
    const [path, least] = [`${READ}${query}${format === 'json' ? '' : `&format=${format}`}`, release === undefined ? served() : 0]
    return {
      path: release === undefined ? path : `${path}&release=${release}`,
      headers: withKey(),
      async check({ headers, body }) {
        const named = String(headers['x-release'])
        if (release !== undefined && named !== release) return `${named} instead of ${release}`
        const step = releases.stepOf(named)
        if (step < least) return `step ${step} after step ${least} was served`
        const rows = market.rowsAt(step, wanted)
        if (format === 'csv') return String(body) === textOf(rows) ? null : 'other rows'
        const found = format === 'json' ? JSON.parse(String(body)).envelope.data : await parse[format](body, TYPES)
        return listOf(found) === listOf(rows) ? null : 'other rows'
      },
    }
  }

  const varied = (release?: string): Call => {
    const [ticker, from, limit] = [pick(tickers), aDay(), 20 + random(61)]
    return read(`?symbol=${ticker}&start_date=${from}&limit=${limit}`, { tickers: [ticker], from, limit }, 'json', release)
  }

  return {
    'point, varied': { share: 0.4, make: () => varied() },
    'point, hot': {
      share: 0.2,
      make() {
        const [ticker, least] = [tickers[random(Math.min(20, tickers.length))]!, served()]
        const call = read(`?symbol=${ticker}&limit=30`, { tickers: [ticker], limit: 30 })
        const cachedRead = Math.random() < 0.5 ? etags.get(ticker) : undefined
        return {
          ...call,
          headers: { ...call.headers, ...(cachedRead && { 'if-none-match': cachedRead.tag }) },
          expected: [200, 304],
          check(answered) {
            if (answered.status === 304)
              return cachedRead!.step >= least ? null : `step ${cachedRead!.step} unchanged after step ${least} was served`
            const { etag, 'x-release': release } = answered.headers
            etags.set(ticker, { tag: String(etag), step: releases.stepOf(String(release)) })
            return call.check!(answered)
          },
        }
      },
    },
    'a day of all': {
      share: 0.06,
      make() {
        const day = aDay()
        return read(`/cross-section?date=${day}`, { tickers, on: day }, pick(FORMATS.slice(0, 3)))
      },
    },
    export: {
      share: 0.05,
      make() {
        const [tickers, limit] = [some(12), 1_000 + random(4_000)]
        return read(`?symbol=${tickers.join(',')}&limit=${limit}`, { tickers, limit }, pick(FORMATS))
      },
    },
    'earlier release': { share: 0.04, make: () => varied(pick(recent())) },
    fields: {
      share: 0.07,
      make() {
        const [tickers, day, least] = [some(5), aDay(), served()]
        return {
          path: `/v2/query?entity_type=company&entity_ids=${tickers.join(',')}&fields=price.close,price.volume&as_of_date=${day}`,
          headers: withKey(),
          check({ body }) {
            const { data, missing } = JSON.parse(String(body))
            if (missing.length > 0 || data.length !== tickers.length) return 'values are missing'
            for (const { entity_id, fields } of data) {
              for (const [field, { value, as_of_date, release_version }] of Object.entries<Record<string, string>>(fields)) {
                const step = releases.stepOf(release_version!)
                if (step < least) return `step ${step} after step ${least} was served`
                const [row] = market.rowsAt(step, { tickers: [entity_id], on: day })
                if (as_of_date !== day || value !== row![field.slice(6) as keyof PriceRow]) return `another ${field}`
              }
            }
            return null
          },
        }
      },
    },
    updates: {
      share: 0.04,
      make() {
        const least = served()
        return {
          path: `/v2/updates?dataset=${DATASET}&since=2000-01-01&limit=50`,
          check({ body }) {
            const entries = JSON.parse(String(body)).data as Readonly<Record<'release_version' | 'previous_release_version', string>>[]
            const step = releases.stepOf(entries[0]!.release_version)
            if (step < least) return `step ${step} after step ${least} was served`
            const gap = entries.findIndex((entry, at) => at > 0 && entries[at - 1]!.previous_release_version !== entry.release_version)
            return gap === -1 ? null : `a gap before ${entries[gap]!.release_version}`
          },
        }
      },
    },
    agent: {
      share: 0.04,
      make() {
        const [ticker, limit] = [pick(tickers), 1 + random(20)]
        const args = { dataset: DATASET, columns: COLUMNS, filters: { symbol: ticker }, limit }
        return {
          path: '/mcp',
          method: 'POST',
          headers: { ...withKey(), 'content-type': 'application/json' },
          body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'get_rows', arguments: args } }),
          check({ body }) {
            const { release, rows } = JSON.parse(String(body)).result.structuredContent
            return JSON.stringify(rows) === listOf(market.rowsAt(releases.stepOf(release), { tickers: [ticker], limit }))
              ? null
              : 'other rows'
          },
        }
      },
    },
    search: {
      share: 0.02,
      make() {
        const ticker = pick(tickers)
        const check = ({ status, body }: Answered) =>
          status === 503 || JSON.parse(String(body)).data[0]?.id === ticker ? null : `${ticker} is not found`
        return { path: `/v2/search?q=${ticker}`, headers: withKey(), expected: searchable() ? [200] : [200, 503], check }
      },
    },
    page: {
      share: 0.03,
      make() {
        const ticker = pick(tickers)
        const [path, says] = pick([
          ...([
            ['/', '<title>twmd'],
            ['/zh', '<title>twmd'],
            ['/docs/reading', '<title>Reading'],
            ['/openapi.json', '"openapi"'],
          ] as const),
          ...([
            [`/datasets/${DATASET}`, '<title>Daily prices'],
            [`/company/${ticker}`, ticker],
            [`/zh/company/${ticker}`, ticker],
          ] as const),
        ])
        return { path, headers: { accept: 'text/html' }, check: ({ body }) => (body.includes(says) ? null : `${says} is not on it`) }
      },
    },
    account: {
      share: 0.03,
      make() {
        if (Math.random() < 0.3) return { path: '/v2/self-serve/api-keys', headers: { 'x-self-serve-token': session() } }
        const key = nextKey()
        const least = chargedTo(key)
        return {
          path: '/v2/account/usage-summary?window=30d',
          headers: withKey(key),
          check({ body }) {
            const { credits } = JSON.parse(String(body)).totals
            return credits >= least ? null : `${credits} credits used, of ${least} that answers stated`
          },
        }
      },
    },
    refused: {
      share: 0.02,
      make: () =>
        pick<Call>([
          { path: `${READ}?symbol=${pick(tickers)}&limit=-1`, headers: withKey(), expected: [422] },
          { path: '/v2/datasets/no-such-dataset?symbol=1', headers: withKey(), expected: [404] },
          { path: `${READ}?symbol=${pick(tickers)}`, expected: [401] },
        ]),
    },
  }
}

const textOf = (rows: readonly PriceRow[]): string => [COLUMNS.join(','), ...rows.map(csvLine), ''].join('\r\n')
