import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Portal, portal, refusalOf, refused } from '../portal.ts'

let p: Portal
beforeAll(async () => {
  p = await portal()
})
afterAll(() => p.close())

/** A response without ids and times. */
const shapeOf = (response: Awaited<ReturnType<Portal['start']>>) => ({
  status: response.statusCode,
  headers: Object.fromEntries(Object.entries(response.headers).filter(([name]) => !['x-request-id', 'date'].includes(name))),
  body: { ...response.json(), flow_id: response.json().flow_id.replace(/_.*/, `_${response.json().flow_id.length}`) },
})
const without = (body: string): string => body.replace(/req_[0-9a-z]{26}/g, 'req')
const wrong = (code: string): string => String((Number(code) + 1) % 1e8).padStart(8, '0')

describe('starting a sign-in', () => {
  it('O1: a sign-in start has the same answer for new, known, granted and closed addresses, and each gets a code', async () => {
    await p.signIn('known@example.test')
    p.keyOn('max', 'granted@example.test')
    const gone = await p.signIn('closed@example.test')
    expect((await p.as(gone, 'DELETE', 'account')).statusCode).toBe(200)
    p.pass(2)
    const shapes = []
    for (const name of ['new', 'known', 'granted', 'closed']) shapes.push(shapeOf(await p.start(`${name}@example.test`)))
    expect(shapes[0]).toEqual({
      status: 200,
      headers: expect.objectContaining({ 'cache-control': 'no-store', 'content-type': 'application/json; charset=utf-8' }),
      body: { flow_id: 'flow_31', status: 'code_sent', expires_in: 600, resend_after: 60 },
    })
    for (const shape of shapes) expect(shape).toEqual(shapes[0])
    const before = p.post.mails.length
    await p.deliver()
    expect(p.post.mails.slice(before).map(({ to }) => to[0])).toEqual(
      ['new', 'known', 'granted', 'closed'].map(name => `${name}@example.test`),
    )
  })

  it('O1: the answer to a sign-in start is the same when the address has reached its mail limit', async () => {
    const outline = async () => {
      const { status, headers, body } = shapeOf(await p.start('often@example.test'))
      return { status, headers: Object.keys(headers), fields: Object.keys(body), said: body.status }
    }
    const first = await outline()
    for (let count = 2; count <= 9; count++) {
      expect(await outline()).toEqual(first)
      p.pass(1.1)
    }
  })

  it('the code mail is in the requested locale, or in English for an unsupported locale', async () => {
    await p.start('zh@example.test', { locale: 'zh-TW' })
    await p.start('zh-small@example.test', { locale: 'zh-tw' })
    await p.start('de@example.test', { locale: 'de' })
    await p.deliver()
    const [zh, small, de] = p.post.mails.slice(-3)
    for (const mail of [zh, small]) expect(mail!.text).toMatch(/^您的驗證碼是 \d{8}。/)
    expect(zh!.head).toMatch(/^Subject: =\?UTF-8\?/m)
    expect(de!.text).toMatch(/^Your code is \d{8}\./)
  })

  it.each([
    ['zh-TW,zh;q=0.9,en;q=0.8', undefined, /^您的驗證碼是 \d{8}。/],
    ['en-GB,en;q=0.9,zh-TW;q=0.1', undefined, /^Your code is \d{8}\./],
    ['zh-TW', 'en', /^Your code is \d{8}\./],
    ['en', 'zh-Hant-TW', /^您的驗證碼是 \d{8}。/],
  ])('the code mail follows Accept-Language %s unless locale=%s overrides it', async (language, locale, text) => {
    const body = { email: `reader-${language.slice(0, 2)}-${locale}@example.test`, locale }
    expect((await p.send('POST', '/v2/self-serve/onboarding/start', { 'accept-language': language }, body, '10.9.8.7')).statusCode).toBe(
      200,
    )
    await p.deliver()
    const mail = p.post.mails.at(-1)!
    expect(mail.text).toMatch(text)
    expect(/[a-z]{5}/.test(mail.text) && /您/.test(mail.text)).toBe(false)
  })

  it.each([undefined, '*', 'fr-CA, ja;q=0.5'])('the code mail is in both languages with Accept-Language %s', async language => {
    const headers: Record<string, string> = language === undefined ? {} : { 'accept-language': language }
    await p.send('POST', '/v2/self-serve/onboarding/start', headers, { email: 'either@example.test' }, '10.9.8.6')
    await p.deliver()
    const { head, text } = p.post.mails.at(-1)!
    const [, code] = /^Your code is (\d{8})\./.exec(text)!
    expect(text).toContain(`您的驗證碼是 ${code}。`)
    expect(head).toMatch(/^Subject: =\?UTF-8\?/m)
    expect((await p.signIn('either@example.test')).token).toMatch(/^sst_/)
  })
})

