import { afterAll, beforeAll, expect, it } from 'vitest'
import { pathOf, served } from '../../../catalog/index.ts'
import { Refusal } from '../../../src/core/index.ts'
import { balanced, type Entry, type Holder, holder, usageOf } from '../../accounts/usage/ledger.ts'
import { NOW } from '../../support.ts'
import { cell } from '../cells.ts'
import { AT_ONCE, BY_FRAMEWORK, BY_THE_FRAMEWORK, type Listening, listening, READ, type Sent, shared } from './two-ways.ts'

let l: Listening
let accounts: readonly [Holder, Holder]
beforeAll(async () => {
  l = await listening()
  accounts = [holder(l.s, 'max', 'at-once@example.test', NOW), holder(l.s, 'max', 'framework@example.test', NOW)]
})
afterAll(() => l.close())

/** Sends a request on both paths, each with its own account. `atOnce` is true if the framework did not see the first. */
async function both(path: string, headers: Sent = {}, method = 'GET', body = '') {
  const of = (account: Holder): Sent => ({
    ...('x-api-key' in headers || 'authorization' in headers ? {} : { 'x-api-key': account.key }),
    ...Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value).replaceAll('{key}', account.key)])),
  })
  const before = l.seen()
  const first = await l.send(path, of(accounts[0]), method, body)
  const atOnce = first.status === 200 && l.seen() === before
  const second = await l.send(path, { ...of(accounts[1]), ...BY_FRAMEWORK }, method, body)
  if (atOnce) expect(l.seen(), 'the framework answers the second request').toBe(before + 1)
  return { atOnce, first, second }
}

it('the fast path answers plain reads with the same status, headers and body as the framework', async () => {
  for (const request of AT_ONCE)
    await cell(JSON.stringify(request), async () => {
      const [path, headers] = request
      const { atOnce, first, second } = await both(path, headers)
      expect(first.status).toBe(200)
      expect(shared(first)).toEqual(shared(second))
      expect(atOnce, 'answered by the fast path').toBe(true)
    })
})

it('both paths answer the example read of every dataset identically', async () => {
  let found = 0
  for (const dataset of served(l.s.catalog)) {
    const required = Object.entries(dataset.filters).filter(([, filter]) => filter.required)
    const query = required.map(([name, { example }]) => `${name}=${encodeURIComponent(String(example))}`).join('&')
    const { atOnce, first, second } = await both(`${pathOf(dataset)}?${query}`)
    expect(shared(first), dataset.slug).toEqual(shared(second))
    if (atOnce) found++
  }
  expect(found).toBeGreaterThan(3)
})

it('the fast path links to the next page until the last', async () => {
  let path: string | undefined = `${READ}&limit=120`
  let pages = 0
  while (path !== undefined) {
    const { atOnce, first, second } = await both(path)
    expect(shared(first)).toEqual(shared(second))
    expect(atOnce).toBe(true)
    pages++
    path = /^<(.*)>; rel="next"$/.exec(String(first.headers['link']))?.[1]
  }
  expect(pages).toBe(3)
})

it('the fast path writes the same ledger entry and log line as the framework', async () => {
  const from = l.s.lines.length
  await both(`${READ}&limit=4`)
  const lines = () => l.s.lines.slice(from).map(line => JSON.parse(line))
  await expect.poll(() => lines().filter(({ rows }) => rows === 4).length).toBe(2)
  const [first, second] = lines().filter(({ rows }) => rows === 4)
  const [one, other] = accounts.map(({ accountId }) => usageOf(l.s.dir, accountId))
  const entry = ({ dataset, credits, rows, at }: Entry) => ({ dataset, credits, rows, at })
  expect(one!.entries.map(entry)).toEqual(other!.entries.map(entry))
  for (const { accountId } of accounts) balanced(l.s.dir, accountId)
  expect(one!.entries.some(({ request_id }) => request_id === first.request_id)).toBe(true)
  const own = ['time', 'request_id', 'account', 'key', 'ms']
  const rest = (line: object) => Object.fromEntries(Object.entries(line).filter(([name]) => !own.includes(name)))
  expect(rest(first)).toEqual(rest(second))
  expect(Object.keys(first)).toEqual(Object.keys(second))
  // The fast path waits for no slot.
  expect(Object.keys(first.ms)).toEqual(Object.keys(second.ms).filter(stage => stage !== 'hold'))
})

