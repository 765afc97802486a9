import type {} from 'fastify'
import { z } from 'zod'
import type { PlanId, Priced } from '../../../catalog/index.ts'
import type { RefusalCode } from '../../core/index.ts'

/** Who may call, named by the credential. */
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

/** Where the documents list an endpoint. */
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
 * A complete request, sent unchanged by the documentation and the tests. Path values fill `:name`;
 * query values are text, or a list if a name repeats.
 */
export interface Example {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | readonly string[]>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/**
 * Declares the requests and responses of one route. Admission, validation, the types of its
 * handler, OpenAPI, llms.txt, the reference and the contract tests derive from it.
 */
export interface Endpoint {
  /** Ends without a full stop, for example `Coverage of every dataset`. */
  readonly summary: string
  readonly summaryZh: string
  /** What the summary leaves out: units, order, the meaning of null, the price. */
  readonly description?: string
  readonly group: Group
  readonly caller: Caller
  /** Path values, each described. */
  readonly path?: z.ZodObject
  /** Query parameters, each made by a function of `params.ts`. When absent, the route takes none. */
  readonly query?: z.ZodObject
  /**
   * The handler receives the parameters as sent and its operation checks them; `query` only
   * documents them.
   */
  readonly unparsed?: true
  /** Headers other than the credential. */
  readonly headers?: z.ZodObject
  readonly body?: z.ZodType
  /** The body of a 200, or its media type when it is not JSON. */
  readonly answer: z.ZodType | `${string}/${string}`
  /** Rows are available in every format, by `format` or `Accept`; `answer` is the JSON one. */
  readonly formats?: true
  /** Supports `Range` requests with 206; the response has a strong tag. */
  readonly ranges?: true
  /** Body of a 200 for a dry run; sent as JSON with its own media type. */
  readonly dryRun?: z.ZodType
  /** The body of a 503 that is an answer of this route, not a refusal. */
  readonly unready?: z.ZodType
  /** A probe: no rate limit, and parameters are ignored, so that no caller can make it fail. */
  readonly probe?: true
  /** Refusals of this route, in addition to common ones and its caller's. */
  readonly refusals?: readonly RefusalCode[]
  /**
   * A request with a 200 response; absent if none can be sent on its own, for example with a mailed
   * code.
   */
  readonly example?: Example
  /** Product: its price, minimum plan and name in usage. Absent if responses are free. */
  readonly priced?: Priced
  /** The price depends on the rows of the response, or on the dataset of the path, as described. */
  readonly pricedBy?: 'rows' | 'dataset'
  /** Which limit by address applies to a public route; the general one when absent. */
  readonly limit?: 'onboarding' | 'code'
  /**
   * Overrides the cache policy: public GETs are cached by anyone and revalidated, responses to a
   * key by its caller, all others not at all.
   */
  readonly cache?: 'no-store' | `private, ${string}` | `public, max-age=${string}`
  /**
   * Portal pages read it without an account, in JSON, if the operator admits visitors. A function
   * if the minimum plan differs from that of `priced` and depends on the request.
   */
  readonly visitors?: true | LeastPlan
  /** A signed-in user may call it while their account is suspended. */
  readonly whileSuspended?: true
  /** Why the route is not documented. */
  readonly unlisted?: string
}

/**
 * Minimum plan of a request, read before the parameters are checked; undefined if any plan is
 * enough.
 */
export type LeastPlan = (asked: Asked) => PlanId | undefined

/** A request that was not checked yet. */
interface Asked {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
}

/** `Cache-Control` of an answer; undefined when the header is left out. */
export function cachePolicy(method: string, { caller, cache, probe }: Endpoint): string | undefined {
  if (cache) return cache
  if (probe || caller === 'payment_provider') return undefined
  if (caller === 'public' && method === 'GET') return 'public, no-cache'
  return caller === 'api_key' ? 'private, no-cache' : 'no-store'
}

/** True if responses have an ETag of their bytes and a matching `If-None-Match` returns 304. */
export const isTagged = (method: string, { caller, probe, answer }: Endpoint): boolean =>
  method === 'GET' && caller === 'public' && !probe && !(answer instanceof z.ZodNever)

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Endpoint
    /** Why a route is not documented. */
    unlisted?: string
  }
}
