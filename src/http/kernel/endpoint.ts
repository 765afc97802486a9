import type {} from 'fastify'
import { z } from 'zod'
import type { PlanId, Priced } from '../../../catalog/index.ts'
import type { RefusalCode } from '../../core/index.ts'

/** Kinds of callers, named after their credential. */
export type Caller =
  | 'public'
  | 'api_key'
  | 'file_reader'
  | 'agent'
  | 'service_token'
  | 'self_serve_token'
  | 'payer'
  | 'browser'
  | 'admin_token'
  | 'diagnostics_secret'
  | 'diagnostics_probe'
  | 'payment_provider'

export type Group =
  | 'datasets'
  | 'tables'
  | 'catalog'
  | 'search'
  | 'account'
  | 'self_serve'
  | 'webhooks'
  | 'billing'
  | 'administration'
  | 'service'

/**
 * A complete request, which the documentation shows and the tests send. In the path, values replace
 * `:name`. A query value is a text, or a list if the name repeats.
 */
export interface Example {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | readonly string[]>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/**
 * Declares the requests and responses of one route. The declaration determines admission,
 * validation, the handler's types, OpenAPI, llms.txt, the reference and the contract tests.
 */
export interface Endpoint {
  /** A phrase without a full stop, for example `Coverage of every dataset`. */
  readonly summary: string
  readonly summaryZh: string
  /** Details that the summary lacks: units, order, the meaning of null, the price. */
  readonly description?: string
  readonly group: Group
  readonly caller: Caller
  readonly path?: z.ZodObject
  /** Query parameters, each created by a function of `params.ts`. Default: none. */
  readonly query?: z.ZodObject
  /**
   * True if the handler receives the parameters as sent and checks them itself. `query` is then
   * only documentation.
   */
  readonly unparsed?: true
  /** Request headers, except the credential. */
  readonly headers?: z.ZodObject
  readonly body?: z.ZodType
  /** Schema of the body of a 200, or the media type of a body that is not JSON. */
  readonly answer: z.ZodType | `${string}/${string}`
  /**
   * True if rows are available in every format, selected by `format` or `Accept`. `answer`
   * describes the JSON.
   */
  readonly formats?: true
  /** True if the route supports `Range` requests, with the status 206 and a strong ETag. */
  readonly ranges?: true
  /** Body of a 200 for a dry run, in JSON with its own media type. */
  readonly dryRun?: z.ZodType
  /** Body of a 503 that is a regular response of this route and not a refusal. */
  readonly unready?: z.ZodType
  /**
   * True for a probe. Probes have no rate limit and ignore parameters, so that no caller can make
   * them fail.
   */
  readonly probe?: true
  /**
   * Refusal codes that only this route has. Common codes and the codes of its callers are added.
   */
  readonly refusals?: readonly RefusalCode[]
  /**
   * A request that returns 200. Absent if a credential alone is not enough, for example because a
   * mailed code is needed.
   */
  readonly example?: Example
  /**
   * Price and minimum plan of the route, and its name in reports of usage. Absent if responses are
   * free of charge.
   */
  readonly priced?: Priced
  /** Whether the price depends on the rows of the response or on the dataset in the path. */
  readonly pricedBy?: 'rows' | 'dataset'
  /** Rate limit per address of a public route. Default: the limit for all public routes. */
  readonly limit?: 'onboarding' | 'code'
  /**
   * Replaces the default cache policy. By default, a public GET may be cached by everyone, but must
   * be revalidated. A response to an API key may be cached by the caller. Other responses are not
   * cached.
   */
  readonly cache?: 'no-store' | `private, ${string}` | `public, max-age=${string}`
  /**
   * If set, portal pages may read the route in JSON without an account, provided that the operator
   * admits visitors. Routes whose minimum plan is not that of `priced` set a function that returns
   * the minimum plan of a request.
   */
  readonly visitors?: true | LeastPlan
  /** True if a signed-in user may call the route while the account is suspended. */
  readonly whileSuspended?: true
  /** Reason why the route is not documented. */
  readonly unlisted?: string
}

/**
 * Returns the minimum plan of a request, before its parameters are checked. Undefined if any plan
 * is enough.
 */
export type LeastPlan = (asked: Asked) => PlanId | undefined

/** A request whose parameters are not checked yet. */
interface Asked {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
}

/** Returns the `Cache-Control` of a response. Undefined if the header is omitted. */
export function cachePolicy(method: string, { caller, cache, probe }: Endpoint): string | undefined {
  if (cache) return cache
  if (probe || caller === 'payment_provider') return undefined
  if (caller === 'public' && method === 'GET') return 'public, no-cache'
  return caller === 'api_key' ? 'private, no-cache' : 'no-store'
}

/**
 * True if responses have an ETag that is computed from their bytes. A request with this ETag in
 * `If-None-Match` then gets a 304.
 */
export const isTagged = (method: string, { caller, probe, answer }: Endpoint): boolean =>
  method === 'GET' && caller === 'public' && !probe && !(answer instanceof z.ZodNever)

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Endpoint
    unlisted?: string
  }
}
