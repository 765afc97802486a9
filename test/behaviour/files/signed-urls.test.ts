import { afterAll, beforeAll, expect, it } from 'vitest'
import { NOW, service, type TestService } from '../../support.ts'
import { FREE, PAID, signedUrl } from './signed.ts'

let s: TestService
let now = NOW
beforeAll(async () => {
  s = await service({ now: () => now, inMemory: false })
})
afterAll(() => s.close())

const errorOf = (response: { json(): { error: { error_code: string } } }) => response.json().error.error_code

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
/** A signature that differs only in the unused bits of its last character. */
const twinOf = (sig: string): string => sig.slice(0, -1) + BASE64URL[BASE64URL.indexOf(sig.at(-1)!) + 1]

it('a signed URL expires after an hour with expired_file_url', async () => {
  const url = signedUrl(s, s.keyOn('free'), FREE)
  now = new Date(NOW.getTime() + 3_599_000)
  expect((await s.get(url)).statusCode).toBe(200)
  now = new Date(NOW.getTime() + 3_600_000)
  const response = await s.get(url)
  now = NOW
  expect([response.statusCode, errorOf(response)]).toEqual([403, 'expired_file_url'])
})

it('a signed URL is refused once any of its parts is changed, removed or added', async () => {
  const [key, other] = [s.keyOn('max'), s.keyOn('max', 'other@example.test')]
  const url = new URL(signedUrl(s, key, PAID), 'http://x')
  const changed = (name: string, value: string | null) => {
    const copy = new URL(url)
    if (value === null) copy.searchParams.delete(name)
    else copy.searchParams.set(name, value)
    return `${copy.pathname}${copy.search}`
  }
  const foreign = new URL(signedUrl(s, key, FREE), 'http://x')
  const otherId = s.control.keys.find(other, s.now())!.keyId
  for (const forged of [
    `${url.pathname}${foreign.search}`,
    `${foreign.pathname}${url.search}`,
    changed('se', String(Number(url.searchParams.get('se')) + 1)),
    changed('se', null),
    changed('sp', 'rw'),
    changed('sp', null),
    changed('k', otherId),
    changed('k', null),
    changed('sig', 'AAAA'),
    changed('sig', ''),
    changed('limit', '1'),
    `${changed('sp', 'r')}&sig=x`,
  ]) {
    const response = await s.get(forged)
    expect([response.statusCode, errorOf(response)], forged).toEqual([403, 'invalid_file_url'])
  }
})

it('a signed URL is refused if its signature is replaced by another text that decodes to the same bytes', async () => {
  const url = new URL(signedUrl(s, s.keyOn('free'), FREE), 'http://x')
  const sig = url.searchParams.get('sig')!
  for (const text of [twinOf(sig), `${sig}=`, `${sig}\n`, `${sig}!`]) {
    expect(Buffer.from(text, 'base64url').equals(Buffer.from(sig, 'base64url')), text).toBe(true)
    url.searchParams.set('sig', text)
    const response = await s.get(`${url.pathname}${url.search}`)
    expect([response.statusCode, errorOf(response)], text).toEqual([403, 'invalid_file_url'])
  }
})

it('a signed URL is refused as soon as its key is revoked or its plan is too low', async () => {
  const key = s.keyOn('max', 'ends@example.test')
  const { accountId, keyId } = s.control.keys.find(key, s.now())!
  const url = signedUrl(s, key, PAID)
  expect((await s.get(url)).statusCode).toBe(200)
  s.control.accounts.grantPlan(accountId, 'free', {}, s.now())
  const lower = await s.get(url)
  expect([lower.statusCode, errorOf(lower), lower.json().error.required_plan]).toEqual([403, 'plan_required', 'max'])
  s.control.accounts.grantPlan(accountId, 'max', {}, s.now())
  expect((await s.get(url)).statusCode).toBe(200)
  s.control.keys.revoke(accountId, keyId, s.now())
  const revoked = await s.get(url)
  expect([revoked.statusCode, errorOf(revoked)]).toEqual([403, 'revoked_file_url'])
})

it('a signed URL is refused once its key has expired', async () => {
  const account = s.control.accounts.byId(s.control.keys.find(s.keyOn('free'), s.now())!.accountId, s.now())!
  const { secret } = s.control.keys.issue(account.id, 'short', s.now(), '2026-07-01T20:30:00+08:00')
  const url = signedUrl(s, secret, FREE)
  expect((await s.get(url)).statusCode).toBe(200)
  now = new Date('2026-07-01T12:31:00Z')
  const response = await s.get(url)
  now = NOW
  expect([response.statusCode, errorOf(response)]).toEqual([403, 'revoked_file_url'])
})

it('the log contains no signature of a signed URL', async () => {
  const url = signedUrl(s, s.keyOn('free'), FREE)
  const signature = new URL(url, 'http://x').searchParams.get('sig')!
  await s.get(url)
  await s.get(`${url}&more=1`)
  await s.get(url.replace(FREE, PAID))
  await expect.poll(() => s.lines.filter(line => line.includes('"file"')).length).toBeGreaterThan(0)
  expect(s.lines.filter(line => line.includes(signature) || line.includes('sig='))).toEqual([])
})
