import autocannon from 'autocannon'
import { answer } from './child.ts'
import { quantile } from './table.ts'

/** A closed loop over that many connections: each sends its next request when the former is answered. */
export interface LoadOrder {
  readonly url: string
  readonly paths: readonly string[]
  /** Taken in turn; none where the server asks for none. */
  readonly keys: readonly string[]
  readonly connections: number
  readonly seconds: number
}

/** The same, of which some may be refused. */
export interface TallyOrder extends LoadOrder {
  /** Requests a second at most; as many as are answered when absent. */
  readonly rate?: number
}

/** What became of the requests that were answered in any way. */
export interface Tally {
  readonly answered: number
  readonly refused: number
  /** 99th percentile of the time until a refusal came, in milliseconds; 0 without one. */
  readonly refusedMs: number
}

answer({
  /** Requests answered a second. @throws when any was refused */
  async run(order: LoadOrder): Promise<number> {
    const result = await loaded(order)
    if (result.non2xx + result.errors > 0)
      throw new Error(`${result.non2xx} of ${result['2xx']} requests were refused, ${result.errors} failed`)
    return result['2xx'] / result.duration
  },
  /** @throws when one failed in another way than by being refused for want of capacity */
  async tally(order: TallyOrder): Promise<Tally> {
    const refused: number[] = []
    const others = new Map<number, number>()
    const result = await loaded(order, (status, ms) => {
      if (status === 503) refused.push(ms)
      else if (status !== 200) others.set(status, (others.get(status) ?? 0) + 1)
    })
    if (result.errors > 0 || others.size > 0)
      throw new Error(`${result.errors} requests failed; answered otherwise: ${JSON.stringify([...others])}`)
    return { answered: result['2xx'], refused: refused.length, refusedMs: refused.length > 0 ? quantile(refused, 0.99) : 0 }
  },
})

function loaded(
  { url, paths, keys, connections, seconds, rate }: TallyOrder,
  onResponse?: (status: number, ms: number) => void,
): Promise<autocannon.Result> {
  const share = Math.ceil(paths.length / connections)
  let started = 0
  return autocannon({
    url,
    connections,
    duration: seconds,
    ...(rate === undefined ? {} : { overallRate: rate }),
    setupClient(client) {
      const from = (started++ % connections) * share
      const places = Array.from({ length: share }, (_, index) => from + index)
      client.setRequests(places.map(place => ({ path: paths[place % paths.length]!, ...keyed(keys, place) })))
      if (onResponse) client.on('response', (status: number, _bytes: number, ms: number) => onResponse(status, ms))
    },
  })
}

const keyed = (keys: readonly string[], index: number) => (keys.length > 0 ? { headers: { 'x-api-key': keys[index % keys.length]! } } : {})
