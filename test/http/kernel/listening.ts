import { once } from 'node:events'
import { Agent, request as ask } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect } from 'vitest'
import { trade, weekdays } from '../../fixtures/publish/rows.ts'
import { type ServiceOptions, service } from '../../support.ts'

export const SLUG = 'institutional-positioning'
export const READ = `/v2/datasets/${SLUG}?symbol=2330`
const DAYS = weekdays('2025-01-06', 300)

export type Sent = Readonly<Record<string, string | readonly string[]>>

/** A service that listens on a port, with 300 days of one symbol in memory. */
export async function listening(options: ServiceOptions = {}) {
  const s = await service(options)
  const rows = DAYS.map((day, index) => trade('2330', day, index * 1_001))
  expect((await s.publish(SLUG, rows, { accept: ['row_count_drift'] })).faults).toEqual([])
  await s.app.listen({ port: 0, host: '127.0.0.1' })
  const { port } = s.app.server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true })
  const send = async (path: string, headers: Sent, method = 'GET', body = '') => {
    const request = ask({ port, path, method, agent, headers: headers as Record<string, string> })
    request.end(body)
    const [response] = await once(request, 'response')
    return { status: response.statusCode as number, headers: response.headers, body: await buffer(response) }
  }
  const close = async (): Promise<void> => {
    agent.destroy()
    await s.close()
  }
  return { s, send, close }
}

export type Listening = Awaited<ReturnType<typeof listening>>
