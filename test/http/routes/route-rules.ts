import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { crossSections, type Dataset, loadCatalog, pathOf, served } from '../../../catalog/index.ts'
import { type Portal, portal, refusalOf } from '../../accounts/portal.ts'
import { SECRETS } from '../../support.ts'
import { cell } from '../cells.ts'
import { TABLE } from './route-table.ts'
import { PAGES } from './router.ts'

/** Statuses of reads. Every dataset of the catalog requires an API key. */
const READ = [401, 200, 401, 401, 401, 401, 401, 401, 401]
/** Statuses of pages, which are the same for every caller. */
const SHOWN = READ.map(() => 200)

const [CREDENTIALS, ...ROWS] = TABLE.trim()
  .split('\n')
  .map(line => line.trim().split(/\s{2,}/)) as [string[], ...string[][]]
const catalog = await loadCatalog()
const datasets = [...served(catalog), ...crossSections(catalog)]
/** The paths of a read or cross-section: by slug and, unless it has a special path, by id. */
function pathsOf(read: Dataset): readonly string[] {
  const { id, slug, path } = read.sectionOf ?? read
  const names = path === undefined ? [slug, id, id.replaceAll('-', '_')] : [slug]
  return [...new Set(names)].map(name => pathOf(read).replace(slug, name))
}
/** Every route with its statuses, in the order of `CREDENTIALS`. */
export const EXPECTED: ReadonlyMap<string, readonly number[]> = new Map([
  ...ROWS.map(([route, ...statuses]) => [route!, statuses.map(Number)] as const),
  ...PAGES.map(path => [`GET ${path}`, SHOWN] as const),
  ...datasets.flatMap(dataset => pathsOf(dataset).map(path => [`GET ${path}`, READ] as const)),
])
/** Every route, in the form `GET /v2/updates`. */
export const ALL: readonly string[] = [...EXPECTED.keys()]

const withPath = datasets.find(({ path, sectionOf }) => path !== undefined && !sectionOf)!
const withId = datasets.find(({ id, slug, path, sectionOf }) => path === undefined && id !== slug && !sectionOf)!
const section = datasets.find(({ sectionOf }) => sectionOf)!
/**
 * Routes for the quick tests: every route of the table, some pages, and one dataset of each kind.
 */
export const SAMPLE: readonly string[] = [
  ...ROWS.map(([route]) => route!),
  ...['/', '/zh', '/datasets/:name', '/docs/:part'].map(path => `GET ${path}`),
  ...[withPath, withId, section].flatMap(dataset => pathsOf(dataset).map(path => `GET ${path}`)),
]

let p: Portal
let port = 0
const agent = new Agent({ keepAlive: true })

/** Request bodies with which the routes succeed, for routes that need a body. */
export const BODIES: Readonly<Record<string, object>> = {
  'POST /v2/sql': { q: 'SELECT 1' },
  'POST /mcp': { jsonrpc: '2.0', id: 1, method: 'tools/list' },
  'POST /v2/self-serve/onboarding/start': { email: 'someone@example.test' },
  'POST /v2/self-serve/onboarding/complete': { flow_id: 'flow_unknown', code: '00000000' },
  'POST /v2/self-serve/settings': { credit_mails: false },
  'POST /v2/self-serve/api-keys': {},
  'POST /v2/self-serve/webhooks': { url: 'https://hooks.example.test/twmd' },
  'POST /v2/self-serve/webhooks/:webhook_id/resend': { since: '2026-07-01' },
  'POST /delta-sharing/shares/:share/schemas/:schema/tables/:table/query': {},
  'POST /v2/admin/credits/grant': { account: 'acct_unknown', credits: 1, reason: 'pilot' },
  'POST /v2/admin/credits/refund': { request_id: 'req_unknown', reason: 'outage' },
  'POST /v2/admin/grant-plan': { email: 'granted@example.test', plan_id: 'pro' },
  'POST /v2/admin/accounts/:account_id/suspend': { reason: 'unpaid invoice' },
  'POST /v2/admin/accounts/:account_id/limits': { row_limit: 10 },
  'POST /v2/admin/accounts/:account_id/notes': { text: 'a note' },
  'POST /v2/admin/accounts/:account_id/keys/:key_id/rotate': {},
}

