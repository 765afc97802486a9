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

const DAY = 24 * 60
const MONTH = 31 * DAY

describe('once a clock that went ahead by a month is put back', () => {
  it('a message that waits is sent, with those its receiver asked to wait for, each once', async () => {
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

  it('a message that fails waits for its next attempt by the clock there is', async () => {
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

  it('a receiver that fails has failed since then, and not since a time ahead', async () => {
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
