import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Portal, portal, refusalOf } from '../portal.ts'

let p: Portal
beforeAll(async () => {
  p = await portal()
})
afterAll(() => p.close())

/** Domains that look like another domain, also in the ASCII spelling that mail servers use. */
const LOOK_ALIKES = [
  'a@аррӏе.com',
  'a@xn--80ak6aa92e.com',
  'A@XN--80AK6AA92E.COM',
  'a@pаypal.com',
  'a@xn--pypal-4ve.com',
  'a@mail.xn--pypal-4ve.com',
  'a@paypaӏ.com',
  'a@paypaı.com',
  'a@ɡoogle.com',
  'a@xn--oogle-qmc.com',
  'a@αβγ.com',
  'a@օո.com',
  'a@ᎪᏢᏢ.com',
  'a@exampleไทย.com',
]

const NOT_AN_ADDRESS: readonly unknown[] = [
  'a@x.test\r\nBcc: e@x.test',
  'a@x.test\nBcc: e@x.test',
  'a\r\n@x.test',
  'a@x.test%0d%0aBcc: e@x.test',
  'a@x.test, b@x.test',
  'a@x.test;b@x.test',
  'a@x.test b@x.test',
  'a@x.test,b@y.test',
  '<a@x.test>',
  'A <a@x.test>',
  '"a b"@x.test',
  '"a@x.test"@y.test',
  "a@x.test'--",
  'a@x@y.test',
  '@x.test',
  'a@',
  'a',
  '',
  ' ',
  'a@localhost',
  'a@.test',
  'a@x..test',
  'a@-x.test',
  'a@x-.test',
  'a@x_y.test',
  'a@[127.0.0.1]',
  'a@127.0.0.1',
  'a@0x7f.1',
  'a@x.1',
  'a(comment)@x.test',
  'a\0@x.test',
  'a@x.test\0',
  'a\u202e@x.test',
  'ä@x.test',
  `${'a'.repeat(65)}@x.test`,
  `a@${'x'.repeat(64)}.test`,
  `${'a'.repeat(50)}@${'x'.repeat(50)}.${'y'.repeat(50)}.${'z'.repeat(50)}.${'w'.repeat(50)}.test`,
  `a@${'x.'.repeat(150)}test`,
  'a@x.test/path',
  'a@x.test?query',
  'a@x.test#fragment',
  'a@x.test:25',
  'a@x.test\\y',
  'a@x.te\tst',
  'a@x.te\u00adst',
  'a@x.t%65st',
  'a@℀.test',
  'a@xn--a.test',
  'a@😀.test',
  'a@xn--e28h.test',
  null,
  7,
  true,
  ['a@x.test'],
  { address: 'a@x.test' },
  undefined,
]

/**
 * Starts a sign-in and checks that it is refused and that no mail is written.
 * @returns the error message
 */
async function refusedStart(email: unknown): Promise<string> {
  const response = await p.start(email)
  expect.soft(response.statusCode, `status for ${JSON.stringify(email)}`).toBe(422)
  if (response.statusCode !== 422) return ''
  expect.soft(refusalOf(response), `error code for ${JSON.stringify(email)}`).toBe('invalid_parameter')
  const [{ loc, msg }] = response.json().detail
  expect.soft(loc, `field refused for ${JSON.stringify(email)}`).toEqual(['body', 'email'])
  expect.soft(msg, `message for ${JSON.stringify(email)}`).toContain('one plain address')
  for (const table of ['mail_outbox', 'onboarding_code', 'onboarding_flow'])
    expect.soft(p.rows(`SELECT count(*) AS n FROM ${table}`), `rows in ${table} after ${JSON.stringify(email)}`).toEqual([{ n: 0 }])
  return String(msg)
}

it('O4: the sign-in refuses text that is not one plain address and writes no mail', async () => {
  for (const email of NOT_AN_ADDRESS) await refusedStart(email)
  await p.deliver()
  expect(p.post.mails).toEqual([])
})

it('O4: the sign-in refuses domains with look-alike letters and names the reason', async () => {
  for (const email of LOOK_ALIKES) expect.soft(await refusedStart(email), email).toContain('look-alikes of Latin')
})

it('O4: the error for a domain with a path, port, blank or percent sign names the problem', async () => {
  for (const email of ['a@x.test/path', 'a@x.te\tst', 'a@x.t%65st', 'a@x.test:25', 'a@127.0.0.1'])
    expect.soft(await refusedStart(email), email).toContain('without a path, port, space or percent sign')
})

describe('unusual but valid addresses', () => {
  it.each([
    ['first.last+tag@mail.example.test', 'first.last+tag@mail.example.test'],
    ["o'brien@example.test", "o'brien@example.test"],
    ['  spaced@example.test \r\n', 'spaced@example.test'],
    ['user@EXAMPLE.Test', 'user@example.test'],
    ['user@例え.jp', 'user@xn--r8jz45g.jp'],
    ['user@xn--r8jz45g.jp', 'user@xn--r8jz45g.jp'],
    ['user@bücher.example.test', 'user@xn--bcher-kva.example.test'],
    ['user@台積電tw.example.test', 'user@xn--tw-4k6c086l473a.example.test'],
    ['user@ไทย.example.test', 'user@xn--o3cw4h.example.test'],
    ['user@ｅｘａｍｐｌｅ.ｔｅｓｔ', 'user@example.test'],
    ['=?utf-8?q?e=40evil.test?=@example.test', '=?utf-8?q?e=40evil.test?=@example.test'],
    [`${'a'.repeat(64)}@example.test`, `${'a'.repeat(64)}@example.test`],
  ])('the code for %j is mailed to %s only', async (typed, address) => {
    const before = p.post.mails.length
    expect((await p.start(typed)).statusCode).toBe(200)
    await p.deliver()
    expect(p.post.mails.slice(before)).toMatchObject([{ to: [address] }])
    expect(p.post.mails.at(-1)!.head).not.toMatch(/^(Bcc|Cc):/im)
    p.pass(2)
  })

  it('an address with an apostrophe can sign in', async () => {
    const { flow_id } = (await p.start("o'brien@example.test")).json()
    expect((await p.complete(flow_id, await p.codeFor("o'brien@example.test"))).json().account.email).toBe("o'brien@example.test")
  })
})
