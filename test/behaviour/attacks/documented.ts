import type { OpenApi } from '../../../src/http/openapi/index.ts'
import { type Documented, operationsOf } from '../../http/openapi/openapi.ts'
import { SECRETS } from '../../support.ts'
import type { Caller } from './service.ts'
import type { Target } from './target.ts'

/** Operations that end the caller's account or session. */
const ENDS_CALLERS = new Set(['DELETE /v2/self-serve/account', 'DELETE /v2/self-serve/browser-session'])

/**
 * Every operation of the OpenAPI document, except those that end the caller's account or session.
 */
export async function documentedOperations(target: Target): Promise<readonly Documented[]> {
  const { body } = await target.send({ path: '/openapi.json' })
  return operationsOf(JSON.parse(Buffer.from(body, 'latin1').toString()) as OpenApi).filter(({ name }) => !ENDS_CALLERS.has(name))
}

/** Credentials that authorize an operation. */
export function credentialFor({ operation }: Documented, { key, token }: Caller): Readonly<Record<string, string>> {
  const kind = Object.keys(operation.security[0] ?? {})[0]
  const headers: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    api_key: { 'x-api-key': key },
    service_token: { authorization: `Bearer ${SECRETS.SERVICE_TOKEN}` },
    admin_token: { authorization: `Bearer ${SECRETS.ADMIN_TOKEN}` },
    self_serve_token: { 'x-self-serve-token': token },
    diagnostics_secret: { 'x-diagnostics-secret': SECRETS.DIAGNOSTICS_SECRET },
    diagnostics_probe: { 'x-diagnostics-probe': SECRETS.DIAGNOSTICS_PROBE },
    payment_provider: { 'payment-signature': 't=1,v1=00' },
  }
  return headers[kind ?? ''] ?? {}
}

/**
 * A header with a client address in another network for each index. The service must trust
 * 127.0.0.1 as a proxy.
 */
export const fromAddress = (index: number): Readonly<Record<string, string>> => ({
  'x-forwarded-for': `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
})
export const BELIEVED = { TRUST_PROXY: '127.0.0.1' }
