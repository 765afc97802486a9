import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openProvider, type Provider } from '../../src/billing/stripe.ts'
import { type Control, controlOf } from '../fixtures/provider/client.ts'
import { type RunningProvider, startProvider } from '../fixtures/provider/server.ts'

/** Every signal with a listener added during calls. */
const signals = new Set<AbortSignal>()
const { addEventListener } = EventTarget.prototype

let running: RunningProvider
let control: Control
let provider: Provider
beforeEach(async () => {
  running = await startProvider()
  control = controlOf(running.url)
  provider = openProvider({ secretKey: running.secretKey, apiBase: running.url, prices: { pro: ['price_pro'], max: ['price_max'] } })
})
afterEach(async () => {
  provider.close()
  await running.close()
})

const listeners = (): number => [...signals].reduce((sum, signal) => sum + getEventListeners(signal, 'abort').length, 0)
const failure = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => 'answered',
    error => error,
  )

/** A call whose connection the provider closes; the call is retried on another connection. */
async function cutOnce(): Promise<void> {
  await control.trouble({ times: 1, reset: 'before' })
  EventTarget.prototype.addEventListener = function (...args) {
    if (this instanceof AbortSignal) signals.add(this)
    addEventListener.apply(this, args)
  }
  try {
    expect(await provider.getSubscription('sub_unknown')).toBeUndefined()
  } finally {
    EventTarget.prototype.addEventListener = addEventListener
  }
}

describe('connections to the payment provider', () => {
  it('closed connections to the payment provider leave no listener behind', async () => {
    await cutOnce()
    const before = listeners()
    for (let nth = 0; nth < 5; nth++) await cutOnce()
    expect(listeners()).toBe(before)
  })

  it('closing the payment provider client aborts its running call and sends no further call', async () => {
    await control.trouble({ times: 'until told', path: '/v1/checkout/sessions', slowMs: 60_000, late: true })
    // This call is not retried, so it fails with its connection.
    const call = failure(provider.expireCheckouts({ accountId: 'acct_1', customerId: null }, new Date()))
    await expect.poll(async () => (await control.calls()).length).toBeGreaterThan(0)
    const before = await control.calls()
    provider.close()
    const [brokenOff, refused] = [await call, await failure(provider.getSubscription('sub_unknown'))]
    expect([provider.isFault(brokenOff), provider.isFault(refused)]).toEqual([true, true])
    expect(String(brokenOff)).not.toContain('timeout')
    expect(await control.calls()).toEqual(before)
  })
})
