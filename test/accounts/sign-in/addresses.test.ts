import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Portal, portal, refused } from '../portal.ts'

let p: Portal
beforeAll(async () => {
  p = await portal()
})
afterAll(() => p.close())

/** Domains that people take for another one, also in the ASCII spelling that mail servers use. */
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

describe('O4: text that is not one plain address', () => {
  it.each<unknown>([
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
    ...LOOK_ALIKES,
    null,
    7,
    true,
    ['a@x.test'],
    { address: 'a@x.test' },
    undefined,
  ])('%j is refused, and nothing is sent', async email => {
    const response = await p.start(email)
    expect(refused(response)).toEqual([422, 'invalid_parameter'])
    expect(response.json().detail).toMatchObject([{ loc: ['body', 'email'], msg: expect.stringContaining('one plain address') }])
    expect(p.rows('SELECT count(*) AS n FROM mail_outbox')).toEqual([{ n: 0 }])
    for (const table of ['onboarding_code', 'onboarding_flow']) expect(p.rows(`SELECT count(*) AS n FROM ${table}`)).toEqual([{ n: 0 }])
    await p.deliver()
    expect(p.post.mails).toEqual([])
  })
})

describe('O4: a refused address is told what to mend', () => {
  const told = async (email: unknown): Promise<string> => (await p.start(email)).json().detail[0].msg
  it.each(LOOK_ALIKES)('%s: its letters', async email => expect(await told(email)).toContain('look like Latin'))
  it.each(['a@x.test/path', 'a@x.te\tst', 'a@x.t%65st', 'a@x.test:25', 'a@127.0.0.1'])('%j: what stands after the @', async email => {
    expect(await told(email)).toContain('without a path, port, blank or percent sign')
  })
})

describe('an unusual but valid address', () => {
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
  ])('%j is written to, and nobody else', async (typed, address) => {
    const before = p.post.mails.length
    expect((await p.start(typed)).statusCode).toBe(200)
    await p.deliver()
    expect(p.post.mails.slice(before)).toMatchObject([{ to: [address] }])
    expect(p.post.mails.at(-1)!.head).not.toMatch(/^(Bcc|Cc):/im)
    p.pass(2)
  })

  it('signs in like any other', async () => {
    const { flow_id } = (await p.start("o'brien@example.test")).json()
    expect((await p.complete(flow_id, await p.codeFor("o'brien@example.test"))).json().account.email).toBe("o'brien@example.test")
  })
})