describe('completing a sign-in', () => {
  it('completing a sign-in returns the token, its expiry, the account and the first key', async () => {
    const { flow_id } = (await p.start('Fresh@Example.TEST')).json()
    const response = await p.complete(flow_id, ` ${await p.codeFor('Fresh@example.test')} `)
    expect([response.statusCode, response.headers['cache-control']]).toEqual([200, 'no-store'])
    const { self_serve_token, expires_at, account, api_key, ...more } = response.json()
    expect(more).toEqual({})
    expect(self_serve_token).toMatch(/^sst_[\w-]{43}$/)
    expect(Date.parse(expires_at) - p.now().getTime()).toBe(7 * 86_400_000)
    expect(account).toMatchObject({
      account_id: expect.stringMatching(/^acct_[0-9a-hjkmnp-tv-z]{26}$/),
      email: 'Fresh@example.test',
      account_status: 'active',
      plan_id: 'free',
    })
    expect(api_key).toMatchObject({ name: 'first key', status: 'active', api_key: expect.stringMatching(/^sk_live_/) })
  })

  it('signing in ignores the case of the address', async () => {
    const { accountId } = await p.signIn('case@example.test')
    expect((await p.signIn('CASE@EXAMPLE.test')).accountId).toBe(accountId)
  })

  it('O2: every failed sign-in returns the same error', async () => {
    const begin = async (email: string) => {
      const { flow_id } = (await p.start(email)).json()
      return { flow: flow_id as string, code: await p.codeFor(email) }
    }
    const [used, late, replaced, live] = [
      await begin('used@example.test'),
      await begin('late@example.test'),
      await begin('replaced@example.test'),
      await begin('live@example.test'),
    ]
    expect((await p.complete(used.flow, used.code)).statusCode).toBe(200)
    p.pass(2)
    const newer = await begin('replaced@example.test')
    p.pass(8)
    const failures = [
      await p.complete('flow_00000000000000000000000000', live.code),
      await p.complete('', live.code),
      await p.complete("' OR 1=1--", live.code),
      await p.complete(used.flow, used.code),
      await p.complete(late.flow, late.code),
      await p.complete(replaced.flow, replaced.code),
      await p.complete(newer.flow, live.code),
      await p.complete(newer.flow, wrong(newer.code)),
    ]
    for (const failure of failures) expect(refused(failure)).toEqual([401, 'invalid_or_expired_code'])
    expect(new Set(failures.map(({ body }) => without(body))).size).toBe(1)
    expect((await p.complete(newer.flow, newer.code)).statusCode).toBe(200)
  })

  it.each([
    [4, 200],
    [5, 401],
    [6, 401],
  ])('O2: after %i wrong codes, the right code gets status %i', async (tries, status) => {
    const email = `tries${tries}@example.test`
    const { flow_id } = (await p.start(email)).json()
    const code = await p.codeFor(email)
    const answers = []
    for (let count = 0; count < tries; count++) answers.push(await p.complete(flow_id, wrong(code)))
    for (const answer of answers) expect(refused(answer)).toEqual([401, 'invalid_or_expired_code'])
    const last = await p.complete(flow_id, code)
    expect(last.statusCode).toBe(status)
    if (status === 401) expect(without(last.body)).toBe(without(answers[0]!.body))
  })

  it('the error for a wrong code states the number of attempts per sign-in', async () => {
    const { flow_id } = (await p.start('mistyping@example.test')).json()
    const code = await p.codeFor('mistyping@example.test')
    const { error } = (await p.complete(flow_id, wrong(code))).json()
    expect(error.error_message).toMatch(/five attempts per sign-in\), or request another code/)
    expect((await p.complete(flow_id, code)).statusCode).toBe(200)
  })

  it('O2: a code works until the last second of ten minutes', async () => {
    const { flow_id } = (await p.start('slow@example.test')).json()
    const code = await p.codeFor('slow@example.test')
    p.pass(10 - 1 / 60)
    expect((await p.complete(flow_id, code)).statusCode).toBe(200)
  })

  it('O5: twenty concurrent requests with one code open one session', async () => {
    const { flow_id } = (await p.start('parallel@example.test')).json()
    const code = await p.codeFor('parallel@example.test')
    const answers = await Promise.all(Array.from({ length: 20 }, () => p.complete(flow_id, code)))
    expect(answers.filter(({ statusCode }) => statusCode === 200)).toHaveLength(1)
    for (const answer of answers.filter(({ statusCode }) => statusCode !== 200))
      expect(refused(answer)).toEqual([401, 'invalid_or_expired_code'])
    expect(
      p.rows("SELECT count(*) AS n FROM session s JOIN account a ON a.id = s.account_id WHERE a.email = 'parallel@example.test'"),
    ).toEqual([{ n: 1 }])
  })

  it.each(['1234567', '123456789', '12345678x', '１２３４５６７８', '', '12 34 56 78', '-1234567'])(
    'the sign-in refuses the code %j, which is not eight digits, without repeating it',
    async code => {
      const response = await p.complete('flow_x', code)
      expect(refused(response)).toEqual([422, 'invalid_parameter'])
      expect(response.json().detail).toMatchObject([{ loc: ['body', 'code'] }])
      if (code) expect(response.body).not.toContain(code)
    },
  )

  it('completing a sign-in refuses a malformed body', async () => {
    const send = (payload: string) =>
      p.app.inject({
        method: 'POST',
        url: '/v2/self-serve/onboarding/complete',
        headers: { 'content-type': 'application/json' },
        payload,
      })
    expect(refusalOf(await send('{"flow_id":'))).toBe('malformed_request')
    expect(refusalOf(await send('[]'))).toBe('invalid_parameter')
    expect(refusalOf(await send('{"__proto__":{"code":"12345678"}}'))).toBe('malformed_request')
  })
})

it('an address that never completed its sign-in is deleted after a day', async () => {
  await p.start('never@example.test')
  await p.deliver()
  p.pass(24 * 60)
  await p.start('next@example.test')
  for (const table of ['onboarding_code', 'onboarding_flow'])
    expect(p.rows(`SELECT email_key FROM ${table} WHERE email_key LIKE 'never@%'`)).toEqual([])
  expect(p.rows("SELECT to_address FROM mail_outbox WHERE to_address LIKE 'never@%'")).toEqual([])
  expect(p.stolen()).toContain('next@example.test')
})

it('S5: no log line of the sign-in tests contains a key, code or token', () => expect(p.leaked()).toEqual([]))
