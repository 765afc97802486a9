import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { service, type TestService } from '../support.ts'

let s: TestService
beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(async () => {
  await s.close()
  vi.useRealTimers()
})

const HOUR_MS = 3_600_000
const warnings = (): readonly { readonly peer: string; readonly level: number }[] =>
  s.lines.map(line => JSON.parse(line)).filter(({ event }) => event === 'proxy not trusted')
const through = (peer: string) => s.app.inject({ url: '/healthz', headers: { 'x-forwarded-for': '203.0.113.1' }, remoteAddress: peer })

it('the log warns once an hour about a proxy that TRUST_PROXY does not name', async () => {
  s = await service({ examples: false })
  await s.get('/healthz')
  expect(warnings()).toEqual([])
  for (let count = 0; count < 100; count++) await through('10.0.0.2')
  expect(warnings()).toEqual([expect.objectContaining({ peer: '10.0.0.2', level: 40, advice: expect.stringContaining('TRUST_PROXY') })])
  vi.advanceTimersByTime(HOUR_MS)
  await through('10.0.0.3')
  expect(warnings().map(({ peer }) => peer)).toEqual(['10.0.0.2', '10.0.0.3'])
})

it('if TRUST_PROXY names the proxy, the service logs no warning, even for a client on the proxy host', async () => {
  s = await service({ examples: false, trustProxy: '10.0.0.2' })
  await through('10.0.0.2')
  await s.app.inject({ url: '/healthz', headers: { 'x-forwarded-for': '10.0.0.2' }, remoteAddress: '10.0.0.2' })
  expect(warnings()).toEqual([])
  await through('10.0.0.3')
  expect(warnings()).toHaveLength(1)
})
