import type {} from 'fastify'
import { z } from 'zod'
import type { PlanId, Priced } from '../../../catalog/index.ts'
import type { RefusalCode } from '../../core/index.ts'

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

/** A complete request for documentation and tests. Values in `path` replace `:name`. */
export interface Example {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | readonly string[]>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/**
 * Declares one route. Validation, types, documentation and contract tests are derived from this
 * declaration.
 */
export interface Endpoint {
  /** A phrase without a full stop, for example `Coverage of every dataset`. */
  readonly summary: string
  readonly summaryZh: string
  /** Units, order, the meaning of null, and the price. */
  readonly description?: string
  readonly group: Group
  readonly caller: Caller
  readonly path?: z.ZodObject
  /** Created by functions of `params.ts`. */
  readonly query?: z.ZodObject
  /** True if the handler parses the parameters. If true, `query` is only documentation. */
  readonly unparsed?: true
  /** Excludes the credential. */
  readonly headers?: z.ZodObject
  readonly body?: z.ZodType
  /** Schema of a 200, or the media type of a body that is not JSON. */
  readonly answer: z.ZodType | `${string}/${string}`
  /** True if callers can choose the format of the rows. `answer` describes the JSON. */
  readonly formats?: true
  /** True if the route supports `Range` requests. Responses have a strong ETag. */
  readonly ranges?: true
  /** Schema of the estimate for `dry_run`. */
  readonly dryRun?: z.ZodType
  /** Schema of a 503 that is not a refusal. */
  readonly unready?: z.ZodType
  /** True for a probe, which has no rate limit and ignores parameters. */
  readonly probe?: true
  /** Only the codes of this route. Common codes are added. */
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
   * Replaces the default `Cache-Control`. By default, a public GET must be revalidated and other
   * responses are not cached.
   */
  readonly cache?: 'no-store' | `private, ${string}` | `public, max-age=${string}`
  /**
   * If set, portal pages may read the route without an account. A function returns the minimum plan
   * of a request.
   */
  readonly visitors?: true | LeastPlan
  /** True if a signed-in user may call the route while the account is suspended. */
  readonly whileSuspended?: true
  /** Reason for omitting the route from the documentation. */
  readonly unlisted?: string
}

/** Called before the parameters are checked. Undefined if any plan is enough. */
export type LeastPlan = (asked: Asked) => PlanId | undefined

interface Asked {
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, unknown>>
}

/** Undefined for no header. */
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