const QUERIES: Readonly<Record<string, string>> = {
  '/v2/query': 'entity_type=company&entity_id=2330',
  '/v2/search': 'q=2330',
  '/v2/sql': 'q=SELECT+1',
  '/v2/datasets/:dataset_key/profile': 'symbol=2330',
  '/v2/datasets/:dataset_key/cross-section/profile': 'date=2026-06-30',
}

let people = 0
/** A new customer with a session and a key of the highest plan. */
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
  const query =
    (route.startsWith('GET ') ? QUERIES[path] : undefined) ?? needed.map(([name, { example }]) => `${name}=${example}`).join('&')
  const named = path
    .replace(':part/:group/:page', 'reference/datasets/get-v1-earnings')
    .replace(':part/:group', 'reference/datasets')
    .replace(':part', 'quickstart')
    .replace('company/:name', 'company/2330')
    .replace(':name', 'earnings')
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

/** Error code for a caller without a credential, by path prefix; the first match counts. */
const WITHOUT_CREDENTIAL = [
  ['/v2/self-serve/onboarding/complete', 'invalid_or_expired_code'],
  ['/v2/self-serve/', 'invalid_self_serve_token'],
  ['/v2/billing/', 'invalid_self_serve_token'],
  ['/v2/account/summary', 'invalid_service_token'],
  ['/v2/homepage/', 'invalid_service_token'],
  ['/v2/admin/', 'invalid_admin_token'],
  ['/internal/', 'unknown_path'],
  ['/assets/', 'unknown_path'],
  ['/', 'missing_api_key'],
] as const

/** Sends a header once per value. The available HTTP clients would join the values. */
async function sendRepeated(route: string, headers: Readonly<Record<string, string | readonly string[]>>) {
  const sent = request({
    port,
    host: '127.0.0.1',
    agent,
    method: methodOf(route),
    path: urlOf(route),
    headers: headers as Record<string, string[]>,
  })
  sent.end()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  return { status: response.statusCode, headers: response.headers, body: await text(response) }
}

/** Upper limit for slow machines in milliseconds. No test waits that long. */
const TIMEOUT_MS = 300_000

/**
 * Registers the tests of these routes: the statuses of the route table, refused methods, repeated
 * headers and keys in URLs.
 *
 * @param isWhole sends every repeated header and every URL with a key to each route, instead of two
 * of each in rotation
 * @returns the service, which is open while the tests run
 */
