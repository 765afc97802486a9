import { once } from 'node:events'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openControl, readEmail } from '../../../src/accounts/index.ts'
import { openState } from '../../../src/accounts/state/db.ts'
import { readConfig } from '../../../src/core/index.ts'
import { type Serving, serving } from '../../fixtures/cli/twmd.ts'
import { type Control, controlOf } from '../../fixtures/provider/client.ts'
import { startProvider } from '../../fixtures/provider/server.ts'
import { dataFolder, SECRETS } from '../../support.ts'
import { connect, paidEnvironment, type Shop, STRIPE_KEY, shop, until } from './shop.ts'

const SYNC = '/v1/subscriptions/'

describe('P6: the process is killed between storing an event and applying it', () => {
  let provider: Control
  let closeProvider: () => Promise<void>
  let home: Awaited<ReturnType<typeof dataFolder>>
  let service: Serving
  let env: Record<string, string>

  const start = async (): Promise<void> => {
    service = await serving(home.dir, 'serve', env)
    await connect(provider, service.url)
  }
  const kill = async (): Promise<void> => {
    service.child.kill('SIGKILL')
    if (service.child.exitCode === null && service.child.signalCode === null) await once(service.child, 'exit')
  }
  /** Rows of the state file, seen by this process. */
  const rows = <T>(sql: string): readonly T[] => {
    const db = openState(`${home.dir}/state.sqlite`)
    try {
      return db.prepare<[], T>(sql).all()
    } finally {
      db.close()
    }
  }
  const states = () =>
    rows<{ state: string; attempts: number }>("SELECT state, attempts FROM payment_event WHERE type = 'customer.subscription.created'")
  const post = async (path: string, token: string, body: object) => {
    const headers = { 'x-self-serve-token': token, 'content-type': 'application/json' }
    return (await fetch(`${service.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })).json() as Promise<
      Record<string, string>
    >
  }
  const planOf = async (key: string): Promise<string> =>
    ((await (await fetch(`${service.url}/v2/account/entitlements`, { headers: { 'x-api-key': key } })).json()) as { plan_id: string })
      .plan_id

  beforeEach(async () => {
    const running = await startProvider({ secretKey: STRIPE_KEY })
    closeProvider = running.close
    provider = controlOf(running.url)
    home = await dataFolder()
    env = { ...paidEnvironment(home.dir, provider.url), ...SECRETS }
    await start()
  })
  afterEach(async () => {
    await kill()
    await closeProvider()
    await home.remove()
  })

  /** Somebody who signed in, made while the service runs. */
  const member = () => {
    const control = openControl(readConfig(env), SECRETS)
    const now = new Date()
    const { id } = control.accounts.ensure(readEmail('buyer@example.test')!, now)
    const made = { token: control.sessions.open(id, now).token, key: control.keys.issue(id, 'before', now).secret }
    control.close()
    return made
  }

  it('the event was acknowledged, is applied after the next start, and only once', async () => {
    const { token, key } = member()
    const { session_id } = await post('/v2/billing/checkout-session', token, { plan_id: 'pro' })
    // The provider never answers, so nothing that is stored can be applied.
    await provider.trouble({ times: 'until told', slowMs: 600_000, path: SYNC })
    const { deliveries } = await provider.complete(session_id!)
    expect(deliveries.map(({ status, answer }) => [status, JSON.parse(answer).duplicate])).toEqual(Array(6).fill([200, false]))
    expect(await planOf(key)).toBe('free')
    await kill()
    expect(states()).toEqual([{ state: 'new', attempts: 0 }])
    await provider.trouble(null)
    await start()
    await until('every event is applied', () => rows("SELECT 1 FROM payment_event WHERE state = 'new'").length === 0)
    expect(await planOf(key)).toBe('pro')
    expect(states()).toEqual([{ state: 'done', attempts: 1 }])
    const again = await provider.sendAgain(deliveries[1]!.event)
    expect(again.deliveries.map(({ answer }) => JSON.parse(answer).duplicate)).toEqual([true])
    expect(rows('SELECT 1 FROM payment_event')).toHaveLength(7)
    expect(rows('SELECT 1 FROM subscription')).toHaveLength(1)
  })

  it('with the provider still down at the start: it is tried again until it is back', async () => {
    const { token, key } = member()
    const { session_id } = await post('/v2/billing/checkout-session', token, { plan_id: 'max' })
    await provider.trouble({ times: 'until told', slowMs: 600_000, path: SYNC })
    await provider.delivery({ drop: 'all' })
    await provider.complete(session_id!)
    await provider.delivery({})
    const created = (await provider.events()).find(({ type }) => type === 'customer.subscription.created')!
    await provider.sendAgain(created.id)
    await kill()
    await provider.trouble({ times: 'until told', status: 503, path: SYNC })
    await start()
    await until('it was tried in vain', () => states()[0]?.attempts === 1)
    expect([states()[0]!.state, await planOf(key)]).toEqual(['new', 'free'])
    await provider.trouble(null)
    await until('it is applied', () => states()[0]?.state === 'done')
    expect(await planOf(key)).toBe('max')
  })

  it.each([
    ['', () => {}],
    [
      ', also by a clock that was ahead when the provider was last asked, and put back',
      () => void rows('UPDATE payment_catch_up SET at = at + 31 * 86400 RETURNING at'),
    ],
  ])('what happened while no service ran is found at the next start, with no webhook at all%s', async (_, putBack) => {
    const { token, key } = member()
    const { session_id } = await post('/v2/billing/checkout-session', token, { plan_id: 'pro' })
    await until('the provider was asked what was missed', () => rows('SELECT at FROM payment_catch_up').length === 1)
    await kill()
    putBack()
    await provider.delivery({ drop: 'all' })
    await provider.complete(session_id!)
    await provider.delivery({})
    expect(rows("SELECT 1 FROM payment_event WHERE type <> 'customer.created'")).toEqual([])
    await start()
    await until('every event is found and applied', () => rows("SELECT 1 FROM payment_event WHERE state = 'done'").length === 3)
    expect(await planOf(key)).toBe('pro')
  })

  it('a service asked to stop while the provider does not answer stops, and loses nothing', async () => {
    const { token, key } = member()
    const { session_id } = await post('/v2/billing/checkout-session', token, { plan_id: 'pro' })
    await provider.trouble({ times: 'until told', slowMs: 600_000, path: SYNC })
    await provider.complete(session_id!)
    service.child.kill('SIGTERM')
    // Three times its time limit would be longer: the call is broken off.
    await until('the process ends', () => service.child.exitCode !== null, 9_000)
    expect([service.child.exitCode, service.output().includes('"stopped"')]).toEqual([0, true])
    expect(states()).toEqual([{ state: 'new', attempts: 0 }])
    await provider.trouble(null)
    await start()
    await until('every event is applied', () => rows("SELECT 1 FROM payment_event WHERE state = 'new'").length === 0)
    expect(await planOf(key)).toBe('pro')
  })
})

describe('P6: the provider is down for five minutes', () => {
  let s: Shop
  beforeAll(async () => {
    s = await shop()
  })
  afterAll(() => s.close())

  const MINUTE_MS = 60_000
  const waiting = () => s.rows<{ attempts: number; error: string }>("SELECT attempts, error FROM payment_event WHERE state = 'new'")

  it('events are taken meanwhile, tried now and then, and applied once it is back', async () => {
    const member = s.member()
    const { session_id } = (await s.checkout(member)).json
    await s.provider.trouble({ times: 'until told', status: 503, path: SYNC })
    await s.provider.delivery({ drop: 'all' })
    await s.provider.complete(session_id)
    await s.provider.delivery({})
    const { id } = (await s.provider.events()).findLast(({ type }) => type === 'invoice.paid')!
    const { deliveries } = await s.provider.sendAgain(id)
    expect(deliveries[0]!.status).toBe(200)
    for (let attempts = 1; attempts <= 3; attempts++) {
      await until(`it was tried ${attempts} times`, () => waiting()[0]?.attempts === attempts)
      expect(await s.planOf(member)).toBe('free')
      s.pass(MINUTE_MS)
    }
    s.pass(2 * MINUTE_MS)
    await s.provider.trouble(null)
    await s.settled()
    expect(await s.planOf(member)).toBe('pro')
    expect(s.rows('SELECT attempts, error, state FROM payment_event WHERE id = ?', id)).toEqual([
      { attempts: expect.any(Number), error: null, state: 'done' },
    ])
  })

  it('an error that only looks like the end of a subscription is not taken for one', async () => {
    const member = s.member()
    await s.provider.trouble({ times: 'until told', status: 404, path: SYNC })
    await s.provider.complete((await s.checkout(member)).json.session_id)
    await until('every event was tried', () => waiting().length === 3 && waiting().every(({ attempts }) => attempts === 1))
    await s.provider.trouble(null)
    s.pass(MINUTE_MS)
    await s.settled()
    expect(await s.planOf(member)).toBe('pro')
  })

  it('an event that cannot be applied holds up no other', async () => {
    const [stuck, free] = [s.member(), s.member()]
    const first = await s.buy(stuck)
    await s.provider.trouble({ times: 'until told', status: 503, path: `${SYNC}${first}` })
    await s.provider.cancel(first)
    await s.provider.complete((await s.checkout(free)).json.session_id)
    await until('the other one has the plan', () => s.keptPlan(free) === 'pro')
    expect(await s.planOf(stuck)).toBe('pro')
    await s.provider.trouble(null)
    s.pass(MINUTE_MS)
    await s.settled()
    expect(await s.planOf(stuck)).toBe('free')
  })

  it('a state file that refuses to be written ends neither the service nor the event', async () => {
    const member = s.member()
    const { session_id } = (await s.checkout(member)).json
    await s.provider.trouble({ times: 1, slowMs: 300, path: SYNC })
    await s.provider.complete(session_id)
    s.service.control.db.pragma('query_only = ON')
    await until('it was noticed', () => s.logged('failed').some(({ during }) => during === 'applying payment events'))
    expect((await s.call('GET', '/healthz')).status).toBe(200)
    expect(await s.planOf(member)).toBe('free')
    s.service.control.db.pragma('query_only = OFF')
    s.pass(MINUTE_MS)
    await s.settled()
    expect(await s.planOf(member)).toBe('pro')
  })
})
