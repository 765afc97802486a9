import { type Documented as Listed, operationsOf as listed, type OpenApi } from '../../../src/http/openapi/index.ts'
import { SECRETS, type TestService } from '../../support.ts'
import { sharedChecker } from './schema.ts'

/** An operation of the OpenAPI document. Its name is method and path. */
export interface Documented extends Listed {
  readonly name: string
}

export const operationsOf = (api: OpenApi): readonly Documented[] => listed(api).map(one => ({ ...one, name: `${one.method} ${one.path}` }))

/** Kind of credential that an operation needs: a name of `credentialsOn`, or `public`. */
export const callerOf = ({ operation }: Documented): string => Object.keys(operation.security[0] ?? {})[0] ?? 'public'

/** Checks a body against a schema of the document. Unknown keys are errors. */
export function documentChecker(api: OpenApi): (schema: object, body: unknown) => readonly string[] {
  const check = sharedChecker('twmd', withIds(api.components.schemas))
  return (schema, body) => check(withIds(schema), body)
}

const withIds = (schema: object): Record<string, unknown> =>
  JSON.parse(JSON.stringify(schema).replaceAll('#/components/schemas/', 'twmd#/$defs/'))

/** Request headers with a valid credential of each kind. */
export function credentialsOn(s: TestService): Readonly<Record<string, Readonly<Record<string, string>>>> {
  const key = s.keyOn('max')
  const account = s.control.accounts.byId(s.control.keys.find(key, s.now())!.accountId, s.now())!
  return {
    api_key: { 'x-api-key': key },
    service_token: { authorization: `Bearer ${SECRETS.SERVICE_TOKEN}` },
    admin_token: { authorization: `Bearer ${SECRETS.ADMIN_TOKEN}` },
    self_serve_token: { 'x-self-serve-token': s.control.sessions.open(account.id, s.now()).token },
    browser: {},
    diagnostics_secret: { 'x-diagnostics-secret': SECRETS.DIAGNOSTICS_SECRET },
    diagnostics_probe: { 'x-diagnostics-probe': SECRETS.DIAGNOSTICS_PROBE },
    payment_provider: { 'payment-signature': 't=1,v1=00' },
  }
}

/** Values of a request by parameter name. A list repeats the parameter. */
export type Sent = Readonly<Record<string, unknown>>

/** URL and headers of a request, with each value in its documented place. */
export function requestOf({ path, operation }: Documented, sent: Sent): { readonly url: string; readonly headers: Record<string, string> } {
  let url = path
  const query = new URLSearchParams()
  const headers: Record<string, string> = {}
  for (const { name, in: place } of operation.parameters ?? []) {
    const value = sent[name]
    if (value === undefined) continue
    if (place === 'path') url = url.replace(`{${name}}`, encodeURIComponent(String(value)))
    else if (place === 'header') headers[name] = String(value)
    else for (const item of [value].flat()) query.append(name, String(item))
  }
  return { url: query.size > 0 ? `${url}?${query}` : url, headers }
}

/** Values of the example request, by parameter name. */
export function shownBy({ operation }: Documented): Sent {
  const { path, query, headers } = operation['x-example-request'] ?? {}
  return { ...path, ...query, ...headers }
}
