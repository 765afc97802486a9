import { paidEnvironment } from '../../../billing/paid.ts'
import { startProvider } from '../../../fixtures/provider/server.ts'
import { requestOf, shownBy } from '../../../http/openapi/openapi.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { BELIEVED, documentedOperations, fromAddress } from '../documented.ts'
import { type Attack, attacked, inParallel, type Target } from '../target.ts'

const EVIL = 'evil.example'

/**
 * Headers that a browser adds to a request with the cookie from a page of another site: form,
 * script, image, frame, and a page that imitates the portal.
 */
const PAGES: readonly Readonly<Record<string, string>>[] = [
  { origin: `https://${EVIL}` },
  { origin: `https://${EVIL}`, 'x-portal': '1' },
  { origin: 'null', 'x-portal': '1' },
  { origin: `https://${EVIL}`, 'content-type': 'text/plain' },
  { origin: `https://${EVIL}`, 'content-type': 'application/x-www-form-urlencoded' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'cross-site', 'x-portal': '1' },
  { 'sec-fetch-site': 'same-site', 'x-portal': '1' },
  { origin: `https://${EVIL}`, host: EVIL, 'x-portal': '1', 'sec-fetch-site': 'cross-site' },
  { referer: `https://${EVIL}/` },
]

/** Headers that name a host. A careless service would use this host in its links. */
const HOSTS: readonly Readonly<Record<string, string>>[] = [
  { host: EVIL },
  { 'x-forwarded-host': EVIL },
  { 'x-forwarded-host': EVIL, 'x-forwarded-proto': 'javascript' },
  { forwarded: `host=${EVIL};proto=http` },
  { 'x-original-url': `https://${EVIL}/`, 'x-rewrite-url': '/v2/admin/queues' },
]
const LINKED = [
  '/v2/datasets/institutional-positioning?symbol=2330&limit=1',
  '/v2/datasets',
  '/metadata',
  '/',
  '/docs',
  '/sitemap.xml',
  '/robots.txt',
  '/nothing',
  '/docs/',
  '/v2/datasets/',
]

/** Return addresses on other hosts. */
const ELSEWHERE = (own: URL): readonly string[] => [
  `https://${EVIL}/`,
  `//${EVIL}/`,
  `/\\${EVIL}/`,
  `https://${own.host}@${EVIL}/`,
  `https://${own.host}.${EVIL}/`,
  `${own.origin}@${EVIL}/`,
  `${own.origin}.${EVIL}/`,
  `http://${EVIL}\\@${own.host}/`,
  'javascript:alert(1)//',
  'data:text/html,x',
  `\t//${EVIL}`,
  `%2f%2f${EVIL}`,
  `${own.protocol}//${own.hostname}:1/`,
  `file:///etc/passwd`,
]

