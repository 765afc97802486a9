import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Portal, portal, refused, type SignedIn } from '../accounts/portal.ts'

let p: Portal
let owner: SignedIn
beforeAll(async () => {
  p = await portal()
  owner = await p.signIn('owner@example.test')
  p.control.accounts.grantPlan(owner.accountId, 'max', {}, p.now())
})
afterAll(async () => {
  expect(p.leaked(), 'secrets of this run in log lines').toEqual([])
  await p.close()
})

const URL = 'https://hooks.example.test/twmd'
const create = (body: object = {}, who = owner) => p.as(who, 'POST', 'webhooks', { url: URL, ...body })
const made = async (body: object = {}) => (await create(body)).json()

describe('webhook endpoints', () => {
  it('a new endpoint gets every event; only the answers to creating and revealing the endpoint contain its secret', async () => {
    const response = await create({ description: ' nightly ' })
    expect([response.statusCode, response.headers['cache-control']]).toEqual([200, 'no-store'])
    const { webhook_id: id, secret, ...endpoint } = response.json()
    expect(endpoint).toEqual({
      url: URL,
      description: 'nightly',
      events: ['dataset.published', 'dataset.revised', 'dataset.withdrawn', 'dataset.late', 'credits.low', 'key.created'],
      datasets: [],
      symbols: [],
      status: 'enabled',
      disabled_reason: null,
      over_limit: false,
      created_at: '2026-07-01T20:00:00.000+08:00',
      failing_since: null,
      former_secret_until: null,
      held_until: null,
      waiting: 0,
    })
    expect(id).toMatch(/^we_[0-9a-z]{26}$/)
    expect(secret).toMatch(/^whsec_[\w+/]{43}=$/)
    expect((await p.as(owner, 'GET', `webhooks/${id}`)).json()).toEqual({ webhook_id: id, ...endpoint })
    expect((await p.as(owner, 'GET', 'webhooks')).json()).toEqual({ data: [{ webhook_id: id, ...endpoint }], data_count: 1, allowed: 20 })
    expect((await p.as(owner, 'GET', `webhooks/${id}/reveal`)).json()).toMatchObject({ webhook_id: id, secret })
    expect(p.stolen()).not.toContain(secret.slice(6))
    p.pass(16)
    expect(refused(await p.as(owner, 'GET', `webhooks/${id}/reveal`))).toEqual([403, 'reauth_required'])
    expect((await p.as(owner, 'DELETE', `webhooks/${id}`)).json()).toEqual({ webhook_id: id, deleted: true })
    expect(refused(await p.as(owner, 'GET', `webhooks/${id}`))).toEqual([404, 'unknown_id'])
  })

  it('changing an endpoint keeps omitted fields and accepts dataset slugs and ids', async () => {
    const { webhook_id: id } = await made()
    const change = async (body: object) => (await p.as(owner, 'POST', `webhooks/${id}`, body)).json()
    expect(await change({ events: ['dataset.revised'], datasets: ['bond_yield_curve', 'earnings', 'bond-yield-curve'] })).toMatchObject({
      events: ['dataset.revised'],
      datasets: ['bond-yield-curve', 'earnings'],
    })
    expect(await change({ enabled: false, symbols: ['2330'] })).toMatchObject({
      events: ['dataset.revised'],
      symbols: ['2330'],
      status: 'disabled',
      disabled_reason: 'owner',
    })
    expect(refused(await p.as(owner, 'POST', `webhooks/${id}/test`))).toEqual([409, 'conflict'])
    expect(await change({ enabled: true })).toMatchObject({ status: 'enabled', disabled_reason: null })
  })

  it.each([
    [
      { url: 'http://hooks.example.test/' },
      'url must be an https URL of at most 2,000 characters, for example https://hooks.example.com/twmd',
    ],
    [{ url: 'hooks.example.test' }, 'url must be an https URL of at most 2,000 characters, for example https://hooks.example.com/twmd'],
    ...[
      'https:hooks.example.test',
      'https:///hooks.example.test',
      'https://hooks.example.test\\@10.0.0.1/',
      'https://hooks.exa\nmple.test/',
      'https:/\\hooks.example.test/',
    ].map(
      url =>
        [{ url }, 'url must be an https URL of at most 2,000 characters, for example https://hooks.example.com/twmd'] as [object, string],
    ),
    [{ url: 'https://me:secret@hooks.example.test/' }, 'url must not contain a user name or password: messages are signed instead'],
    [{ url: 'https://hooks.example.test:8080/' }, 'url must use port 443 or 8443'],
    [{ url: 'https://127.0.0.1/' }, 'url must have a public address'],
    [{ url: 'https://2130706433/' }, 'url must have a public address'],
    [{ url: 'https://[::ffff:169.254.169.254]/' }, 'url must have a public address'],
    [{ url: 'https://10.1.2.3:8443/' }, 'url must have a public address'],
    [{ datasets: ['bond-yield-curv'] }, 'datasets contains the unknown dataset bond-yield-curv; did you mean bond-yield-curve?'],
    [{ description: 'night\u202eloader' }, 'description must not contain invisible characters, for example line breaks'],
    [{ symbols: ['no blanks'] }, 'symbols.0 must be a symbol as used in datasets, for example 2330'],
  ])('the service refuses an endpoint with %j', async (body, sentence) => {
    const response = await create(body)
    expect(refused(response)).toEqual([422, 'invalid_parameter'])
    expect(response.json().detail).toMatchObject([{ msg: sentence }])
  })

  it('the error for a refused endpoint lists all mistakes', async () => {
    const body = { url: 'ftp://x', datasets: ['nope'], symbols: ['x y'], events: ['foo'], more: 1 }
    const wrong = (response: Awaited<ReturnType<typeof create>>) =>
      response.json().detail.map(({ loc }: { loc: readonly string[] }) => loc.join('.'))
    const all = ['body.events.0', 'body.symbols.0', 'body.more', 'body.url', 'body.datasets']
    expect(wrong(await create(body))).toEqual(all)
    const { webhook_id: id } = await made()
    expect(wrong(await p.as(owner, 'POST', `webhooks/${id}`, body))).toEqual(all)
  })

  it('an endpoint of another account gets 404 on every route', async () => {
    const { webhook_id: id } = await made()
    const other = await p.signIn('other@example.test')
    for (const [method, path] of [
      ['GET', ''],
      ['POST', ''],
      ['DELETE', ''],
      ['GET', '/reveal'],
      ['POST', '/rotate'],
      ['POST', '/test'],
      ['GET', '/deliveries'],
    ] as const)
      expect(refused(await p.as(other, method, `webhooks/${id}${path}`, method === 'POST' ? {} : undefined))).toEqual([404, 'unknown_id'])
    expect((await p.as(owner, 'GET', `webhooks/${id}`)).statusCode).toBe(200)
  })
})

