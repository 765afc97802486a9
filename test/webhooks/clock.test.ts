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
const MONTH = 31 * DAY

describe('clock set back by a month', () => {
  it('after the clock is set back, waiting and deferred messages are sent once', async () => {
    const endpoint = await h.endpoint()
    h.pass(MONTH)
    h.receiver.answers(response => void response.writeHead(503, { 'retry-after': '3600' }).end())
    const [first, second] = [await h.test(endpoint), await h.test(endpoint)]
    await h.sendDue()
    expect(h.receiver.taken().map(({ id }) => id)).toEqual([first])
    h.pass(-MONTH)
    h.receiver.answers(response => void response.end())
    await h.sendDue()
    await h.sendDue()
    expect(
      h.receiver
        .taken()
        .map(({ id }) => id)
        .toSorted(),
    ).toEqual([first, second].toSorted())
  })

  it('after the clock is set back, a failed message is retried at times of the current clock', async () => {
    const endpoint = await h.endpoint()
    h.receiver.answers(response => void response.writeHead(500).end())
    h.pass(MONTH)
    await h.test(endpoint)
    await h.sendDue()
    h.pass(-MONTH)
    await h.sendDue()
    await h.sendDue()
    expect(h.receiver.taken()).toHaveLength(2)
    h.pass(6)
    await h.sendDue()
    expect(h.receiver.taken()).toHaveLength(1)
  })

  it('after the clock is set back, failing_since is not in the future', async () => {
    const endpoint = await h.endpoint()
    h.receiver.answers(response => void response.writeHead(500).end())
    h.pass(MONTH)
    await h.test(endpoint)
    await h.sendDue()
    h.pass(-MONTH)
    await h.sendDue()
    expect((await h.seen(endpoint)).failing_since).toBe('2026-07-01T20:00:00.000+08:00')
  })
})