const json = (path: string, body: object, token: string): Attack => ({
  method: 'POST',
  path,
  headers: { 'x-self-serve-token': token, 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/**
 * Sends every session operation like a page of another site, with the cookie of a signed-in user.
 */
async function fromPages(target: Target, bounds: Bounds, failures: string[]): Promise<number> {
  const operations = (await documentedOperations(target)).filter(({ operation }) => {
    const kind = Object.keys(operation.security[0] ?? {})[0]
    return kind === 'self_serve_token' || kind === 'api_key'
  })
  const cookies = await Promise.all(
    target.callers.map(async ({ token }) => {
      const { headers } = await target.send({
        method: 'POST',
        path: '/v2/self-serve/browser-session',
        headers: { 'x-self-serve-token': token },
      })
      return String(headers['set-cookie']).split(';')[0]!
    }),
  )
  const pages = operations.flatMap(operation => PAGES.map(page => ({ operation, page })))
  const most = Math.min(pages.length, scaled(bounds, pages.length))
  return inParallel(most, 8, bounds.seconds / 2, async index => {
    const { operation, page } = pages[(index * 11) % pages.length]!
    const { url, headers } = requestOf(operation, shownBy(operation))
    const example = operation.operation.requestBody?.content['application/json']?.example
    const body = example === undefined ? {} : { body: JSON.stringify(example) }
    const cookie = cookies[index % cookies.length]!
    const type: Readonly<Record<string, string>> = example === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await target.send({
      method: operation.method,
      path: url,
      ...body,
      headers: { ...fromAddress(index), ...headers, ...type, ...page, cookie },
    })
    if (answer.status < 400) failures.push(`${operation.name} with ${JSON.stringify(page)} and a cookie got ${answer.status}`)
    if (Object.keys(answer.headers).some(name => name.startsWith('access-control-')))
      failures.push(`${operation.name} was granted to ${page['origin']}`)
  })
}

/** Sends names of other hosts, and return addresses on other hosts. */
async function ofOtherHosts(target: Target, failures: string[]): Promise<number> {
  const { key } = target.callers[0]!
  let tries = 0
  for (const path of LINKED)
    for (const host of HOSTS) {
      const { status, headers, body } = await target.send({ path, headers: { 'x-api-key': key, ...host } })
      tries++
      const named = ['location', 'link', 'set-cookie', 'content-location'].filter(name => String(headers[name]).includes(EVIL))
      if (named.length > 0 || body.includes(EVIL))
        failures.push(`${path} with ${JSON.stringify(host)} names it in ${named.join() || 'its body'} (${status})`)
    }
  for (const [index, url] of ELSEWHERE(target.url).entries()) {
    const { token } = target.callers[index % target.callers.length]!
    const attacks: readonly Attack[] = [
      json('/v2/billing/checkout-session', { plan_id: 'pro', success_url: url }, token),
      json('/v2/billing/checkout-session', { plan_id: 'pro', cancel_url: url }, token),
      json('/v2/self-serve/billing/portal-session', { return_url: url }, token),
      ...['return', 'next', 'url', 'redirect'].map(name => ({ path: `/account?${name}=${encodeURIComponent(url)}` })),
      { path: `/${encodeURIComponent(url)}` },
      { path: url.startsWith('/') ? url : `//${EVIL}/..` },
    ]
    for (const attack of attacks) {
      const { status, headers, body } = await target.send(attack)
      tries++
      const leads = String(headers['location'] ?? '')
      if (leads.includes(EVIL) || (status >= 300 && status < 400)) failures.push(`${attack.path} leads to ${leads} (${status})`)
      if (attack.body !== undefined && status < 400) failures.push(`${attack.path} takes ${attack.body}`)
      if (/href="[^"]*evil\.example/.test(body)) failures.push(`${attack.path} links there`)
    }
  }
  return tries
}

export const cases: readonly HostileCase[] = [
  {
    id: 'S9',
    tries:
      'pages of other sites with the cookie of a signed-in visitor, on every operation for sessions and keys; names of other hosts in headers; foreign return addresses',
    holds: 'a cookie sent by another site grants nothing, and no link or redirect names another host',
    run: async (bounds: Bounds): Promise<Outcome> => {
      const provider = await startProvider({ secretKey: paidEnvironment('', '')['STRIPE_SECRET_KEY']! })
      const { DATA_DIR: _, PORT: _2, MAIL_URL: _3, ...paid } = paidEnvironment('', provider.url)
      try {
        return await attacked(
          bounds,
          {
            plans: Array.from({ length: 24 }, () => 'max' as const),
            env: { ...BELIEVED, ...paid },
            meant: ['reserved_endpoint', 'billing_unavailable'],
          },
          async target => {
            const failures: string[] = []
            const before = await Promise.all(target.callers.map(caller => countsOf(target, caller.token)))
            const tries = (await fromPages(target, bounds, failures)) + (await ofOtherHosts(target, failures))
            const after = await Promise.all(target.callers.map(caller => countsOf(target, caller.token)))
            if (after.join() !== before.join()) failures.push(`keys and webhooks: ${before} became ${after}`)
            return { tries, failures: [...new Set(failures)] }
          },
        )
      } finally {
        await provider.close()
      }
    },
  },
]

/** Number of keys and webhooks of an account, as text to compare. */
async function countsOf(target: Target, token: string): Promise<string> {
  const see = async (path: string) =>
    (await target.send({ path, headers: { 'x-self-serve-token': token } })).body.match(/"(key_id|webhook_id)"/g)?.length ?? 0
  return `${await see('/v2/self-serve/api-keys')}+${await see('/v2/self-serve/webhooks')}`
}
