import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from './endpoint.ts'
import { vary } from './negotiation.ts'
import { indexPaths } from './path-index.ts'

/** Headers a page may send with a read. */
const ALLOWED = ['X-API-Key', 'Authorization', 'Accept', 'Accept-Language', 'If-None-Match', 'Range', 'If-Range']
/** Seconds a browser keeps what it was allowed; none keeps it longer. */
const MAX_AGE_S = 7_200
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD'])
const PRIVATE: ReadonlySet<string> = new Set(['self_serve', 'billing', 'administration'])

/** True for a route that pages of other origins may read: what is public, and what a key reads. Never signing in, payments or administration. */
export const isShared = (method: string, { caller, group }: Endpoint): boolean =>
  method === 'GET' && (caller === 'public' || caller === 'api_key' || caller === 'file_reader') && !PRIVATE.has(group)

/**
 * Lets pages of other origins read what is shared. No credentials are allowed, so a browser's session is never theirs to use; without an origin that is
 * named no answer says anything of it. Call it before routes are declared.
 *
 * @param origins as browsers send them, for example `https://app.example`
 * @param exposed headers of answers that a page may read
 * @returns what every request passes through first; true where it is answered, as a preflight
 */
export function shareAcrossOrigins(
  app: FastifyInstance,
  origins: readonly string[],
  exposed: readonly string[],
): (request: FastifyRequest, reply: FastifyReply) => boolean {
  if (origins.length === 0) return () => false
  const named = new Set(origins)
  const sharedAt = indexPaths(app, ({ config }) => config?.shared === true)
  const [allowedHeaders, exposedHeaders] = [ALLOWED.join(', '), exposed.join(', ')]
  return (request, reply) => {
    const { origin, 'access-control-request-method': wanted } = request.headers
    if (request.routeOptions.config?.shared) {
      vary(reply, ['Origin'])
      if (origin === undefined || !named.has(origin)) return false
      reply.header('access-control-allow-origin', origin).header('access-control-expose-headers', exposedHeaders)
      return false
    }
    const methods = request.method === 'OPTIONS' ? sharedAt(request.url.split('?')[0]!).methods : []
    if (methods.length === 0) return false
    vary(reply, ['Origin', 'Access-Control-Request-Method', 'Access-Control-Request-Headers'])
    if (origin === undefined || !named.has(origin) || !METHODS.has(String(wanted))) return false
    reply
      .code(204)
      .header('access-control-allow-origin', origin)
      .header('access-control-allow-methods', methods.join(', '))
      .header('access-control-allow-headers', allowedHeaders)
      .header('access-control-max-age', MAX_AGE_S)
      .send()
    return true
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Pages of other origins may read it. */
    shared?: boolean
  }
}
