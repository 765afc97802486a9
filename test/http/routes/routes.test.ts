import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { crossSections, type Dataset, loadCatalog, pathOf, served } from '../../../catalog/index.ts'
import { type Portal, portal, refusalOf } from '../../accounts/portal.ts'
import { SECRETS } from '../../support.ts'
import { TABLE } from './route-table.ts'
import { PAGES, routedBy } from './router.ts'

/** Every dataset of the catalog is read with an API key and with nothing else. */
const READ = [401, 200, 401, 401, 401, 401, 401, 401, 401]
/** A page is the same for everybody. */
const SHOWN = READ.map(() => 200)

const [CREDENTIALS, ...ROWS] = TABLE.trim()
  .split('\n')
  .map(line => line.trim().split(/\s{2,}/)) as [string[], ...string[][]]
const catalog = await loadCatalog()
const datasets = [...served(catalog), ...crossSections(catalog)]
/** The paths of a read or a cross-section: by slug and, where it has no path of its own, by id. */
function pathsOf(read: Dataset): readonly string[] {
  const { id, slug, path } = read.sectionOf ?? read
  const names = path === undefined ? [slug, id, id.replaceAll('-', '_')] : [slug]
  return [...new Set(names)].map(name => pathOf(read).replace(slug, name))
}
const EXPECTED: ReadonlyMap<string, readonly number[]> = new Map([
  ...ROWS.map(([route, ...statuses]) => [route!, statuses.map(Number)] as const),
  ...PAGES.map(path => [`GET ${path}`, SHOWN] as const),
  ...datasets.flatMap(dataset => pathsOf(dataset).map(path => [`GET ${path}`, READ] as const)),
])
const CELLS = [...EXPECTED].flatMap(([route, statuses]) => statuses.map((status, at) => [route, CREDENTIALS[at]!, status] as const))

let p: Portal
let port = 0
beforeAll(async () => {
  p = await portal({ examples: true })
  await p.app.listen({ port: 0, host: '127.0.0.1' })
  port = (p.app.server.address() as AddressInfo).port
})
afterAll(() => p.close())

