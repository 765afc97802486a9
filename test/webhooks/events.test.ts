import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { PLANS } from '../../catalog/index.ts'
import { serveAgain } from '../../ingest/publish/index.ts'
import { taipei } from '../../src/core/index.ts'
import { refused } from '../accounts/portal.ts'
import { day, trade } from '../fixtures/publish/rows.ts'
import { type Hooks, hooks } from './hooks.ts'

const SLUG = 'institutional-positioning'
/** Excludes dataset.late, which rows of June also cause on 1 July. */
const PUBLISHED = { events: ['dataset.published', 'dataset.revised', 'dataset.withdrawn'] }
let h: Hooks
async function open(): Promise<void> {
  h = await hooks()
  await h.announcements.refresh()
}

/** Received messages, as path and type. */
async function arrived(): Promise<readonly string[]> {
  await h.announcements.refresh()
  await h.sendDue()
  return h.receiver.taken().map(({ path, event }) => `${path.replace('/hook', '')} ${event.type}`.trim())
}

describe('dataset events', () => {
  beforeEach(open)
  afterEach(() => h.close())

  it('a publication sends one message per endpoint, with one id and the entry of the updates feed', async () => {
    h.control.accounts.grantPlan(h.owner.accountId, 'max', {}, h.now())
    await h.endpoint(PUBLISHED)
    await h.endpoint({ ...PUBLISHED, url: `${h.receiver.url}/b` })
    await h.publish(SLUG, day('2026-06-24', 1))
    await h.announcements.refresh()
    await h.announcements.refresh()
    await h.sendDue()
    const messages = h.receiver.taken()
    const feed = (await h.get('/v2/updates?since=2000-01-01')).json().data
    expect(messages.map(({ event }) => event)).toEqual(
      [1, 2].map(() => ({ type: 'dataset.published', timestamp: feed[0].published_at, data: feed[0] })),
    )
    expect(new Set(messages.map(({ id }) => id)).size).toBe(1)
  })

  it('the list of messages names the dataset of each message', async () => {
    const endpoint = await h.endpoint(PUBLISHED)
    await h.test(endpoint)
    await h.publish(SLUG, day('2026-06-24', 1))
    await h.announcements.refresh()
    expect(await h.deliveries(endpoint)).toMatchObject([
      { type: 'dataset.published', slug: SLUG },
      { type: 'webhook.test', slug: null },
    ])
  })

  it('a revision and a withdrawal send dataset.revised and dataset.withdrawn', async () => {
    await h.endpoint(PUBLISHED)
    const first = await h.publish(SLUG, day('2026-06-24', 1))
    await h.publish(SLUG, [trade('1101', '2026-06-24', 9_999), ...day('2026-06-24', 1).slice(1)])
    expect(await arrived()).toEqual(['dataset.published', 'dataset.revised'])
    await serveAgain(h.workspace, h.dataset(SLUG), first.release!)
    await h.releases.refresh()
    expect(await arrived()).toEqual(['dataset.withdrawn'])
  })

  it('a publication is sent to endpoints that chose its type, its dataset and a changed symbol', async () => {
    h.control.accounts.grantPlan(h.owner.accountId, 'max', {}, h.now())
    const endpointAt = (name: string, choice: object) => h.endpoint({ ...PUBLISHED, url: `${h.receiver.url}/${name}`, ...choice })
    await endpointAt('revised', { events: ['dataset.revised'] })
    await endpointAt('mine', { datasets: [SLUG] })
    await endpointAt('other', { datasets: ['bond-yield-curve'] })
    await endpointAt('2330', { symbols: ['2330'] })
    await endpointAt('2454', { symbols: ['2454', '9999'] })
    await h.publish(SLUG, day('2026-06-24', 1, ['1101', '2330']))
    expect((await arrived()).toSorted()).toEqual(['/2330 dataset.published', '/mine dataset.published'])
    await h.publish(SLUG, day('2026-06-25', 2, ['1101', '2454']))
    expect((await arrived()).toSorted()).toEqual(['/2454 dataset.published', '/mine dataset.published'])
    // Changed rows are not recorded, so a revision counts as a change of every symbol in the dataset.
    await h.publish(SLUG, [trade('1101', '2026-06-24', 9_999), trade('2330', '2026-06-24', 102)])
    expect((await arrived()).toSorted()).toEqual([
      '/2330 dataset.revised',
      '/2454 dataset.revised',
      '/mine dataset.revised',
      '/revised dataset.revised',
    ])
  })

  it('while the service has no position in the updates feed yet, a publication sends no webhook', async () => {
    await h.endpoint(PUBLISHED)
    h.tamper('DELETE FROM webhook_followed')
    await h.publish(SLUG, day('2026-06-24', 1))
    expect(await arrived()).toEqual([])
    await h.publish(SLUG, day('2026-06-25', 2))
    expect(await arrived()).toEqual(['dataset.published'])
  })

  it('late data sends dataset.late once per missing day', async () => {
    await h.endpoint({ events: ['dataset.late'] })
    await h.publish(SLUG, day('2026-06-30', 1))
    expect(await arrived()).toEqual([])
    // Wednesday's rows are due that evening; half a day later, they are late.
    h.pass(24 * 60)
    await h.announcements.refresh()
    await h.sendDue()
    const [late, ...more] = h.receiver.taken()
    expect(more).toEqual([])
    expect(late!.event).toMatchObject({
      type: 'dataset.late',
      data: { slug: SLUG, freshness_state: 'late', freshness_as_of: '2026-06-30' },
    })
    expect(await arrived()).toEqual([])
    h.pass(24 * 60)
    expect(await arrived()).toEqual(['dataset.late'])
  })
})

