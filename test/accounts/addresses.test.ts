import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Portal, portal, refused } from './portal.ts'

let p: Portal
beforeAll(async () => {
  p = await portal()
})
afterAll(() => p.close())

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
    'a@аррӏе.com',
    'a@pаypal.com',
    'a@paypaӏ.com',
    'a@αβγ.com',
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

describe('an unusual but valid address', () => {
  it.each([
    ['first.last+tag@mail.example.test', 'first.last+tag@mail.example.test'],
    ["o'brien@example.test", "o'brien@example.test"],
    ['  spaced@example.test \r\n', 'spaced@example.test'],
    ['user@EXAMPLE.Test', 'user@example.test'],
    ['user@例え.jp', 'user@xn--r8jz45g.jp'],
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