/** What each route is sent beside a credential: enough to succeed. */
const BODIES: Readonly<Record<string, object>> = {
  'POST /mcp': { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  'POST /v2/self-serve/onboarding/start': { email: 'someone@example.test' },
  'POST /v2/self-serve/onboarding/complete': { flow_id: 'flow_unknown', code: '00000000' },
  'POST /v2/self-serve/settings': { credit_mails: false },
  'POST /v2/self-serve/api-keys': {},
  'POST /v2/self-serve/webhooks': { url: 'https://hooks.example.test/twmd' },
  'POST /v2/self-serve/webhooks/:webhook_id/resend': { since: '2026-07-01' },
  'POST /delta-sharing/shares/:share/schemas/:schema/tables/:table/query': {},
  'POST /v2/admin/grant-plan': { email: 'granted@example.test', plan_id: 'pro' },
}

const QUERIES: Readonly<Record<string, string>> = {
  '/v2/query': 'entity_type=company&entity_id=2330',
  '/v2/search': 'q=2330',
  '/v2/datasets/:dataset_key/profile': 'symbol=2330',
  '/v2/datasets/:dataset_key/cross-section/profile': 'date=2026-06-30',
}

let people = 0
/** A customer with a session and a key of the highest plan, new for each request, since some routes end both. */
function customer() {
  const email = `customer${++people}@example.test`
  const key = p.keyOn('max', email)
  const { accountId, keyId } = p.control.keys.find(key, p.now())!
  const { token } = p.control.sessions.open(accountId, p.now())
  p.secrets.add(token)
  return { key, keyId, token, revoke: () => p.control.keys.revoke(accountId, keyId, p.now()) }
}

function headersOf(credential: string, { key, token, revoke }: ReturnType<typeof customer>): Record<string, string> {
  if (credential === 'revoked') revoke()
  const headers: Readonly<Record<string, Record<string, string>>> = {
    none: {},
    key: { 'x-api-key': key },
    revoked: { 'x-api-key': key },
    session: { 'x-self-serve-token': token },
    service: { authorization: `Bearer ${SECRETS.SERVICE_TOKEN}` },
    admin: { authorization: `Bearer ${SECRETS.ADMIN_TOKEN}` },
    'x-admin': { 'x-admin-token': SECRETS.ADMIN_TOKEN },
    secret: { 'x-diagnostics-secret': SECRETS.DIAGNOSTICS_SECRET },
    probe: { 'x-diagnostics-probe': SECRETS.DIAGNOSTICS_PROBE },
  }
  return headers[credential]!
}

function urlOf(route: string, keyId = 'key_unknown'): string {
  const path = route.split(' ')[1]!
  const dataset = datasets.find(dataset => pathsOf(dataset).includes(path))
  const needed = Object.entries(dataset?.filters ?? {}).filter(([, { required }]) => required)
  const query = QUERIES[path] ?? needed.map(([name, { example }]) => `${name}=${example}`).join('&')
  const named = path
    .replace(':part/:group/:page', 'reference/datasets/get-v1-earnings')
    .replace(':part/:group', 'reference/datasets')
    .replace(':part', 'quickstart')
    .replace('company/:name', 'company/2330')
    .replace(':name', 'earnings')
    .replace(':file', path.startsWith('/assets') ? 'icon.svg' : ':file')
    .replace(':key_id', keyId)
    .replace(':share', 'free')
    .replace(':schema', 'twmd')
    .replace(':table', 'theme_taxonomy')
    .replace(/:dataset_key($|(?=\/cross-section$))/, 'no-such-dataset')
    .replace(':dataset_key/cross-section', 'trading-calendar/cross-section')
    .replace(/:dataset(_key)?/, 'earnings')
  return `${named}${query && `?${query}`}`
}

const methodOf = (route: string) => route.split(' ')[0] as 'GET' | 'POST' | 'DELETE'

it('S1: every route has a row in the table of this test, and every row a route', async () => {
  const rows = [...EXPECTED.keys()]
  const heads = rows.flatMap(route => (route.startsWith('GET ') ? [route.replace('GET', 'HEAD')] : []))
  expect(routedBy(p.app).toSorted()).toEqual([...rows, ...heads].toSorted())
})

describe('S1: every route with every credential', () => {
  it.each(CELLS)('%s with %s answers %i', async (route, credential, status) => {
    const who = customer()
    const headers = { 'x-account-email': 'someone@example.test', ...headersOf(credential, who) }
    if (methodOf(route) === 'GET') {
      const { statusCode, body } = await p.send('HEAD', urlOf(route, who.keyId), headers)
      expect([statusCode, body]).toEqual([status, ''])
    }
    const response = await p.send(methodOf(route), urlOf(route, who.keyId), headers, BODIES[route])
    expect(response.statusCode, response.body).toBe(status)
    if (status !== 200) expect(refusalOf(response)).toBeTypeOf('string')
    if (status === 401 && !route.endsWith('complete')) expect(response.json().error.blocking_gate).toBe('auth')
  })
})

const ALL = [...EXPECTED.keys()]

/** What a caller without a credential is asked for, by the beginning of the path; the first that fits. */
const ASKED_FOR = [
  ['/v2/self-serve/onboarding/complete', 'invalid_or_expired_code'],
  ['/v2/self-serve/', 'invalid_self_serve_token'],
  ['/v2/billing/', 'invalid_self_serve_token'],
  ['/v2/account/summary', 'invalid_service_token'],
  ['/v2/homepage/', 'invalid_service_token'],
  ['/v2/admin/', 'invalid_admin_token'],
  ['/internal/', 'unknown_path'],
  ['/', 'missing_api_key'],
] as const

describe('S1: a caller without a credential', () => {
  it.each(ALL.filter(route => [401, 404].includes(EXPECTED.get(route)![0]!)))(
    'gets on %s a refusal that names what is missing',
    async route => {
      const [, code] = ASKED_FOR.find(([beginning]) => urlOf(route).startsWith(beginning))!
      expect(refusalOf(await p.send(methodOf(route), urlOf(route), {}, BODIES[route]))).toBe(code)
    },
  )
})

describe('S4: another method than a route takes', () => {
  it.each(ALL)('is refused beside %s with those it takes, and says nothing of diagnostics', async route => {
    const path = urlOf(route).split('?')[0]!
    const response = await p.send('PATCH' as 'GET', path)
    if (path.startsWith('/internal/')) return expect([response.statusCode, refusalOf(response)]).toEqual([404, 'unknown_path'])
    expect([response.statusCode, refusalOf(response)]).toEqual([405, 'method_not_allowed'])
    const listed = ALL.filter(other => urlOf(other).split('?')[0] === path).map(methodOf)
    const taken = listed.flatMap(method => (method === 'GET' ? [method, 'HEAD'] : [method]))
    expect(response.json().error.allowed).toEqual(taken.toSorted())
    expect(response.headers['allow']).toBe(taken.toSorted().join(', '))
  })
})

/** Sends a header as often as it has values; ready-made clients would fold them into one. */
async function sendRepeated(route: string, headers: Readonly<Record<string, string | readonly string[]>>) {
  const sent = request({
    port,
    host: '127.0.0.1',
    method: methodOf(route),
    path: urlOf(route),
    headers: headers as Record<string, string[]>,
  })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

describe('K3: on every route', () => {
  it.each(ALL)('%s refuses a credential header that is sent twice, the same one too', async route => {
    const { key, token } = customer()
    for (const [name, value] of [
      ['x-api-key', key],
      ['authorization', `Bearer ${key}`],
      ['x-self-serve-token', token],
      ['x-admin-token', SECRETS.ADMIN_TOKEN],
      ['x-diagnostics-secret', SECRETS.DIAGNOSTICS_SECRET],
      ['x-diagnostics-probe', SECRETS.DIAGNOSTICS_PROBE],
      ['x-account-email', 'someone@example.test'],
    ] as const) {
      const response = await sendRepeated(route, { [name]: [value, value] })
      expect([response.status, refusalOf(response as never)], name).toEqual([400, 'repeated_header'])
      expect(JSON.parse(response.body).error.header).toBe(name)
    }
  })

  it.each(ALL)('K2: %s refuses a key in its URL, beside a good one too', async route => {
    const { key } = customer()
    for (const query of [
      `api_key=${key}`,
      'token=x',
      `q=${key}`,
      `sk_live_=1`,
      `q=${key.replace('s', '%73')}`,
      `q=${key.replace('_l', '%5f%6C')}`,
    ]) {
      const url = `${urlOf(route)}${urlOf(route).includes('?') ? '&' : '?'}${query}`
      const response = await p.send(methodOf(route), url, { 'x-api-key': key }, BODIES[route])
      expect([response.statusCode, refusalOf(response)], query).toEqual([400, 'key_in_url'])
    }
  })
})

it('text in place of JSON is refused as a type that is not taken', async () => {
  const response = await p.send('POST', '/v2/self-serve/onboarding/start', { 'content-type': 'text/plain' }, '{"email":"a@example.test"}')
  expect([response.statusCode, refusalOf(response)]).toEqual([415, 'unsupported_media_type'])
})

describe('K3: X-API-Key beside Authorization', () => {
  const keyed = [...EXPECTED].filter(([, statuses]) => statuses[1] === 200 && statuses[0] === 401).map(([route]) => route)

  it.each(keyed)('%s takes both when they are one key, and neither when they differ', async route => {
    const [{ key }, other] = [customer(), customer()]
    const tried = async (direct: string, bearer: string) => {
      const headers = { 'x-api-key': direct, authorization: `Bearer ${bearer}` }
      const response = await p.send(methodOf(route), urlOf(route), headers, BODIES[route])
      return response.statusCode === 200 ? 200 : [response.statusCode, refusalOf(response)]
    }
    expect(await tried(key, key)).toBe(200)
    expect(await tried(key, other.key)).toEqual([401, 'conflicting_credentials'])
    expect(await tried(key, SECRETS.SERVICE_TOKEN)).toEqual([401, 'conflicting_credentials'])
    expect(await tried('', key)).toEqual([401, 'conflicting_credentials'])
  })

  it('the admin token in two places must be one token', async () => {
    const grant = async (header: string, bearer: string) => {
      const headers = { 'x-admin-token': header, authorization: `Bearer ${bearer}` }
      return (await p.send('POST', '/v2/admin/grant-plan', headers, BODIES['POST /v2/admin/grant-plan'])).statusCode
    }
    expect(await grant(SECRETS.ADMIN_TOKEN, SECRETS.ADMIN_TOKEN)).toBe(200)
    expect(await grant(SECRETS.ADMIN_TOKEN, 'another')).toBe(401)
    expect(await grant('another', SECRETS.ADMIN_TOKEN)).toBe(401)
  })
})

it('S5: no log line of all these requests holds a secret', () => {
  for (const token of Object.values(SECRETS)) p.secrets.add(token)
  expect(p.leaked()).toEqual([])
})
