import type {} from 'fastify'
import { z } from 'zod'
import type { PlanId, Priced } from '../../../catalog/index.ts'
import type { RefusalCode } from '../../core/index.ts'

/** Kinds of callers, by credential. */
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
 * A complete request for documentation and tests. In the path, values replace `:name`. Repeated
 * query names have a list.
 */
export interface Example {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | readonly string[]>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/**
 * Declares one route. Validation, types, OpenAPI, llms.txt, the reference and the contract tests
 * follow from this declaration.
 */
export interface Endpoint {
  /** A phrase without a full stop, for example `Coverage of every dataset`. */
  readonly summary: string
  readonly summaryZh: string
  /** Facts that the summary lacks: units, order, the meaning of null, the price. */
  readonly description?: string
  readonly group: Group
  readonly caller: Caller
  readonly path?: z.ZodObject
  /** Created by functions of `params.ts`. */
  readonly query?: z.ZodObject
  /** True if the handler parses the parameters. `query` is then only documentation. */
  readonly unparsed?: true
  /** Except the credential. */
  readonly headers?: z.ZodObject
  readonly body?: z.ZodType
  /** Schema of a 200, or a media type other than JSON. */
  readonly answer: z.ZodType | `${string}/${string}`
  /** True if rows are available in every format. `answer` describes the JSON. */
  readonly formats?: true
  /** True if the route supports `Range` requests. */
  readonly ranges?: true
  /** Schema of a dry run. */
  readonly dryRun?: z.ZodType
  /** Schema of a 503 that is not a refusal. */
  readonly unready?: z.ZodType
  /** True for a probe, which has no rate limit and ignores parameters. */
  readonly probe?: true
  /** Codes in addition to common codes and codes of the callers. */
  readonly refusals?: readonly RefusalCode[]
  /** A request that returns 200. Absent if a credential alone is not enough. */
  readonly example?: Example
  /** Price and minimum plan. Absent if responses are free. */
  readonly priced?: Priced
  /** What the price depends on. */
  readonly pricedBy?: 'rows' | 'dataset'
  /** Rate limit per address. Default: the limit for all public routes. */
  readonly limit?: 'onboarding' | 'code'
  /**
   * Replaces the default cache policy. By default, caches must revalidate public GETs, only callers
   * may cache responses to an API key, and other responses are not cached.
   */
  readonly cache?: 'no-store' | `private, ${string}` | `public, max-age=${string}`
  /**
   * If set, portal pages may read JSON without an account, if the operator permits this. A function
   * returns the minimum plan if that is not the plan of `priced`.
   */
  readonly visitors?: true | LeastPlan
  /** True if a signed-in user may call the route while the account is suspended. */
  readonly whileSuspended?: true
  /** Reason for omitting the route from the documentation. */
  readonly unlisted?: string
}

/** Returns the minimum plan before the parameters are checked. Undefined if any plan is enough. */
export type LeastPlan = (asked: Asked) => PlanId | undefined

/** Unchecked parameters. */
interface Asked {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
}

/** Returns `Cache-Control`. Undefined for no header. */
export function cachePolicy(method: string, { caller, cache, probe }: Endpoint): string | undefined {
  if (cache) return cache
  if (probe || caller === 'payment_provider') return undefined
  if (caller === 'public' && method === 'GET') return 'public, no-cache'
  return caller === 'api_key' ? 'private, no-cache' : 'no-store'
}

/** True if the ETag is computed from the bytes of the response. */
export const isTagged = (method: string, { caller, probe, answer }: Endpoint): boolean =>
  method === 'GET' && caller === 'public' && !probe && !(answer instanceof z.ZodNever)

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Endpoint
    unlisted?: string
  }
}
