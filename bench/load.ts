import autocannon from 'autocannon'
import { answer } from './child.ts'

/** A closed loop over that many connections: each sends its next request when the former is answered. */
export interface LoadOrder {
  readonly url: string
  readonly paths: readonly string[]
  /** Taken in turn; none where the server asks for none. */
  readonly keys: readonly string[]
  readonly connections: number
  readonly seconds: number
}

answer({
  /** Requests answered a second. @throws when any was refused */
  async run({ url, paths, keys, connections, seconds }: LoadOrder): Promise<number> {
    const share = Math.ceil(paths.length / connections)
    let started = 0
    const result = await autocannon({
      url,
      connections,
      duration: seconds,
      setupClient(client) {
        const from = (started++ % connections) * share
        const places = Array.from({ length: share }, (_, index) => from + index)
        client.setRequests(places.map(place => ({ path: paths[place % paths.length]!, ...keyed(keys, place) })))
      },
    })
    if (result.non2xx + result.errors > 0)
      throw new Error(`${result.non2xx} of ${result['2xx']} requests were refused, ${result.errors} failed`)
    return result['2xx'] / result.duration
  },
})

const keyed = (keys: readonly string[], index: number) => (keys.length > 0 ? { headers: { 'x-api-key': keys[index % keys.length]! } } : {})
