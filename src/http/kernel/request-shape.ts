import type { FastifyRequest } from 'fastify'
import { HOUR_MS, type Log, Refusal } from '../../core/index.ts'

/** Headers that identify the caller or the target. A second value indicates request smuggling. */
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

/**
 * Runs before any credential is read.
 * @throws Refusal repeated_header, malformed_request, key_in_url, uri_too_long,
 * unsupported_media_type
 */
export function checkShape(request: FastifyRequest): void {
  const { rawHeaders, headers, url, httpVersionMajor } = request.raw
  // Node accepts every HTTP version and treats it as 1.1.
  if (httpVersionMajor !== 1) throw new Refusal('malformed_request')
  // Node merges headers of the same name. Fewer names than headers mean a repetition.
  if (Object.keys(headers).length * 2 < rawHeaders.length) refuseRepeated(rawHeaders)
  if (headers.host === undefined)
    throw new Refusal(
      'malformed_request',
      {},
      { en: 'The Host header is missing. Send it with the request.', zh: '缺少 Host 標頭。請一併傳送。' },
    )
  // The router would accept "*healthz", which proxies do not recognize as a path.
  if (!/^(\/|https?:\/\/)/i.test(url!)) throw new Refusal('malformed_request')
  if (url!.length > 8_192) throw new Refusal('uri_too_long')
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') throw new Refusal('unsupported_media_type')
  if (hasKeyInUrl(url!, request.query as object)) throw new Refusal('key_in_url')
}

/** @throws Refusal repeated_header if a header of `SINGLE` appears twice */
function refuseRepeated(rawHeaders: readonly string[]): void {
  const names = rawHeaders.filter((_, index) => index % 2 === 0).map(name => name.toLowerCase())
  const header = names.find((name, index) => SINGLE.has(name) && names.indexOf(name) < index)
  if (header !== undefined) throw new Refusal('repeated_header', { header })
}

export const hasKeyInUrl = (url: string, query: object): boolean =>
  Object.keys(query).some(name => KEY_NAMES.has(name.toLowerCase())) || decoded(url).includes('sk_live_')

/** Never fails: invalid UTF-8 becomes replacement characters. */
const decoded = (url: string): string =>
  url.includes('%') ? url.replaceAll(/%[0-9a-f]{2}/gi, code => String.fromCharCode(Number.parseInt(code.slice(1), 16))) : url

/**
 * Warns if a proxy is not in TRUST_PROXY, because all callers behind the proxy share one rate
 * limit. Logs at most once an hour.
 */
export function createProxyWarning(log: Log): (request: FastifyRequest) => void {
  let silentUntil = Number.NEGATIVE_INFINITY
  return ({ headers, ips, socket }) => {
    // For a trusted peer, `ips` has more than one item.
    if (headers['x-forwarded-for'] === undefined || (ips?.length ?? 1) > 1 || performance.now() < silentUntil) return
    silentUntil = performance.now() + HOUR_MS
    log('proxy not trusted', {
      peer: socket.remoteAddress ?? null,
      advice:
        'A caller sent X-Forwarded-For. If it is your proxy, add its address to TRUST_PROXY. Otherwise all callers behind it share one address.',
    })
  }
}