describe('account events', () => {
  beforeAll(open)
  beforeEach(() => h.reset())
  afterAll(() => h.close())

  it('only the oldest endpoints get events after a downgrade; all endpoints get events after an upgrade', async () => {
    const plan = (name: 'max' | 'free') => h.control.accounts.grantPlan(h.owner.accountId, name, {}, h.now())
    plan('max')
    for (const name of ['first', 'second']) {
      await h.endpoint({ events: ['key.created'], url: `${h.receiver.url}/${name}` })
      h.pass(1)
    }
    const made = async () => {
      await h.as(h.owner, 'POST', 'api-keys')
      return (await arrived()).toSorted()
    }
    expect(await made()).toEqual(['/first key.created', '/second key.created'])
    plan('free')
    expect(await made()).toEqual(['/first key.created'])
    const { data } = (await h.as(h.owner, 'GET', 'webhooks')).json()
    expect(data.map((one: { url: string; over_limit: boolean }) => [one.url.split('/').at(-1), one.over_limit])).toEqual([
      ['second', true],
      ['first', false],
    ])
    const [{ webhook_id: second }, { webhook_id: first }] = data
    for (const [path, body] of [['test'], ['resend', { since: '2026-07-01' }]] as const)
      expect(refused(await h.as(h.owner, 'POST', `webhooks/${second}/${path}`, body))).toEqual([409, 'webhook_limit'])
    await h.as(h.owner, 'POST', `webhooks/${first}`, { enabled: false })
    expect(await made()).toEqual(['/second key.created'])
    plan('max')
    await h.as(h.owner, 'POST', `webhooks/${first}`, { enabled: true })
    expect(await made()).toEqual(['/first key.created', '/second key.created'])
  })

  it('key.created is sent to the account of the key, without the secret', async () => {
    await h.endpoint({ events: ['key.created'] })
    const other = await h.signIn('other@example.test')
    await h.endpoint({ url: `${h.receiver.url}/other` }, other)
    const { api_key: secret, ...key } = (await h.as(h.owner, 'POST', 'api-keys', { name: 'notebook' })).json()
    await h.sendDue()
    const messages = h.receiver.taken()
    expect(messages.map(({ path, event }) => [path, event])).toEqual([
      ['/hook', { type: 'key.created', timestamp: taipei(h.now()), data: key }],
    ])
    expect(messages[0]!.body).not.toContain(secret)
  })

  it('credits.low is sent once a period when a fifth of the credits is left', async () => {
    await h.endpoint({ events: ['credits.low'] })
    await h.spend(799)
    expect(await arrived()).toEqual([])
    await h.spend(1)
    await h.sendDue()
    expect(h.receiver.taken()).toMatchObject([
      {
        event: {
          type: 'credits.low',
          data: { period: '2026-07', included: 1_000, used: 800, remaining: 200, resets_at: '2026-08-01T00:00:00.000+08:00' },
        },
      },
    ])
    await h.spend(100)
    await h.spend(100)
    expect(await arrived()).toEqual([])
    h.pass(31 * 24 * 60)
    await h.spend(900)
    expect(await arrived()).toEqual(['credits.low'])
  })

  it('credits.low is sent to an endpoint enabled after the credits ran low', async () => {
    const plan = (name: 'max' | 'free') => h.control.accounts.grantPlan(h.owner.accountId, name, {}, h.now())
    plan('max')
    const { webhook_id: first } = await h.endpoint({ events: ['key.created'] })
    h.pass(1)
    await h.endpoint({ events: ['credits.low'] })
    plan('free')
    await h.spend(900)
    expect(await arrived()).toEqual([])
    await h.as(h.owner, 'DELETE', `webhooks/${first}`)
    await h.spend(1)
    expect(await arrived()).toEqual(['credits.low'])
    await h.spend(1)
    expect(await arrived()).toEqual([])
  })

  it('credits.low is sent again in the same month when the credits of a higher plan run low', async () => {
    await h.endpoint({ events: ['credits.low'] })
    await h.spend(900)
    expect(await arrived()).toEqual(['credits.low'])
    h.control.accounts.grantPlan(h.owner.accountId, 'pro', {}, h.now())
    const { creditsPerMonth } = PLANS.pro
    await h.spend(creditsPerMonth * 0.8 - 901)
    expect(await arrived()).toEqual([])
    await h.spend(1)
    await h.sendDue()
    const [message] = h.receiver.taken()
    expect(message).toMatchObject({ event: { type: 'credits.low', data: { included: creditsPerMonth, used: creditsPerMonth * 0.8 } } })
    h.control.accounts.grantPlan(h.owner.accountId, 'free', {}, h.now())
    await h.spend(1)
    expect(await arrived()).toEqual([])
  })
})