it('the service refuses more enabled endpoints than the plan allows', async () => {
  const free = await p.signIn('free@example.test')
  const { webhook_id: id } = (await create({}, free)).json()
  expect(refused(await create({}, free))).toEqual([409, 'webhook_limit'])
  await p.as(free, 'POST', `webhooks/${id}`, { enabled: false })
  expect((await create({}, free)).statusCode).toBe(200)
  expect(refused(await p.as(free, 'POST', `webhooks/${id}`, { enabled: true }))).toEqual([409, 'webhook_limit'])
})

it('an account may have five disabled endpoints in addition to the endpoints of its plan', async () => {
  const free = await p.signIn('hoards@example.test')
  for (let made = 0; made < 6; made++) {
    const { webhook_id: id } = (await create({}, free)).json()
    await p.as(free, 'POST', `webhooks/${id}`, { enabled: false })
  }
  const answer = await create({}, free)
  expect(refused(answer)).toEqual([409, 'webhook_limit'])
  const { allowed, active, kept } = answer.json().error
  expect({ allowed, active, kept }).toEqual({ allowed: 6, active: undefined, kept: 6 })
  const [{ webhook_id: id }] = (await p.as(free, 'GET', 'webhooks')).json().data
  await p.as(free, 'DELETE', `webhooks/${id}`)
  expect((await create({}, free)).statusCode).toBe(200)
})

describe('Idempotency-Key', () => {
  const headers = (who: SignedIn) => ({ 'x-self-serve-token': who.token, 'idempotency-key': 'loader' })
  const named = (who: SignedIn, body: object = {}) => p.send('POST', '/v2/self-serve/webhooks', headers(who), { url: URL, ...body })

  it('a repeated Idempotency-Key creates one endpoint and returns its secret again, which the audit log records', async () => {
    const maker = await p.signIn('once@example.test')
    const [first, again] = [await named(maker), await named(maker)]
    expect([first.statusCode, again.statusCode, again.json()]).toEqual([200, 200, first.json()])
    expect((await p.as(maker, 'GET', 'webhooks')).json().data_count).toBe(1)
    const { webhook_id: target } = first.json()
    expect(p.rows("SELECT facts FROM audit_log WHERE action = 'webhook secret revealed' AND target = ?", target)).toEqual([
      { facts: '{"repeated":"webhooks"}' },
    ])
    expect(refused(await named(maker, { description: 'other' }))).toEqual([422, 'invalid_parameter'])
    p.pass(16)
    expect(refused(await named(maker))).toEqual([403, 'reauth_required'])
  })

  it.each([
    ['deleted', 'DELETE', ''],
    ['rotated', 'POST', '/rotate'],
  ] as const)('a repeated Idempotency-Key gets 410 after its endpoint was %s', async (_, method, path) => {
    const maker = await p.signIn(`${method}@example.test`)
    const { webhook_id: id } = (await named(maker)).json()
    await p.as(maker, method, `webhooks/${id}${path}`)
    expect(refused(await named(maker))).toEqual([410, 'key_not_revealable'])
  })
})

it('closing an account deletes its endpoints', async () => {
  const gone = await p.signIn('gone@example.test')
  await create({ url: 'https://gone.example.test/' }, gone)
  await p.as(gone, 'DELETE', 'account')
  expect(p.rows("SELECT id FROM webhook_endpoint WHERE url LIKE '%gone%'")).toEqual([])
})

it('the audit log records every change of webhook endpoints', () => {
  const actions = p.rows("SELECT DISTINCT action FROM audit_log WHERE action LIKE 'webhook%' ORDER BY action") as { action: string }[]
  expect(actions.map(({ action }) => action)).toEqual([
    'webhook changed',
    'webhook created',
    'webhook deleted',
    'webhook secret revealed',
    'webhook secret rotated',
  ])
})
