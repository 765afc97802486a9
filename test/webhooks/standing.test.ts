import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Hooks, hooks } from './hooks.ts'

let h: Hooks
beforeEach(async () => {
  h = await hooks()
})
afterEach(async () => {
  expect(h.leaked(), 'secrets of this run in log lines').toEqual([])
  await h.close()
})

type Made = Awaited<ReturnType<Hooks['endpoint']>>
const test = async (endpoint: Made): Promise<string> => (await h.of(endpoint, 'POST', 'test')).json().message_id
const deliveries = async (endpoint: Made) => (await h.of(endpoint, 'GET', 'deliveries')).json().data
const seen = async (endpoint: Made) => (await h.of(endpoint, 'GET')).json()
const DAY = 24 * 60

describe('a receiver that asks for time', () => {
  it('is sent nothing until then, whichever message it said it of, for a day at most', async () => {
    const endpoint = await h.endpoint()
    h.receiver.answers(response => void response.writeHead(429, { 'retry-after': '999999999' }).end())
    const [first, second] = [await test(endpoint), await test(endpoint)]
    await h.sendDue()
    expect(h.receiver.taken().map(({ id }) => id)).toEqual([first])
    const until = '2026-07-02T20:00:00.000+08:00'
    expect(await seen(endpoint)).toMatchObject({ held_until: until, waiting: 2 })
    expect((await deliveries(endpoint)).map((one: { next_at: string }) => one.next_at)).toEqual([until, until])
    h.pass(DAY - 1)
    await h.sendDue()
    expect(h.receiver.taken()).toEqual([])
    h.receiver.answers(response => void response.end())
    h.pass(1)
    await h.sendDue()
    expect(h.receiver.taken().map(({ id }) => id)).toEqual([second, first])
    expect(await seen(endpoint)).toMatchObject({ held_until: null, waiting: 0 })
  })

  it('does not ask for it at another URL', async () => {
    const endpoint = await h.endpoint()
    h.receiver.answers(response => void response.writeHead(503, { 'retry-after': '86400' }).end())
    const [, second] = [await test(endpoint), await test(endpoint)]
    await h.sendDue()
    expect((await h.of(endpoint, 'POST', '', { url: `${h.receiver.url}/new` })).json()).toMatchObject({ held_until: null })
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

describe('a receiver that', () => {
  it('fails for days is told of by mail on the third and disabled after the fifth, and sent what it missed once enabled', async () => {
    const endpoint = await h.endpoint()
    const notices = async (): Promise<readonly string[]> => {
      await h.deliver()
      return h.post.mails
        .filter(({ text }) => text.includes(endpoint.webhook_id))
        .map(({ text }) => /is disabled|has taken no message/.exec(text)![0])
    }
    h.receiver.answers(response => void response.writeHead(500).end())
    const statuses: string[] = []
    for (let day = 0; day <= 5; day++) {
      await test(endpoint)
      await h.sendDue()
      statuses.push(`${(await seen(endpoint)).status} ${(await notices()).length}`)
      h.pass(DAY)
    }
    expect(statuses).toEqual(['enabled 0', 'enabled 0', 'enabled 0', 'enabled 1', 'enabled 1', 'disabled 2'])
    expect(await notices()).toEqual(['has taken no message', 'is disabled'])
    h.receiver.taken()
    h.receiver.answers(response => void response.end())
    await h.of(endpoint, 'POST', '', { enabled: true })
    expect((await h.of(endpoint, 'POST', 'resend', { since: '2026-07-01' })).json().resent).toBe(6)
    await h.sendDue()
    expect(new Set(h.receiver.taken().map(({ id }) => id)).size).toBe(6)
    expect(await seen(endpoint)).toMatchObject({ status: 'enabled', failing_since: null })
  })
})
