import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Hooks, hooks } from './hooks.ts'

let h: Hooks
beforeAll(async () => {
  h = await hooks()
})
beforeEach(() => h.reset())
afterAll(async () => {
  expect(h.leaked(), 'secrets of this run in log lines').toEqual([])
  await h.close()
})

const DAY = 24 * 60

describe('Retry-After', () => {
  it('Retry-After defers all messages of an endpoint, by a day at most', async () => {
    const endpoint = await h.endpoint()
    h.receiver.answers(response => void response.writeHead(429, { 'retry-after': '999999999' }).end())
    const [first, second] = [await h.test(endpoint), await h.test(endpoint)]
    await h.sendDue()
    expect(h.receiver.taken().map(({ id }) => id)).toEqual([first])
    const until = '2026-07-02T20:00:00.000+08:00'
    expect(await h.seen(endpoint)).toMatchObject({ held_until: until, waiting: 2 })
    expect((await h.deliveries(endpoint)).map((one: { next_at: string }) => one.next_at)).toEqual([until, until])
    h.pass(DAY - 1)
    await h.sendDue()
    expect(h.receiver.taken()).toEqual([])
    h.receiver.answers(response => void response.end())
    h.pass(1)
    await h.sendDue()
    expect(h.receiver.taken().map(({ id }) => id)).toEqual([second, first])
    expect(await h.seen(endpoint)).toMatchObject({ held_until: null, waiting: 0 })
  })

  it('changing the URL of an endpoint ends its Retry-After', async () => {
    const endpoint = await h.endpoint()
    h.receiver.answers(response => void response.writeHead(503, { 'retry-after': '86400' }).end())
    const [, second] = [await h.test(endpoint), await h.test(endpoint)]
    await h.sendDue()
    expect((await h.call(endpoint, 'POST', '', { url: `${h.receiver.url}/new` })).json()).toMatchObject({ held_until: null })
    h.receiver.answers(response => void response.end())
    await h.sendDue()
    expect(
      h.receiver
        .taken()
        .map(({ path, id }) => [path, id])
        .at(-1),
    ).toEqual(['/hook/new', second])
  })
})

describe('failing receivers', () => {
  it('a failing endpoint is reported by mail after 3 days and disabled after 5; once enabled, it gets the missed messages', async () => {
    const endpoint = await h.endpoint()
    const notices = async (): Promise<readonly string[]> => {
      await h.deliver()
      return h.post.mails
        .filter(({ text }) => text.includes(endpoint.webhook_id))
        .map(({ text }) => /is disabled|has accepted no message/.exec(text)![0])
    }
    h.receiver.answers(response => void response.writeHead(500).end())
    const statuses: string[] = []
    for (let day = 0; day <= 5; day++) {
      await h.test(endpoint)
      await h.sendDue()
      statuses.push(`${(await h.seen(endpoint)).status} ${(await notices()).length}`)
      h.pass(DAY)
    }
    expect(statuses).toEqual(['enabled 0', 'enabled 0', 'enabled 0', 'enabled 1', 'enabled 1', 'disabled 2'])
    expect(await notices()).toEqual(['has accepted no message', 'is disabled'])
    h.receiver.taken()
    h.receiver.answers(response => void response.end())
    await h.call(endpoint, 'POST', '', { enabled: true })
    expect((await h.call(endpoint, 'POST', 'resend', { since: '2026-07-01' })).json().resent).toBe(6)
    await h.sendDue()
    expect(new Set(h.receiver.taken().map(({ id }) => id)).size).toBe(6)
    expect(await h.seen(endpoint)).toMatchObject({ status: 'enabled', failing_since: null })
  })

  it('an endpoint with one failure every three days is neither reported nor disabled', async () => {
    const endpoint = await h.endpoint()
    h.receiver.answers(response => void response.writeHead(500).end())
    await h.test(endpoint)
    for (let round = 0; round < 5; round++) {
      await h.sendDue()
      h.pass(3 * DAY)
    }
    expect(await h.seen(endpoint)).toMatchObject({ status: 'enabled', failing_since: '2026-07-13T20:00:00.000+08:00' })
    await h.deliver()
    expect(h.post.mails.filter(({ text }) => text.includes(endpoint.webhook_id))).toEqual([])
  })

  it('an endpoint that fails is not disabled before the fifth day', async () => {
    const endpoint = await h.endpoint()
    h.receiver.answers(response => void response.writeHead(500).end())
    await h.test(endpoint)
    const statuses: string[] = []
    for (const days of [0, 1.6, 1.6, 1.9, 0.1]) {
      h.pass(days * DAY)
      await h.sendDue()
      statuses.push((await h.seen(endpoint)).status)
    }
    expect(statuses).toEqual(['enabled', 'enabled', 'enabled', 'enabled', 'disabled'])
  })

  it('changing the URL clears the failures of an endpoint, even during an attempt', async () => {
    const endpoint = await h.endpoint()
    h.receiver.answers(response => void response.writeHead(500).end())
    for (let day = 0; day < 5; day++) {
      await h.test(endpoint)
      await h.sendDue()
      h.pass(DAY)
    }
    expect(await h.seen(endpoint)).toMatchObject({ failing_since: '2026-07-01T20:00:00.000+08:00' })
    let replaced: Promise<unknown> | undefined
    h.receiver.answers((response, { path }) => {
      if (path !== '/hook') return void response.end()
      replaced ??= h.call(endpoint, 'POST', '', { url: `${h.receiver.url}/replaced` })
      void replaced.then(() => response.writeHead(410).end())
    })
    await h.sendDue()
    expect(replaced).toBeDefined()
    expect(await h.seen(endpoint)).toMatchObject({ status: 'enabled', failing_since: null, url: `${h.receiver.url}/replaced` })
  })
})
