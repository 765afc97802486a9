import autocannon from 'autocannon'
import { answer } from './child.ts'
import type { Metered } from './metering-server.ts'

/** So many requests over so many connections, each sent when the one before it on its connection is answered. */
export interface Amount extends Metered {
  readonly path: string
  readonly connections: number
  readonly amount: number
}

answer({
  /** Requests answered a second. @throws when any was not answered with 200 */
  async run({ url, path, keys, connections, amount }: Amount): Promise<number> {
    let started = 0
    const began = performance.now()
    const result = await autocannon({
      url: `${url}${path}`,
      connections,
      amount,
      setupClient(client) {
        const from = started++
        client.setRequests(keys.map((_, index) => ({ path, headers: { 'x-api-key': keys[(from + index) % keys.length]! } })))
      },
    })
    if (result['2xx'] !== amount) throw new Error(`${result['2xx']} of ${amount} requests were answered`)
    return (amount / (performance.now() - began)) * 1_000
  },
})
