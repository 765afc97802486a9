import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SECRETS } from '../support.ts'
import { type Portal, portal, refused } from './portal.ts'

let p: Portal
let people = 0
beforeAll(async () => {
  p = await serving()
})
afterAll(() => p.close())

/** A portal whose only dataset needs the highest plan. */
async function serving(): Promise<Portal> {
  const made = await portal()
  await made.publish('bond-yield-curve', made.dataset('bond-yield-curve').example)
  return made
}
const admin = { authorization: `Bearer ${SECRETS.ADMIN_TOKEN}` }
const grant = (body: object | string) => p.send('POST', '/v2/admin/grant-plan', admin, body)
const someone = (): string => `someone${++people}@example.test`
const BOND = '/v2/datasets/bond-yield-curve?symbol=TWGB'
const planOf = async (key: string): Promise<string> =>
  (await p.send('GET', '/v2/account/entitlements', { 'x-api-key': key })).json().plan_id
const bond = async (key: string): Promise<number> => (await p.send('GET', BOND, { 'x-api-key': key })).statusCode

it('the error for a wrong admin token states that the token is wrong; the error for a missing token names the header', async () => {
  const errorFor = async (headers: Record<string, string>) => (await p.send('POST', '/v2/admin/grant-plan', headers, {})).json().error
  expect(await errorFor({ 'x-admin-token': 'another' })).toMatchObject({
    error_code: 'invalid_admin_token',
    error_message: expect.stringContaining('does not match the one configured'),
  })
  expect((await errorFor({})).error_message).toContain('x-admin-token')
})

describe('granting a plan', () => {
  it('a grant returns the account, the plan and a key that works immediately', async () => {
    const email = someone()
    const response = await grant({ email, plan_id: 'max', note: 'for the pilot' })
    expect([response.statusCode, response.headers['cache-control']]).toEqual([200, 'no-store'])
    const { api_key: key, ...answer } = response.json()
    expect(answer).toEqual({
      email,
      account_id: expect.stringMatching(/^acct_/),
      plan_id: 'max',
      expires_at: null,
      plan_source: 'grant',
      charged: false,
    })
    expect(key).toEqual({
      key_id: expect.stringMatching(/^key_/),
      name: 'grant of max',
      prefix: 'sk_live_',
      last4: key.api_key.slice(-4),
      status: 'active',
      plan_id: 'max',
      created_at: '2026-07-01T20:00:00.000+08:00',
      last_used_at: null,
      expires_at: null,
      revoked_at: null,
      api_key: expect.stringMatching(/^sk_live_[0-9A-Za-z]{38}$/),
    })
    expect(await bond(key.api_key)).toBe(200)
  })

  it('a grant takes effect immediately on the account’s existing keys', async () => {
    const email = someone()
    const owner = await p.signIn(email)
    expect(await bond(owner.apiKey!.api_key)).toBe(403)
    const { account_id, api_key } = (await grant({ email: email.toUpperCase(), plan_id: 'max' })).json()
    expect(account_id).toBe(owner.accountId)
    expect(await bond(owner.apiKey!.api_key)).toBe(200)
    expect(await bond(api_key.api_key)).toBe(200)
    expect((await p.as(owner, 'GET', 'account')).json()).toMatchObject({ plan_id: 'max', plan_source: 'grant', row_limit: 100_000 })
  })

  it('a grant replaces the previous grant, even with a lower plan', async () => {
    const email = someone()
    const plans = []
    for (const plan_id of ['max', 'pro', 'free', 'pro', 'max']) {
      const { api_key } = (await grant({ email, plan_id })).json()
      plans.push(await planOf(api_key.api_key))
    }
    expect(plans).toEqual(['max', 'pro', 'free', 'pro', 'max'])
  })

  it('a grant to a new address creates an account, and the owner of the address can later sign in to it', async () => {
    const email = someone()
    const { account_id } = (await grant({ email, plan_id: 'pro' })).json()
    const owner = await p.signIn(email)
    expect(owner.accountId).toBe(account_id)
    expect((await p.as(owner, 'GET', 'api-keys')).json().data_count).toBe(1)
  })

  it('a grant is audited with actor, details and request ID', async () => {
    const email = someone()
    const response = await grant({ email, plan_id: 'pro', note: 'why', expires_at: '2026-08-01T00:00:00Z' })
    const { account_id, api_key } = response.json()
    const common = {
      actor: 'admin',
      account_id,
      request_id: response.headers['x-request-id'],
      at: '2026-07-01T20:00:00.000+08:00',
    }
    expect(
      p.rows('SELECT actor, action, account_id, target, request_id, at, facts FROM audit_log WHERE account_id = ?', account_id),
    ).toEqual([
      { ...common, action: 'plan granted', target: null, facts: expect.any(String) },
      { ...common, action: 'key issued', target: api_key.key_id, facts: '{}' },
    ])
    const [granted] = p.rows("SELECT facts FROM audit_log WHERE account_id = ? AND action = 'plan granted'", account_id) as [
      { facts: string },
    ]
    expect(JSON.parse(granted.facts)).toEqual({ plan_id: 'pro', expires_at: '2026-08-01T08:00:00.000+08:00', note: 'why' })
  })
})