it('the framework answers every request that is not plain, is refused or needs the engine', async () => {
  for (const request of BY_THE_FRAMEWORK)
    await cell(JSON.stringify(request).slice(0, 200), async () => {
      const [path, headers, method, body] = request
      const { atOnce, first, second } = await both(path, headers, method, body)
      expect(shared(first)).toEqual(shared(second))
      expect(atOnce, 'answered by the fast path').toBe(false)
    })
})

it('both paths count the same errors and credits', () => {
  l.s.control.ledger.flush()
  const [one, other] = accounts.map(({ accountId }) => ({ ...balanced(l.s.dir, accountId), errors: usageOf(l.s.dir, accountId).errors }))
  expect(one).toEqual(other)
})

it('refuses a repeated X-API-Key or Authorization header with 400', async () => {
  const twice = async (name: string, values: readonly string[]) =>
    (await l.send(READ, { 'x-api-key': accounts[0].key, [name]: values })).status
  expect(await twice('x-api-key', [accounts[0].key, accounts[0].key])).toBe(400)
  expect(await twice('authorization', ['Bearer a', 'Bearer a'])).toBe(400)
})

it('the fast path refuses a revoked key on the next request', async () => {
  const { key, keyId, accountId } = holder(l.s, 'max', 'revoked@example.test', NOW)
  const before = l.seen()
  expect((await l.send(READ, { 'x-api-key': key })).status).toBe(200)
  expect(l.seen()).toBe(before)
  expect(l.s.control.keys.revoke(accountId, keyId, NOW)).toBe(true)
  expect((await l.send(READ, { 'x-api-key': key })).status).toBe(401)
})

it('the fast path refuses a plan below the dataset’s and counts an error', async () => {
  const { key, accountId } = holder(l.s, 'free', 'low@example.test', NOW)
  expect((await l.send(READ, { 'x-api-key': key })).status).toBe(403)
  await expect.poll(() => usageOf(l.s.dir, accountId).errors).toBe(1)
})

it('the fast path enforces the requests per minute of the plan', async () => {
  const limited = await listening({ limits: true })
  try {
    const { key, accountId } = holder(limited.s, 'pro', 'limited@example.test', NOW)
    const [first, second] = [await limited.send(READ, { 'x-api-key': key }), await limited.send(READ, { 'x-api-key': key })]
    expect(first.headers['x-ratelimit-limit']).toBe('600')
    expect(Number(second.headers['x-ratelimit-remaining'])).toBeLessThan(600)
    const grant = limited.s.gate.authenticate(key, '203.0.113.7')
    const drain = (): void => {
      for (let count = 0; count < 600; count++) limited.s.gate.limitRequest(grant)
    }
    let answered = 2
    const next = async (): Promise<number> => {
      expect(drain).toThrow(Refusal)
      const { status } = await limited.send(READ, { 'x-api-key': key })
      if (status === 200) answered++
      return status
    }
    await expect.poll(next).toBe(429)
    expect(balanced(limited.s.dir, accountId)).toMatchObject({ requests: answered })
  } finally {
    await limited.close()
  }
})

it('a read whose ledger entry fails on the fast path falls back to the framework and is charged once', async () => {
  const { key, accountId } = holder(l.s, 'max', 'unrecorded@example.test', NOW)
  const { ledger } = l.s.control
  const { recordThen } = ledger
  const before = l.seen()
  Object.assign(ledger, { recordThen: (_use: unknown, _done: unknown, failed: (error: Error) => void) => failed(new Error('no room')) })
  try {
    expect((await l.send(READ, { 'x-api-key': key })).status).toBe(200)
  } finally {
    Object.assign(ledger, { recordThen })
  }
  expect(l.seen()).toBe(before + 1)
  expect(balanced(l.s.dir, accountId)).toMatchObject({ requests: 1 })
})
