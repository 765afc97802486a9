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
  it('waiting and deferred messages are sent once after the clock is set back', async () => {
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

  it('a failed message is retried at times of the current clock after the clock is set back', async () => {
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

  it('failing_since is not in the future after the clock is set back', async () => {
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
