import type { FastifyRequest } from 'fastify'
import { HOUR_MS, type Log, Refusal } from '../../core/index.ts'

/** Headers that say who is calling or where to; a second one is how requests are smuggled. */
const SINGLE = new Set([
  'host',
  'authorization',
  'x-api-key',
  'x-self-serve-token',
  'x-admin-token',
  'x-diagnostics-secret',
  'x-diagnostics-probe',
  'x-account-email',
  'content-encoding',
  'payment-signature',
  'stripe-signature',
])
const KEY_NAMES = new Set(['api_key', 'apikey', 'api-key', 'x-api-key', 'key', 'token', 'access_token'])

/** First gate, before any credential is looked at. @throws Refusal repeated_header, malformed_request, key_in_url, uri_too_long, unsupported_media_type */
export function checkShape(request: FastifyRequest): void {
  const { rawHeaders, url, httpVersionMajor } = request.raw
  // Node takes any version, and reads it as its own.
  if (httpVersionMajor !== 1) throw new Refusal('malformed_request')
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase()
    if (!SINGLE.has(name)) continue
    if (seen.has(name)) throw new Refusal('repeated_header', { header: name })
    seen.add(name)
  }
  if (!seen.has('host')) throw new Refusal('malformed_request', {}, { en: 'The request has no Host header.', zh: '此請求沒有 Host 標頭。' })
  // The router takes the first character for the slash, whatever it is: "*healthz" would lead where proxies do not see it lead.
  if (!/^(\/|https?:\/\/)/i.test(url!)) throw new Refusal('malformed_request')
  if (url!.length > 8_192) throw new Refusal('uri_too_long')
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') throw new Refusal('unsupported_media_type')
  if (hasKeyInUrl(url!, request.query as object)) throw new Refusal('key_in_url')
}

/** True where a parameter is named as a key would be, or the URL has something that looks like one. */
export const hasKeyInUrl = (url: string, query: object): boolean =>
  Object.keys(query).some(name => KEY_NAMES.has(name.toLowerCase())) || decoded(url).includes('sk_live_')

/** A URL with its escapes as characters. Never fails: bytes that are no UTF-8 become some characters. */
const decoded = (url: string): string => url.replaceAll(/%[0-9a-f]{2}/gi, code => String.fromCharCode(Number.parseInt(code.slice(1), 16)))

/**
 * Looks for requests that a proxy outside TRUST_PROXY passed on. All callers behind it then share one address and its limits, so the log
 * says so; one line an hour, since any caller can send the header.
 */
export function createProxyWarning(log: Log): (request: FastifyRequest) => void {
  let silentUntil = Number.NEGATIVE_INFINITY
  return ({ headers, ips, socket }) => {
    // The first of ips is the peer; more follow only where it is trusted.
    if (headers['x-forwarded-for'] === undefined || (ips?.length ?? 1) > 1 || performance.now() < silentUntil) return
    silentUntil = performance.now() + HOUR_MS
    log('proxy not trusted', {
      peer: socket.remoteAddress ?? null,
      advice:
        'It sent X-Forwarded-For. Where it is your proxy, name it in TRUST_PROXY: until then all callers behind it share one address.',
    })
  }
}
