import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, describe, expect, it } from 'vitest'
import { service } from '../../support.ts'
import { createCaller, MOST_UNDER_WAY, type Outcome } from './caller.ts'
import type { Call } from './calls.ts'

/** Sends one kind of request to an address and collects the outcomes. */
function callerOf(url: string, call: Call, { rate = 1, patienceMs = 10_000 } = {}) {
  const outcomes: Outcome[] = []
  const unsent: number[] = []
  const life = { number: 1, url } as NonNullable<ReturnType<Parameters<typeof createCaller>[0]['life']>>
  const caller = createCaller({
    kinds: { one: { share: 1, make: () => call } },
    rate,
    life: () => life,
    ending: () => false,
    patienceMs,
    record: outcome => void outcomes.push(outcome),
    unsent: () => void unsent.push(1),
    charged: () => {},
  })
  return { caller, outcomes, unsent }
}

const agentCall = (name: string): Call => ({
  path: '/mcp',
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }),
})

describe('a silent service', async () => {
  const silent = createServer(() => {})
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  afterAll(() => {
    silent.closeAllConnections()
    silent.close()
  })

  it('the soak caller reports an unanswered request as a fault', async () => {
    const { caller, outcomes } = callerOf(url, { path: '/' }, { patienceMs: 300 })
    expect(await caller.ask('one', { path: '/' })).toBe(null)
    expect(outcomes).toMatchObject([{ kind: 'one', cut: false, shed: false, fault: 'no answer: not whole within 0.3 s' }])
  })

  it('the soak caller limits its running requests and counts the unsent requests', async () => {
    const { caller, outcomes, unsent } = callerOf(url, { path: '/' }, { rate: 20_000, patienceMs: 1_000 })
    caller.start()
    await expect.poll(() => unsent.length, { timeout: 60_000 }).toBeGreaterThan(0)
    await caller.stop()
    expect(outcomes.length).toBeGreaterThanOrEqual(MOST_UNDER_WAY)
    expect(new Set(outcomes.map(({ fault }) => fault))).toEqual(new Set(['no answer: not whole within 1 s']))
  })
})

it('the soak caller reports a refused MCP call by its code', async () => {
  const opened = await service({ examples: false })
  try {
    const { caller, outcomes } = callerOf(await opened.app.listen({ host: '127.0.0.1', port: 0 }), agentCall('get_rows'))
    await caller.ask('one', agentCall('get_rows'))
    expect(outcomes).toMatchObject([{ shed: false, fault: '200 invalid_parameter' }])
  } finally {
    await opened.close()
  }
})
