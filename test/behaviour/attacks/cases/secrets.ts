import { newApiKey } from '../../../../src/accounts/keys/api-key.ts'
import { requestOf, shownBy } from '../../../http/openapi/openapi.ts'
import { SECRETS } from '../../../support.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { BELIEVED, credentialFor, documentedOperations, fromAddress } from '../documented.ts'
import { type Attack, attacked, inParallel } from '../target.ts'

/** Headers that services log, repeat or interpret. */
const HEADERS = [
  'user-agent',
  'referer',
  'accept',
  'accept-language',
  'cookie',
  'if-none-match',
  'x-request-id',
  'traceparent',
  'origin',
  'range',
  'x-real-ip',
  'via',
  'x-admin-token',
  'x-self-serve-token',
  'x-diagnostics-secret',
  'x-diagnostics-probe',
  'x-account-email',
  'payment-signature',
  'content-type',
  'authorization',
  'x-api-key',
]

/**
 * The request with the secret in every place from which it could be logged or repeated by mistake.
 *
 * @param shaped a secret with a recognizable format, for places that refusals repeat
 */
function planted({ path, headers = {}, ...rest }: Attack, secret: string, shaped: string): readonly Attack[] {
  const query = path.includes('?') ? '&' : '?'
  return [
    // Left out for the summary, because the summary repeats the requested address.
    ...HEADERS.filter(name => name !== 'x-account-email' || !path.startsWith('/v2/account/summary')).map(name => ({
      ...rest,
      path,
      headers: { ...headers, [name]: name === 'authorization' ? `Bearer ${secret}` : secret },
    })),
    { ...rest, path: `${path}${query}q=${shaped}`, headers },
    { ...rest, path: `${path}${query}${shaped}=1`, headers },
    { ...rest, path: `${path}${query}token=${encodeURIComponent(secret)}`, headers },
    { ...rest, path: `/v2/datasets/${shaped}`, headers },
    { ...rest, path: `/${encodeURIComponent(secret)}`, headers },
    {
      ...rest,
      method: 'POST',
      path: '/v2/self-serve/onboarding/complete',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ flow_id: shaped, code: shaped }),
    },
    {
      ...rest,
      method: 'POST',
      path: '/v2/self-serve/onboarding/start',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: shaped }),
    },
    {
      ...rest,
      method: 'POST',
      path: '/mcp',
      headers: { 'content-type': 'application/json' },
      body: `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"${shaped}"}}`,
    },
    {
      ...rest,
      method: 'POST',
      path: '/v2/billing/webhook',
      headers: { 'content-type': 'application/json', 'payment-signature': secret },
      body: JSON.stringify({ id: secret }),
    },
  ]
}

export const cases: readonly HostileCase[] = [
  {
    id: 'S5',
    tries: "valid keys, session tokens, made-up keys and the service's own secrets in every header, parameter, path and body field",
    holds: 'no log line and no answer contains a secret that a caller sent',
    run: (bounds: Bounds): Promise<Outcome> =>
      attacked(
        bounds,
        { plans: Array.from({ length: 12 }, () => 'max' as const), env: BELIEVED, meant: ['billing_unavailable', 'reserved_endpoint'] },
        async target => {
          const operations = await documentedOperations(target)
          const nobodys = Array.from({ length: 20 }, newApiKey)
          for (const key of nobodys) target.secret(key)
          const secrets = [...nobodys, ...target.callers.flatMap(({ key, token }) => [key, token]), ...Object.values(SECRETS)]
          const shaped = secrets.slice(0, -Object.keys(SECRETS).length)
          const attacks = operations.flatMap((operation, index) => {
            const { url, headers } = requestOf(operation, shownBy(operation))
            const caller = target.callers[index % target.callers.length]!
            const example = operation.operation.requestBody?.content['application/json']?.example
            const body = example === undefined ? {} : { body: JSON.stringify(example) }
            const type: Readonly<Record<string, string>> = example === undefined ? {} : { 'content-type': 'application/json' }
            const attack = {
              method: operation.method,
              path: url,
              headers: { ...type, ...headers, ...credentialFor(operation, caller) },
              ...body,
            }
            return planted(attack, secrets[(index * 13) % secrets.length]!, shaped[(index * 7) % shaped.length]!)
          })
          const tries = await inParallel(Math.min(scaled(bounds, 6_000), attacks.length), 16, bounds.seconds, async index => {
            const { headers, ...attack } = attacks[(index * 101) % attacks.length]!
            await target.send({ ...attack, headers: { ...fromAddress(index), ...headers } })
          })
          return { tries, failures: [] }
        },
      ),
  },
]
