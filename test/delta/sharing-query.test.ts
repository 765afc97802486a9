import { createHash } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { creditsOfRows, PLANS } from '../../catalog/index.ts'
import { NOW } from '../support.ts'
import { balanced, holder, spend, usageOf } from '../usage/ledger.ts'
import { DELTA, EARNINGS, filesOf, linesOf, SHARES, type Sharing, sharing } from './sharing.ts'

let s: Sharing
let pro = ''
beforeAll(async () => {
  s = await sharing()
  pro = s.keyOn('pro')
})
afterAll(() => s.close())

it('a shared-table query lists every part of the served release, with URLs that need no key', async () => {
  const release = s.releases.current(s.dataset('earnings'))
  const files = filesOf(await s.query(EARNINGS, pro))
  expect(files.map(({ id, size }) => [id, size])).toEqual(release.manifest.parts.map(({ sha256, bytes }) => [sha256, bytes]))
  for (const { url, id, size, stats } of files) {
    expect(JSON.parse(stats).numRecords).toBe(release.manifest.parts.find(({ sha256 }) => sha256 === id)!.rows)
    const { pathname, search, origin } = new URL(url)
    expect(origin).toBe('http://127.0.0.1')
    const whole = await s.app.inject({ url: `${pathname}${search}` })
    expect(createHash('sha256').update(whole.rawPayload).digest('hex')).toBe(id)
    const tail = await s.app.inject({ url: `${pathname}${search}`, headers: { range: 'bytes=-8' } })
    expect([tail.statusCode, tail.headers['content-range'], tail.rawPayload.subarray(4).toString()]).toEqual([
      206,
      `bytes ${size - 8}-${size - 1}/${size}`,
      'PAR1',
    ])
    const head = await s.app.inject({ method: 'HEAD', url: `${pathname}${search}` })
    expect([head.statusCode, head.headers['content-length']]).toEqual([200, String(size)])
  }
})

it('a shared-table query lists the same files in parquet and delta format', async () => {
  const [inParquet, inDelta] = [filesOf(await s.query(EARNINGS, pro)), filesOf(await s.query(EARNINGS, pro, {}, DELTA))]
  expect(inDelta.map(({ id, deltaSingleAction: { add } }) => [id, new URL(add.path).pathname, add.size, add.stats])).toEqual(
    inParquet.map(({ id, url, size, stats }) => [id, new URL(url).pathname, size, stats]),
  )
})

it('a shared-table query ends with the URL expiration if the reader supports endStreamAction', async () => {
  const answer = await s.query(
    EARNINGS,
    pro,
    {},
    { 'delta-sharing-capabilities': `${DELTA['delta-sharing-capabilities']};includeEndStreamAction=true` },
  )
  expect(answer.headers['delta-sharing-capabilities']).toBe('responseformat=delta;includeendstreamaction=true')
  const { endStreamAction } = linesOf(answer).at(-1)
  expect(endStreamAction.minUrlExpirationTimestamp).toBe(NOW.getTime() + 3_600_000)
  expect(filesOf(answer)[0].expirationTimestamp).toBe(endStreamAction.minUrlExpirationTimestamp)
})

it('a shared-table query ignores unknown fields and unsupported hints', async () => {
  const all = filesOf(await s.query(EARNINGS, pro)).length
  for (const body of [{ maxFiles: 5, includeRefreshToken: true }, { predicateHints: ['a + b > c'] }, { jsonPredicateHints: '{"op":' }])
    expect(filesOf(await s.query(EARNINGS, pro, body))).toHaveLength(all)
})

it.each([
  { limitHint: -1 },
  { limitHint: '5' },
  { predicateHints: 'symbol = 1' },
  { jsonPredicateHints: { op: 'and' } },
  { version: 1.5 },
  { version: 0, timestamp: '2026-07-01T00:00:00Z' },
  { timestamp: 'yesterday' },
  { startingVersion: 0 },
  [],
  'no JSON',
])('a shared-table query is refused with the body %j', async body => {
  const refused = await s.query(EARNINGS, pro, body)
  expect([400, 422]).toContain(refused.statusCode)
  expect(refused.json()).toMatchObject({
    errorCode: expect.stringMatching(/^(invalid_parameter|malformed_request)$/),
    message: expect.any(String),
  })
})

