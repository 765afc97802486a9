import type { FastifyRequest } from 'fastify'
import { Refusal } from '../../core/index.ts'

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

/** First gate, before any credential is looked at. @throws Refusal repeated_header, key_in_url, uri_too_long, unsupported_media_type */
export function checkShape(request: FastifyRequest): void {
  const { rawHeaders, url } = request.raw
  const seen = new Set<string>()
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!.toLowerCase()
    if (!SINGLE.has(name)) continue
    if (seen.has(name)) throw new Refusal('repeated_header', { header: name })
    seen.add(name)
  }
  if (!seen.has('host')) throw new Refusal('malformed_request', {}, 'The request has no Host header.')
  if (url!.length > 8_192) throw new Refusal('uri_too_long')
  const encoding = request.headers['content-encoding']
  if (encoding !== undefined && encoding !== 'identity') throw new Refusal('unsupported_media_type')
  for (const name of Object.keys(request.query as object)) if (KEY_NAMES.has(name.toLowerCase())) throw new Refusal('key_in_url')
  if (url!.includes('sk_live_')) throw new Refusal('key_in_url')
}
