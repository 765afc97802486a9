import { once } from 'node:events'
import { readdirSync, readlinkSync } from 'node:fs'
import { Agent, type ClientRequest, type IncomingMessage, request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { service, type TestService } from '../../support.ts'
import { FREE, signedUrl } from './signed.ts'

let s: TestService
beforeAll(async () => {
  s = await service({ inMemory: false })
})
afterAll(() => s.close())

/** Number of requests. Set the variable to 10000 for a long run. */
const REQUESTS = Number(process.env['TWMD_FILE_REQUESTS'] ?? 1_500)

it('ranges and aborted downloads of files leave no descriptor open', async () => {
  const address = await s.app.listen({ port: 0, host: '127.0.0.1' })
  const url = new URL(signedUrl(s, s.keyOn('max'), FREE), address)
  const ask = async (index: number): Promise<void> => {
    const sent = request(url, { agent, headers: { range: `bytes=${index % 50}-` } }).end()
    if (index % 10 === 0) return void (await hangUp(sent))
    const [response] = (await once(sent, 'response')) as [IncomingMessage]
    expect(response.statusCode).toBe(206)
    await buffer(response)
  }
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  const hangUp = (sent: ClientRequest) =>
    once(
      sent.on('error', () => {}),
      'response',
    ).then(([response]) => (response as IncomingMessage).destroy())
  for (let index = 0; index < REQUESTS; index += 50) await Promise.all(Array.from({ length: 50 }, (_, more) => ask(index + more)))
  agent.destroy()
  const open = () =>
    readdirSync('/proc/self/fd').flatMap(fd => {
      try {
        return readlinkSync(`/proc/self/fd/${fd}`).endsWith('.parquet') ? [fd] : []
      } catch {
        return []
      }
    })
  await expect.poll(open).toEqual([])
}, 120_000)