export function testRoutes(routes: readonly string[], isWhole: boolean): () => Portal {
  /** The values to send to a route: all, or two that depend on the route. */
  const valuesFor = <T>(route: string, values: readonly T[]): readonly T[] => {
    const index = routes.indexOf(route)
    return isWhole ? values : [0, 1].map(next => values[(2 * index + next) % values.length]!)
  }

  beforeAll(async () => {
    p = await portal({ examples: true })
    await p.app.listen({ port: 0, host: '127.0.0.1' })
    port = (p.app.server.address() as AddressInfo).port
  })
  afterAll(async () => {
    agent.destroy()
    await p.close()
  })

  it.each(CREDENTIALS.map((credential, at) => [credential, at] as const))(
    'S1: every route answers with the status in the route table for credential=%s',
    async (credential, index) => {
      const reader = customer()
      for (const route of routes)
        await cell(`${route}, ${credential}`, async () => {
          // A separate customer for each request with another method than GET, because some routes
          // revoke a key or end a session.
          const caller = methodOf(route) === 'GET' ? reader : customer()
          const status = EXPECTED.get(route)![index]!
          const headers = { 'x-account-email': 'someone@example.test', ...headersOf(credential, caller) }
          if (methodOf(route) === 'GET') {
            const { statusCode, body } = await p.send('HEAD', urlOf(route, caller.keyId), headers)
            expect([statusCode, body], 'HEAD').toEqual([status, ''])
          }
          const response = await p.send(methodOf(route), urlOf(route, caller.keyId), headers, BODIES[route])
          expect(response.statusCode, response.body.slice(0, 300)).toBe(status)
          if (status !== 200) expect(refusalOf(response)).toBeTypeOf('string')
          if (status === 401 && !route.endsWith('complete')) expect(response.json().error.blocking_gate).toBe('auth')
        })
    },
    TIMEOUT_MS,
  )

  it('S1: every protected route names the credential that an anonymous request lacks', async () => {
    for (const route of routes.filter(route => [401, 404].includes(EXPECTED.get(route)![0]!)))
      await cell(route, async () => {
        const [, code] = WITHOUT_CREDENTIAL.find(([beginning]) => urlOf(route).startsWith(beginning))!
        expect(refusalOf(await p.send(methodOf(route), urlOf(route), {}, BODIES[route]))).toBe(code)
      })
  })

  it('S4: every path refuses PATCH with 405 and its allowed methods; diagnostics paths answer 404', async () => {
    const pathOfRoute = new Map(ALL.map(route => [route, urlOf(route).split('?')[0]!]))
    for (const route of routes)
      await cell(route, async () => {
        const path = pathOfRoute.get(route)!
        const response = await p.send('PATCH' as 'GET', path)
        if (path.startsWith('/internal/')) return expect([response.statusCode, refusalOf(response)]).toEqual([404, 'unknown_path'])
        expect([response.statusCode, refusalOf(response)]).toEqual([405, 'method_not_allowed'])
        const listed = ALL.filter(other => pathOfRoute.get(other) === path).map(methodOf)
        const allowed = listed.flatMap(method => (method === 'GET' ? [method, 'HEAD'] : [method]))
        expect(response.json().error.allowed).toEqual(allowed.toSorted())
        expect(response.headers['allow']).toBe(allowed.toSorted().join(', '))
      })
  })

  it(
    'K3: every route refuses a credential header that is sent twice, even with equal values',
    async () => {
      const { key, token } = customer()
      for (const route of routes)
        for (const [name, value] of valuesFor(route, [
          ['x-api-key', key],
          ['authorization', `Bearer ${key}`],
          ['x-self-serve-token', token],
          ['x-admin-token', SECRETS.ADMIN_TOKEN],
          ['x-diagnostics-secret', SECRETS.DIAGNOSTICS_SECRET],
          ['x-diagnostics-probe', SECRETS.DIAGNOSTICS_PROBE],
          ['x-account-email', 'someone@example.test'],
        ] as const))
          await cell(`${route}, ${name}`, async () => {
            const response = await sendRepeated(route, { [name]: [value, value] })
            expect([response.status, refusalOf(response as never)]).toEqual([400, 'repeated_header'])
            expect(JSON.parse(response.body).error.header).toBe(name)
          })
    },
    TIMEOUT_MS,
  )

  it(
    'K2: every route refuses a key in its URL, even with a valid key in the header',
    async () => {
      const { key } = customer()
      for (const route of routes)
        for (const query of valuesFor(route, [
          `api_key=${key}`,
          'token=x',
          `q=${key}`,
          `sk_live_=1`,
          `q=${key.replace('s', '%73')}`,
          `q=${key.replace('_l', '%5f%6C')}`,
        ]))
          await cell(`${route}, ${query}`, async () => {
            const url = `${urlOf(route)}${urlOf(route).includes('?') ? '&' : '?'}${query}`
            const response = await p.send(methodOf(route), url, { 'x-api-key': key }, BODIES[route])
            expect([response.statusCode, refusalOf(response)]).toEqual([400, 'key_in_url'])
          })
    },
    TIMEOUT_MS,
  )

  it('K3: every keyed route accepts the same key in X-API-Key and Authorization, and refuses two different keys', async () => {
    const keyed = routes.filter(route => EXPECTED.get(route)![1] === 200 && EXPECTED.get(route)![0] === 401)
    expect(keyed.length).toBeGreaterThan(5)
    const [{ key }, other] = [customer(), customer()]
    for (const route of keyed)
      await cell(route, async () => {
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
  })

  it('S5: no log line of the requests to all routes contains a secret', () => {
    for (const token of Object.values(SECRETS)) p.secrets.add(token)
    expect(p.leaked()).toEqual([])
  })

  return () => p
}
