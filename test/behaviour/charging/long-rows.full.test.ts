import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { service, type TestService } from '../../support.ts'

const [ROWS, WIDTH] = [3_000, 900]
/** Bytes reserved before each read, and the actual sizes reported after each read. */
const reserved: number[] = []
const became: number[] = []
let s: TestService
let port = 0
beforeAll(async () => {
  s = await service({ examples: false })
  const [entry] = s.dataset('theme-taxonomy').example as readonly Row[]
  const rows = Array.from({ length: ROWS }, (_, index) => ({ ...entry, symbol: String(10_000 + index), theme_name: 'x'.repeat(WIDTH) }))
  await s.publish('theme-taxonomy', rows)
  await s.app.listen({ port: 0, host: '127.0.0.1' })
  port = (s.app.server.address() as AddressInfo).port
  const gate = s.gate as { -readonly [K in keyof typeof s.gate]: (typeof s.gate)[K] }
  const { acquireSlot } = gate
  gate.acquireSlot = async (grant, weight) => {
    reserved.push(weight?.bytes ?? 0)
    const turn = await acquireSlot(grant, weight)
    return {
      ...turn,
      resize(bytes) {
        became.push(bytes)
        turn.resize(bytes)
      },
    }
  }
})
afterAll(() => s.close())

const PATH = `/v2/datasets/theme-taxonomy?limit=${ROWS}`

it('an unread answer with long texts reserves memory for its real size, and the next estimate uses this size', async () => {
  const key = s.keyOn('max')
  const ask = async () => {
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET ${PATH} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`)
    await once(socket, 'readable')
    return socket
  }
  const sockets = [await ask(), await ask()]
  expect(became).toHaveLength(2)
  for (const bytes of became) expect(bytes).toBeGreaterThan(ROWS * WIDTH)
  for (const bytes of became) expect(bytes).toBeLessThan(2 * ROWS * WIDTH)
  // No size was measured before the first estimate. An estimate from typical cell sizes would be
  // only a fifth of the real size.
  expect(reserved[0]).toBeGreaterThan(reserved[1]! / 2)
  expect(reserved[1]).toBe(became[0])
  for (const socket of sockets) socket.destroy()
})
