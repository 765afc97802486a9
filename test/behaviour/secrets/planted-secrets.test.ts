import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Portal, portal } from '../../accounts/portal.ts'
import { SECRETS } from '../../support.ts'

let p: Portal
const planted: string[] = []
/** A secret without a recognizable format, so that no pattern can redact it. */
const plant = (prefix = ''): string => {
  const secret = `${prefix}planted${randomBytes(12).toString('hex')}`
  planted.push(secret)
  return secret
}

beforeAll(async () => {
  p = await portal()
})
afterAll(() => p.close())

const admin = { authorization: `Bearer ${SECRETS.ADMIN_TOKEN}` }
const HEADERS = [
  'x-api-key',
  'x-self-serve-token',
  'x-admin-token',
  'x-diagnostics-secret',
  'x-diagnostics-probe',
  'x-account-email',
] as const
const PATHS = [
  '/v2/datasets/events',
  '/v2/self-serve/account',
  '/v2/account/summary',
  '/v2/admin/grant-plan',
  '/internal/db-diagnostics',
  '/no',
] as const

describe('S5: secrets sent by a caller', () => {
  it('S5: no log line contains a secret sent in a header, cookie or user agent', async () => {
    for (const path of PATHS) {
      for (const name of HEADERS) await p.send('GET', path, { [name]: plant() })
      for (const headers of [
        { authorization: `Bearer ${plant()}` },
        { authorization: plant() },
        { authorization: `Basic ${plant()}`, 'proxy-authorization': plant() },
        { cookie: `session=${plant()}`, referer: `https://x.test/?key=${plant()}`, 'user-agent': plant() },
        { [plant('x-')]: '1', 'x-request-id': plant(), 'if-none-match': plant() },
      ] as Record<string, string>[])
        await p.send('GET', path, headers)
    }
  })

  it('S5: refusals do not repeat a secret sent as a name or a value', async () => {
    const { token, apiKey } = await p.signIn('shows@example.test')
    const headers = { 'x-api-key': apiKey!.api_key, 'content-type': 'application/json' }
    const tool = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: token, arguments: {} } }
    const answers = [
      await p.send('GET', `/v2/datasets?${token}=1`),
      await p.send('GET', `/v2/search?q=x&type=${token}`, headers),
      await p.send('GET', `/v2/updates?category=${token}`),
      await p.send(
        'POST',
        '/v2/self-serve/webhooks',
        { 'x-self-serve-token': token },
        { url: 'https://x.test/', datasets: [apiKey!.api_key] },
      ),
      await p.send('POST', '/mcp', headers, tool),
    ]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([422, 422, 422, 422, 200])
    for (const { body } of answers) {
      expect(body).toContain('[redacted]')
      expect(body).not.toContain(token.slice(4))
      expect(body).not.toContain(apiKey!.api_key.slice(8))
    }
  })

  it.each(Object.entries(SECRETS))('S5: refusals do not repeat the configured %s', async (name, secret) => {
    const headers = { 'x-api-key': p.keyOn('max', `${name}@example.test`), 'content-type': 'application/json', 'accept-language': 'en' }
    const sent = encodeURIComponent(secret)
    const far = 'x'.repeat(90)
    const call = (tool: string, args: unknown) => ({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: tool, arguments: args },
    })
    const answers = [
      await p.send('GET', `/v2/datasets?${sent}=1`),
      await p.send('GET', `/v2/datasets?${secret}=1`),
      await p.send('GET', `/v2/datasets?${far}${sent}=1`),
      await p.send('GET', `/v2/updates?category=${sent}`),
      await p.send('GET', `/v2/datasets/events?symbol=${sent}&limit=${sent}`, headers),
      await p.send('POST', '/v2/self-serve/onboarding/start', headers, { email: 'x', [`${far}${secret}`]: 1 }),
      await p.send('POST', '/mcp', headers, call(secret, {})),
      await p.send('POST', '/mcp', headers, call(`${far}${secret}`, {})),
      await p.send('POST', '/mcp', headers, call('describe_dataset', { [`${far}${secret}`]: 1 })),
      await p.send('POST', '/mcp', headers, call('get_rows', { dataset: 'events', columns: [secret], filters: { [secret]: secret } })),
    ]
    for (const { body } of answers) {
      expect(body).toContain('[redacted]')
      expect(body.toLowerCase()).not.toContain(secret.slice(0, 9).toLowerCase())
    }
  })

  it('S5: no log line contains a secret sent in the path or the query', async () => {
    const owner = await p.signIn('owner@example.test')
    for (const path of PATHS) {
      await p.send('GET', `${path}?api_key=${plant()}`)
      await p.send('GET', `${path}?${plant()}=1`)
      await p.send('GET', `${path}?symbol=${plant()}`, { 'x-api-key': owner.apiKey!.api_key })
      await p.send('GET', `${path}/${plant()}`)
    }
    await p.send('GET', `/v2/datasets/${plant()}`, { 'x-api-key': owner.apiKey!.api_key })
    for (const act of ['reveal', 'revoke']) await p.as(owner, act === 'reveal' ? 'GET' : 'POST', `api-keys/${plant()}/${act}`)
  })

  it('S5: no log line contains a secret sent in a body, well-formed or not', async () => {
    const owner = await p.signIn('owner@example.test')
    await p.start(plant())
    await p.start(`${plant()}@example.test`)
    await p.deliver()
    await p.complete(plant(), plant())
    await p.as(owner, 'POST', 'api-keys', { name: plant(), [plant()]: plant() })
    await p.as(owner, 'POST', 'api-keys', { name: { deep: plant() } })
    await p.send('POST', '/v2/admin/grant-plan', admin, { email: plant(), plan_id: plant(), [plant()]: 1 })
    await p.send('POST', '/v2/admin/grant-plan', admin, { email: `${plant()}@example.test`, plan_id: 'pro', note: plant() })
    for (const payload of [`{"email":"${plant()}"`, plant(), `{"__proto__":"${plant()}"}`])
      await p.app.inject({
        method: 'POST',
        url: '/v2/self-serve/onboarding/start',
        headers: { 'content-type': 'application/json' },
        payload,
      })
  })

  it('S5: no log line contains a secret when the service fails while answering', async () => {
    const owner = await p.signIn('failing@example.test')
    p.post.refuse(550)
    await p.start(`${plant()}@example.test`)
    await p.deliver()
    for (const table of ['audit_log', 'onboarding_flow', 'plan_grant']) p.tamper(`DROP TABLE ${table}`)
    const failed = [
      await p.as(owner, 'POST', 'api-keys', { name: plant() }),
      await p.start(`${plant()}@example.test`),
      await p.send('POST', '/v2/admin/grant-plan', admin, { email: `${plant()}@example.test`, plan_id: 'pro', note: plant() }),
      await p.send('GET', '/v2/account/summary', {
        authorization: `Bearer ${SECRETS.SERVICE_TOKEN}`,
        'x-account-email': `${plant()}@x.test`,
      }),
    ]
    expect(failed.map(({ statusCode }) => statusCode)).toEqual([500, 500, 500, 500])
    for (const { body } of failed) for (const secret of planted) expect(body).not.toContain(secret)
  })

  it('S5: the searched log has a line for each kind of refusal', () => {
    const log = p.lines.join('')
    expect(planted.length).toBeGreaterThan(100)
    const codes = p.lines.map(line => JSON.parse(line)).flatMap(({ event, code }) => (event === 'refused' ? [code] : []))
    expect(new Set(codes).size).toBeGreaterThan(8)
    expect(log).toContain('"event":"failed"')
    expect(planted.filter(secret => log.toLowerCase().includes(secret))).toEqual([])
    for (const secret of Object.values(SECRETS)) expect(log).not.toContain(secret)
    expect(log).not.toMatch(/@example\.test/)
    expect(p.leaked()).toEqual([])
  })
})
