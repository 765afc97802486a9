import cors from '@fastify/cors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from './endpoint.ts'
import { vary } from './negotiation.ts'

/** Request headers that a page may send. */
const ALLOWED = ['X-API-Key', 'Authorization', 'Accept', 'Accept-Language', 'If-None-Match', 'Range', 'If-Range']
/** Seconds that a browser caches a preflight; no browser caches it longer. */
const MAX_AGE_S = 7_200
const METHODS = ['GET', 'HEAD']
const PRIVATE: ReadonlySet<string> = new Set(['self_serve', 'billing', 'administration'])

/**
 * True for a route that pages of other origins may read: public and keyed reads, never sign-in,
 * payments or administration.
 */
export const isShared = (method: string, { caller, group }: Endpoint): boolean =>
  method === 'GET' && (caller === 'public' || caller === 'api_key' || caller === 'file_reader') && !PRIVATE.has(group)

/**
 * Grants pages of the named origins every shared route. Credentials are never allowed, so a page
 * cannot use a browser's session. Without origins, no response mentions CORS. Call it after the
 * hooks whose headers preflights need, and before routes are declared.
 *
 * @param origins as browsers send them, for example `https://app.example`
 * @param exposed response headers that a page may read
 * @param refuse refuses a preflight that is not granted, by throwing
 */
export function shareAcrossOrigins(
  app: FastifyInstance,
  origins: readonly string[],
  exposed: readonly string[],
  refuse: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  if (origins.length === 0) return
  const named = new Set(origins)
  // False instead of a list: the plugin would send the other CORS headers to origins that are not
  // named.
  const origin = (sent: string | undefined, done: (error: null, allowed: string | false) => void): void =>
    done(null, sent !== undefined && named.has(sent) && sent)
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.routeOptions.config.preflight) return done()
    vary(reply, ['Origin', 'Access-Control-Request-Method', 'Access-Control-Request-Headers'])
    // The plugin grants a preflight for any method.
    if (!METHODS.includes(String(request.headers['access-control-request-method']))) refuse(request, reply)
    done()
  })
  // Called, not registered: a registered plugin is loaded later, and its hook would run after those
  // that refuse requests.
  cors(app, { origin: false }, error => {
    if (error) throw error
  })
  app.addHook('onRoute', route => {
    if (!route.config?.shared) return
    route.config.cors = { origin, exposedHeaders: exposed.join(', ') }
    app.options(
      route.url,
      {
        config: {
          unlisted: 'a preflight',
          preflight: true,
          cors: { origin, methods: METHODS, allowedHeaders: ALLOWED, maxAge: MAX_AGE_S },
        },
        // RFC 9110, section 8.6: a 204 has no Content-Length. The plugin sets one.
        onSend: (_, reply, payload, done) => {
          if (reply.statusCode === 204) reply.removeHeader('content-length')
          done(null, payload)
        },
      },
      refuse,
    )
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Pages of other origins may read it. */
    shared?: boolean
    /** It answers preflights of a shared route. */
    preflight?: true
    /** CORS options of the route. */
    cors?: cors.FastifyCorsOptions
  }
}
