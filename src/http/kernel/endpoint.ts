import type {} from 'fastify'
import type { z } from 'zod'
import type { PlanId } from '../../../catalog/index.ts'
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
 * What one route takes and answers, declared beside its handler as `config: { endpoint }`. Validation, OpenAPI, llms.txt, the reference
 * page and the contract tests read it; a route without one does not pass the tests.
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
  /** What an answer costs; absent where it is free. */
  readonly credits?: number
  readonly minimumPlan?: PlanId
}

declare module 'fastify' {
  interface FastifyContextConfig {
    endpoint?: Endpoint
    /** Why a route is not documented. */
    unlisted?: string
  }
}
