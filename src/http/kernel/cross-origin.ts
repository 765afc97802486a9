import cors from '@fastify/cors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Endpoint } from './endpoint.ts'
import { vary } from './negotiation.ts'

/** Request headers that pages of another origin may send. */
const ALLOWED = ['X-API-Key', 'Authorization', 'Accept', 'Accept-Language', 'If-None-Match', 'Range', 'If-Range']
/** In seconds. No browser caches a preflight longer. */
const MAX_AGE_S = 7_200
const METHODS = ['GET', 'HEAD']
const PRIVATE: ReadonlySet<string> = new Set(['self_serve', 'billing', 'administration'])

/** True for public reads and reads with a key. False for sign-in, payments and administration. */
export const isShared = (method: string, { caller, group }: Endpoint): boolean =>
  method === 'GET' && (caller === 'public' || caller === 'api_key' || caller === 'file_reader') && !PRIVATE.has(group)

/**
 * Permits the configured origins to read shared routes, but never with cookies. Call before
 * declaring routes, after adding hooks that set headers.
 * @param origins in the form that browsers send, for example `https://app.example`
 * @param exposed the response headers that a page may read
 * @param refuse function that refuses a preflight by throwing
 */
export function shareAcrossOrigins(
  app: FastifyInstance,
  origins: readonly string[],
  exposed: readonly string[],
  refuse: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  if (origins.length === 0) return
  const named = new Set(origins)
  // With a list instead of a function, the plugin would send CORS headers to every origin.
  const origin = (sent: string | undefined, done: (error: null, allowed: string | false) => void): void =>
    done(null, sent !== undefined && named.has(sent) && sent)
  app.addHook('onRequest', (request, reply, done) => {
    if (!request.routeOptions.config.preflight) return done()
    vary(reply, ['Origin', 'Access-Control-Request-Method', 'Access-Control-Request-Headers'])
    // Refuses other methods, because the plugin would grant a preflight for any method.
    if (!METHODS.includes(String(request.headers['access-control-request-method']))) refuse(request, reply)
    done()
  })
  // A registered plugin would run after the hooks that refuse requests.
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
        // By RFC 9110, section 8.6, a 204 has no Content-Length, but the plugin sets this header.
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
    /** True if pages of other origins may read the route. */
    shared?: boolean
    /** True if the route answers preflights of a shared route. */
    preflight?: true
    cors?: cors.FastifyCorsOptions
  }
}
