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

/** A complete request, sent unchanged by the documentation and the tests. Path values fill `:name`; query values are text, or a list where a name repeats. */
export interface Example {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | readonly string[]>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/**
 * What one route takes and answers. Admission, validation, the types of its handler, OpenAPI, llms.txt, the reference and the contract
 * tests are derived from it.
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
  /** The handler receives the parameters as sent and its operation checks them; `query` only documents them. */
  readonly unparsed?: true
  /** Headers other than the credential. */
  readonly headers?: z.ZodObject
  readonly body?: z.ZodType
  /** The body of a 200, or its media type when it is not JSON. */
  readonly answer: z.ZodType | `${string}/${string}`
  /** Rows are answered in every format there is, by `format` or `Accept`; `answer` is that of JSON. */
  readonly formats?: true
  /** A part of the body may be asked for by `Range`, which is answered 206; the answer has a strong tag. */
  readonly ranges?: true
  /** The body of a 200 that says what an answer would be, without making it; sent as JSON under a media type of its own. */
  readonly dryRun?: z.ZodType
  /** The body of a 503 that is an answer of this route, not a refusal. */
  readonly unready?: z.ZodType
  /** A probe: no rate limit, and parameters are ignored, so that it never fails because of how it is called. */
  readonly probe?: true
  /** Refusals beyond those of its kind of caller and of every route. */
  readonly refusals?: readonly RefusalCode[]
  /** A request that is answered 200; absent when none can be sent by itself, for example with a mailed code. */
  readonly example?: Example
  /** What is sold: its price, the least plan and the name under which usage is counted. Absent when an answer is free. */
  readonly priced?: Priced
  /** What it costs depends on the rows it hands over, or on the dataset its path names, which the description explains. */
  readonly pricedBy?: 'rows' | 'dataset'
  /** Which limit by address applies to a public route; the general one when absent. */
  readonly limit?: 'onboarding' | 'code'
  /** Overrides the cache policy: public GETs are cached by anyone and revalidated, answers to a key by its caller, all others not at all. */
  readonly cache?: 'no-store' | `private, ${string}` | `public, max-age=${string}`
  /**
   * Pages of the portal read it without an account, in JSON, where the operator lets visitors in. A function where the least plan is not
   * that of `priced` and depends on what is asked.
   */
  readonly visitors?: true | LeastPlan
  /** Why the route is not documented. */
  readonly unlisted?: string
}

/** The least plan of what a request asks for, as far as it can be read before it is checked; undefined where any plan has it. */
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

/** True when answers carry an ETag of their bytes and a matching `If-None-Match` is answered 304. */
export const isTagged = (method: string, { caller, probe, answer }: Endpoint): boolean =>
  method === 'GET' && caller === 'public' && !probe && !(answer instanceof z.ZodNever)

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Endpoint
    /** Why a route is not documented. */
    unlisted?: string
  }
}