describe('a grant with an end', () => {
  it('an account returns to the free plan at the instant its grant expires, and its keys keep working', async () => {
    const other = await serving()
    const send = (body: object) => other.send('POST', '/v2/admin/grant-plan', admin, body)
    const email = someone()
    const key = (await send({ email, plan_id: 'max', expires_at: '2026-07-01T14:00:00+02:00' })).json().error
    expect(key).toMatchObject({ error_code: 'invalid_parameter' })
    const { api_key } = (await send({ email, plan_id: 'max', expires_at: '2026-07-01T15:00:00+02:00' })).json()
    const read = async () => {
      const { plan_id, row_limit } = (await other.send('GET', '/v2/account/entitlements', { 'x-api-key': api_key.api_key })).json()
      return [plan_id, row_limit, (await other.get(BOND, api_key.api_key)).statusCode]
    }
    expect(await read()).toEqual(['max', 100_000, 200])
    other.pass(60 - 1 / 60)
    expect(await read()).toEqual(['max', 100_000, 200])
    other.pass(1 / 60)
    expect(await read()).toEqual(['free', 1_000, 403])
    expect((await other.signIn(email)).answer['account']).toMatchObject({ plan_id: 'free', plan_source: 'free' })
    await other.close()
  })

  it('a grant without expires_at replaces a grant with expires_at', async () => {
    const email = someone()
    await grant({ email, plan_id: 'max', expires_at: '2026-07-02T00:00:00Z' })
    await grant({ email, plan_id: 'pro' })
    expect(p.rows('SELECT plan_id, expires_at FROM plan_grant g JOIN account a ON a.id = g.account_id WHERE a.email = ?', email)).toEqual([
      { plan_id: 'pro', expires_at: null },
    ])
  })
})