it('a shared-table query for changes is refused with a link to /v2/updates', async () => {
  const { message } = (await s.query(EARNINGS, pro, { startingVersion: 0 })).json()
  expect(message).toContain('/v2/updates')
  expect(filesOf(await s.query(EARNINGS, pro, { startingVersion: null }))).not.toEqual([])
})

it('a shared-table query with a megabyte of hints is refused with 413', async () => {
  const refused = await s.query(EARNINGS, pro, { predicateHints: ["symbol = '2330'".repeat(70_000)] })
  expect([refused.statusCode, refused.json().errorCode]).toEqual([413, 'too_large'])
})

it('a shared-table query is charged by the rows it lists; metadata and files are free', async () => {
  const account = holder(s, 'pro', 'priced@example.test', NOW)
  const { slug, access } = s.dataset('earnings')
  for (const path of ['', '/version', '/metadata'])
    expect((await s.ask(`${EARNINGS}${path}`, account.key)).headers['x-credits-charged']).toBe('0')
  const answer = await s.query(EARNINGS, account.key)
  const rows = filesOf(answer).reduce((sum, { stats }) => sum + JSON.parse(stats).numRecords, 0)
  const credits = creditsOfRows({ slug, id: slug, access: access! }, 'pro', rows)
  expect([answer.headers['x-credits-charged'], answer.headers['x-row-count']]).toEqual([String(credits), String(rows)])
  for (const { url } of filesOf(answer)) await s.app.inject({ url: new URL(url).pathname + new URL(url).search })
  expect(usageOf(s.dir, account.accountId).entries).toMatchObject([{ dataset: slug, credits, rows }])
})

it('each of 100 parallel shared-table queries is charged once', async () => {
  const account = holder(s, 'max', 'hundred@example.test', NOW)
  const before = balanced(s.dir, account.accountId)
  const answers = await Promise.all(Array.from({ length: 100 }, () => s.query(EARNINGS, account.key, {}, DELTA)))
  const succeeded = answers.filter(({ statusCode }) => statusCode === 200)
  const charged = succeeded.reduce((sum, { headers }) => sum + Number(headers['x-credits-charged']), 0)
  expect(succeeded.length + answers.filter(({ statusCode }) => statusCode === 429).length).toBe(100)
  expect(succeeded.length).toBeGreaterThan(60)
  expect(balanced(s.dir, account.accountId)).toEqual({ requests: before.requests + succeeded.length, credits: before.credits + charged })
  expect(charged).toBe(succeeded.length * s.dataset('earnings').access!.credits)
})

it('a shared-table query without credits is refused with 402, which clients do not retry', async () => {
  const account = holder(s, 'pro', 'spent@example.test', NOW)
  await spend(s, account, PLANS.pro.creditsPerMonth, 1, NOW)
  const refused = await s.query(EARNINGS, account.key)
  expect([refused.statusCode, refused.json().errorCode]).toEqual([402, 'credits_exhausted'])
  expect((await s.ask(`${EARNINGS}/metadata`, account.key)).statusCode).toBe(200)
})

it('shares refuse a missing, unknown or revoked key, and file URLs of a revoked key stop working', async () => {
  expect((await s.app.inject({ url: SHARES })).json().errorCode).toBe('missing_api_key')
  expect((await s.ask(SHARES, 'sk_live_nonsense')).json().errorCode).toBe('invalid_api_key')
  const account = holder(s, 'pro', 'leaving@example.test', NOW)
  const [{ url }] = filesOf(await s.query(EARNINGS, account.key))
  const signed = url.slice('http://127.0.0.1'.length)
  expect((await s.app.inject({ url: signed })).statusCode).toBe(200)
  s.control.keys.revoke(account.accountId, s.control.keys.find(account.key, NOW)!.keyId, NOW)
  expect((await s.query(EARNINGS, account.key)).json().errorCode).toBe('revoked_api_key')
  expect((await s.app.inject({ url: signed })).statusCode).toBe(403)
})
