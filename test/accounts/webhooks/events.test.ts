import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { PLANS } from '../../../catalog/index.ts'
import { serveAgain } from '../../../ingest/publish/index.ts'
import { taipei } from '../../../src/core/index.ts'
import { day, trade } from '../../fixtures/publish/rows.ts'
import { refused } from '../portal.ts'
import { type Hooks, hooks } from './hooks.ts'

const SLUG = 'institutional-positioning'
/** What follows from publications: rows of June are late on the first of July, too. */
const PUBLISHED = { events: ['dataset.published', 'dataset.revised', 'dataset.withdrawn'] }
let h: Hooks
beforeEach(async () => {
  h = await hooks()
  await h.announcements.refresh()
})
afterEach(() => h.close())

/** What arrived by now, as path and type. */
async function told(): Promise<readonly string[]> {
  await h.announcements.refresh()
  await h.sendDue()
  return h.receiver.taken().map(({ path, event }) => `${path.replace('/hook', '')} ${event.type}`.trim())
}

describe('a publication', () => {
  it('is told once, with the entry of the updates feed, under the same id to everyone', async () => {
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

  it('that revises and one that is withdrawn are events of their own, in order', async () => {
    await h.endpoint(PUBLISHED)
    const first = await h.publish(SLUG, day('2026-06-24', 1))
    await h.publish(SLUG, [trade('1101', '2026-06-24', 9_999), ...day('2026-06-24', 1).slice(1)])
    expect(await told()).toEqual(['dataset.published', 'dataset.revised'])
    await serveAgain(h.workspace, h.dataset(SLUG), first.release!)
    await h.releases.refresh()
    expect(await told()).toEqual(['dataset.withdrawn'])
  })

  it('goes to whoever chose its type, its dataset and a symbol it touched', async () => {
    h.control.accounts.grantPlan(h.owner.accountId, 'max', {}, h.now())
    const at = (name: string, choice: object) => h.endpoint({ ...PUBLISHED, url: `${h.receiver.url}/${name}`, ...choice })
    await at('revised', { events: ['dataset.revised'] })
    await at('mine', { datasets: [SLUG] })
    await at('other', { datasets: ['bond-yield-curve'] })
    await at('2330', { symbols: ['2330'] })
    await at('2454', { symbols: ['2454', '9999'] })
    await h.publish(SLUG, day('2026-06-24', 1, ['1101', '2330']))
    expect((await told()).toSorted()).toEqual(['/2330 dataset.published', '/mine dataset.published'])
    await h.publish(SLUG, day('2026-06-25', 2, ['1101', '2454']))
    expect((await told()).toSorted()).toEqual(['/2454 dataset.published', '/mine dataset.published'])
    // Which rows were changed is not on record, so each symbol that is held counts as touched.
    await h.publish(SLUG, [trade('1101', '2026-06-24', 9_999), trade('2330', '2026-06-24', 102)])
    expect((await told()).toSorted()).toEqual([
      '/2330 dataset.revised',
      '/2454 dataset.revised',
      '/mine dataset.revised',
      '/revised dataset.revised',
    ])
  })

  it('from before anything was followed is not told', async () => {
    await h.endpoint(PUBLISHED)
    h.tamper('DELETE FROM webhook_followed')
    await h.publish(SLUG, day('2026-06-24', 1))
    expect(await told()).toEqual([])
    await h.publish(SLUG, day('2026-06-25', 2))
    expect(await told()).toEqual(['dataset.published'])
  })
})

it('data that is late is told once for each day that does not come', async () => {
  await h.endpoint({ events: ['dataset.late'] })
  await h.publish(SLUG, day('2026-06-30', 1))
  expect(await told()).toEqual([])
  // Wednesday's rows are due that evening; half a day later, they are late.
  h.pass(24 * 60)
  await h.announcements.refresh()
  await h.sendDue()
  const [late, ...more] = h.receiver.taken()
  expect(more).toEqual([])
  expect(late!.event).toMatchObject({ type: 'dataset.late', data: { slug: SLUG, freshness_state: 'late', freshness_as_of: '2026-06-30' } })
  expect(await told()).toEqual([])
  h.pass(24 * 60)
  expect(await told()).toEqual(['dataset.late'])
})

describe('an event of the account', () => {
  it('goes to the oldest of its endpoints where its plan came to allow fewer, and to all of them where it allows more again', async () => {
    const plan = (name: 'max' | 'free') => h.control.accounts.grantPlan(h.owner.accountId, name, {}, h.now())
    plan('max')
    for (const name of ['first', 'second']) {
      await h.endpoint({ events: ['key.created'], url: `${h.receiver.url}/${name}` })
      h.pass(1)
    }
    const made = async () => {
      await h.as(h.owner, 'POST', 'api-keys')
      return (await told()).toSorted()
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

  it('tells of a key that was made, without its secret, the account alone', async () => {
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

  it('tells that a fifth of the credits is left, once a period', async () => {
    await h.endpoint({ events: ['credits.low'] })
    await h.spend(799)
    expect(await told()).toEqual([])
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
    expect(await told()).toEqual([])
    h.pass(31 * 24 * 60)
    await h.spend(900)
    expect(await told()).toEqual(['credits.low'])
  })

  it('tells of credits that ran low before an endpoint was there to be told', async () => {
    const plan = (name: 'max' | 'free') => h.control.accounts.grantPlan(h.owner.accountId, name, {}, h.now())
    plan('max')
    const { webhook_id: first } = await h.endpoint({ events: ['key.created'] })
    h.pass(1)
    await h.endpoint({ events: ['credits.low'] })
    plan('free')
    await h.spend(900)
    expect(await told()).toEqual([])
    await h.as(h.owner, 'DELETE', `webhooks/${first}`)
    await h.spend(1)
    expect(await told()).toEqual(['credits.low'])
    await h.spend(1)
    expect(await told()).toEqual([])
  })

  it('tells of credits that run out again after a higher plan had more, within the month', async () => {
    await h.endpoint({ events: ['credits.low'] })
    await h.spend(900)
    expect(await told()).toEqual(['credits.low'])
    h.control.accounts.grantPlan(h.owner.accountId, 'pro', {}, h.now())
    const { creditsPerMonth } = PLANS.pro
    await h.spend(creditsPerMonth * 0.8 - 901)
    expect(await told()).toEqual([])
    await h.spend(1)
    await h.sendDue()
    const [message] = h.receiver.taken()
    expect(message).toMatchObject({ event: { type: 'credits.low', data: { included: creditsPerMonth, used: creditsPerMonth * 0.8 } } })
    h.control.accounts.grantPlan(h.owner.accountId, 'free', {}, h.now())
    await h.spend(1)
    expect(await told()).toEqual([])
  })
})
