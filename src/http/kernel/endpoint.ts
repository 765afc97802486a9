import type {} from 'fastify'
import { z } from 'zod'
import type { Priced } from '../../../catalog/index.ts'
import type { RefusalCode } from '../../core/index.ts'

/** Who may call, by the credential that is asked for. */
export type Caller =
  | 'public'
  | 'api_key'
  | 'service_token'
  | 'self_serve_token'
  | 'admin_token'
  | 'diagnostics_secret'
  | 'diagnostics_probe'
  | 'payment_provider'

export type Group = 'datasets' | 'catalog' | 'search' | 'account' | 'self_serve' | 'billing' | 'administration' | 'service'

/** A request that is sent as it stands by the documentation and by the tests. Path values fill `:name`; query values are text, a list where a name repeats. */
export interface Example {
  readonly path?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string | readonly string[]>>
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/**
 * What one route takes and answers, handed to `route` with its handler. Admission, validation, the type of the handler, OpenAPI, llms.txt,
 * the reference page and the contract tests read it; the service does not start with a route that has none.
 */
export interface Endpoint {
  /** Ends without a full stop, for example `Coverage of every dataset`. */
  readonly summary: string
  readonly summaryZh: string
  /** More than the summary says: units, order, what null means, what it costs. */
  readonly description?: string
  readonly group: Group
  readonly caller: Caller
  /** Path values, each described. */
  readonly path?: z.ZodObject
  /** Query parameters, each made by `params.ts`. Absent: the route takes none. */
  readonly query?: z.ZodObject
  /** The handler is given the parameters as sent, and what it calls checks them; `query` only describes them. */
  readonly unparsed?: true
  /** Headers beside the credential. */
  readonly headers?: z.ZodObject
  readonly body?: z.ZodType
  /** The body of a 200, or its media type where it is not JSON. */
  readonly answer: z.ZodType | `${string}/${string}`
  /** Body of its own 503, where that is an answer and no refusal. */
  readonly unready?: z.ZodType
  /** A probe: neither counted nor checked, so that it never fails for how it asks. */
  readonly probe?: true
  /** Refusals of its own, beside those of its caller kind and of every route. */
  readonly refusals?: readonly RefusalCode[]
  /** At least one that is answered 200; absent where none can be without what came before, as for a mailed code. */
  readonly example?: Example
  /** What an answer costs, from which plan on, and the name its use is counted under; absent where it is free. */
  readonly priced?: Priced
  /** Requests an address may send, for callers of kind public; the general limit when absent. */
  readonly limit?: 'onboarding' | 'code'
  /** Who may keep an answer. When absent: for a GET of kind public anyone who asks again, for a key's calls the caller, else nobody. */
  readonly cache?: 'no-store'
  /** Why the route is not documented. */
  readonly unlisted?: string
}

/** Who may keep an answer, as `Cache-Control` says it; undefined where nothing is said. */
export function cachePolicy(method: string, { caller, cache, probe }: Endpoint): string | undefined {
  if (cache) return cache
  if (probe || caller === 'payment_provider') return undefined
  if (caller === 'public' && method === 'GET') return 'public, no-cache'
  return caller === 'api_key' ? 'private, no-cache' : 'no-store'
}

/** True where an answer is sent under a tag of its bytes, and 304 to whoever names that tag. */
export const isTagged = (method: string, { caller, probe, answer }: Endpoint): boolean =>
  method === 'GET' && caller === 'public' && !probe && !(answer instanceof z.ZodNever)

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Endpoint
    /** Why a route is not documented. */
    unlisted?: string
  }
}
