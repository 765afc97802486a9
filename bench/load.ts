import autocannon from 'autocannon'
import { answer } from './child.ts'
import { quantile } from './table.ts'

/** Closed loop: each connection waits for an answer before its next request. */
export interface LoadOrder {
  readonly url: string
  readonly paths: readonly string[]
  /** Empty if the server requires no key. */
  readonly keys: readonly string[]
  readonly connections: number
  readonly seconds: number
}

/** Requests each path once. The number of paths must be a multiple of the number of connections. */
export type BatchOrder = Omit<LoadOrder, 'seconds'>

export interface TallyOrder extends LoadOrder {
  /** Maximum requests per second. Default: unlimited. */
  readonly rate?: number
}

export interface Tally {
  readonly answered: number
  readonly refused: number
  /** 99th percentile of the time until a refusal. 0 if no request was refused. */
  readonly refusedMs: number
}

answer({
  /**
   * @returns answered requests per second
   * @throws Error if a request was refused
   */
  async run(order: LoadOrder): Promise<number> {
    const result = await loaded(order)
    refuseFailures(result)
    return result['2xx'] / result.duration
  },
  /**
   * @returns seconds until all requests were answered
   * @throws Error if a request was refused
   */
  async once(order: BatchOrder): Promise<number> {
    const begin = performance.now()
    let end = begin
    // Autocannon ends only at whole seconds, so its own time is useless for a batch.
    const result = await loaded({ ...order, amount: order.paths.length }, () => {
      end = performance.now()
    })
    refuseFailures(result)
    return (end - begin) / 1_000
  },
  /** @throws Error if a request fails for a reason other than an overload */
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

function refuseFailures({ non2xx, errors, '2xx': answered }: autocannon.Result): void {
  if (non2xx + errors > 0) throw new Error(`${non2xx} of ${answered} requests were refused, ${errors} failed`)
}

function loaded(
  { url, paths, keys, connections, ...until }: BatchOrder & (Pick<TallyOrder, 'seconds' | 'rate'> | { readonly amount: number }),
  onResponse?: (status: number, ms: number) => void,
): Promise<autocannon.Result> {
  const share = Math.ceil(paths.length / connections)
  let started = 0
  return autocannon({
    url,
    connections,
    ...('amount' in until ? until : { duration: until.seconds, ...(until.rate === undefined ? {} : { overallRate: until.rate }) }),
    setupClient(client) {
      const from = (started++ % connections) * share
      const places = Array.from({ length: share }, (_, index) => from + index)
      client.setRequests(places.map(place => ({ path: paths[place % paths.length]!, ...keyed(keys, place) })))
      if (onResponse) client.on('response', (status: number, _bytes: number, ms: number) => onResponse(status, ms))
    },
  })
}

const keyed = (keys: readonly string[], index: number) => (keys.length > 0 ? { headers: { 'x-api-key': keys[index % keys.length]! } } : {})