describe('refused grants', () => {
  const good = { email: 'refused@example.test', plan_id: 'pro' }
  it('the error of a refused grant lists every mistake once', async () => {
    const cases: readonly [string, object, readonly string[]][] = [
      [
        'every field wrong',
        { email: 'no address', plan_id: 'gold', note: 7, expires_at: '2026-06-30T00:00:00Z', charge: true },
        ['charge unknown_parameter', 'email email', 'expires_at range', 'note wrong_type', 'plan_id enum'],
      ],
      ['nothing', {}, ['email missing', 'plan_id missing']],
      [
        'no address and an end that is past',
        { ...good, email: '', expires_at: '2026-07-01T12:00:00Z' },
        ['email email', 'expires_at range'],
      ],
      [
        'no address and an end in the year 10000',
        { plan_id: 'pro', expires_at: '9999-12-31T23:00:00Z' },
        ['email missing', 'expires_at range'],
      ],
      ['an end of another form', { expires_at: 'tomorrow' }, ['email missing', 'expires_at timestamp', 'plan_id missing']],
    ]
    for (const [what, body, mistakes] of cases) {
      const answer = await grant(body)
      expect.soft(refused(answer), what).toEqual([422, 'invalid_parameter'])
      const listed = answer.json().detail.map(({ loc, type }: { loc: string[]; type: string }) => `${loc.slice(1).join('.')} ${type}`)
      expect.soft(listed.toSorted(), what).toEqual(mistakes)
    }
  })

  it('a grant with an invalid field is refused with the location of the field, and creates no account and no audit entry', async () => {
    const cases: readonly [string, unknown, readonly string[]][] = [
      ['an unknown field', { ...good, charge: true }, ['body', 'charge']],
      ['a field of the account', { ...good, account_id: 'acct_x' }, ['body', 'account_id']],
      ['no address', { plan_id: 'pro' }, ['body', 'email']],
      ['no plan', { email: good.email }, ['body', 'plan_id']],
      ['an unknown plan', { ...good, plan_id: 'enterprise' }, ['body', 'plan_id']],
      ['a list of plans', { ...good, plan_id: ['pro'] }, ['body', 'plan_id']],
      ['two addresses', { ...good, email: 'a@x.test, b@x.test' }, ['body', 'email']],
      ['a number for an address', { ...good, email: 7 }, ['body', 'email']],
      ['a long note', { ...good, note: 'n'.repeat(501) }, ['body', 'note']],
      ['an end in the past', { ...good, expires_at: '2026-06-30T00:00:00+08:00' }, ['body', 'expires_at']],
      ['an end at this instant', { ...good, expires_at: '2026-07-01T12:00:00Z' }, ['body', 'expires_at']],
      ['an end without a zone', { ...good, expires_at: '2027-01-01T00:00:00' }, ['body', 'expires_at']],
      ['a date for an end', { ...good, expires_at: '2027-01-01' }, ['body', 'expires_at']],
      ['a date that does not exist', { ...good, expires_at: '2027-02-30T00:00:00Z' }, ['body', 'expires_at']],
      ['a number for an end', { ...good, expires_at: 1_800_000_000 }, ['body', 'expires_at']],
      ['a list', [good], ['body']],
      ['no body', undefined, ['body', 'email']],
    ]
    const counts = () => p.rows('SELECT (SELECT count(*) FROM account) AS accounts, (SELECT count(*) FROM audit_log) AS audited')
    for (const [what, body, loc] of cases) {
      const before = counts()
      const response = await grant(body as object)
      expect.soft(refused(response), what).toEqual([422, 'invalid_parameter'])
      const detail = (response.json().detail ?? []) as readonly { readonly loc: unknown }[]
      expect
        .soft(
          detail.map(({ loc }) => loc),
          what,
        )
        .toContainEqual(loc)
      expect.soft(counts(), what).toEqual(before)
    }
  })

  it('a grant that ends in the year 10000 in Taipei is refused, and the error names the year', async () => {
    const response = await grant({ ...good, expires_at: '9999-12-31T23:59:59Z' })
    expect([response.statusCode, response.json().detail[0].msg]).toEqual([422, expect.stringContaining('year 10000')])
    const last = { ...good, email: someone(), expires_at: '9999-12-31T15:59:59Z' }
    expect((await grant(last)).statusCode).toBe(200)
  })

  it('if the audit entry of a grant cannot be written, the grant creates no account', async () => {
    const email = someone()
    p.tamper("CREATE TRIGGER refuse BEFORE INSERT ON audit_log WHEN NEW.action = 'key issued' BEGIN SELECT RAISE(ABORT, 'no'); END")
    expect(refused(await grant({ email, plan_id: 'pro' }))).toEqual([500, 'internal'])
    p.tamper('DROP TRIGGER refuse')
    expect(p.rows('SELECT id FROM account WHERE email = ?', email)).toEqual([])
  })
})

it('S5: no log line contains a key, code or token', () => expect(p.leaked()).toEqual([]))
