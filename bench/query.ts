import { Agent, get } from 'node:http'
import { startChild } from './child.ts'
import { folderOf, type Size, shuffled, tickersOf } from './data.ts'
import type { Served } from './server.ts'
import { type Line, median, quantile } from './table.ts'

const FIELDS = [
  'foreign_net_buy',
  'investment_trust_net_buy',
  'dealer_net_buy',
  'institutional_net_buy_total',
  'foreign_pct',
  'foreign_pct_percentile',
  'buy_streak',
  'sell_streak',
  'inst_share_of_volume',
  'risk_types',
].join(',')
const LONG_AGO = '2019-10-15'
const PATIENCE_MS = 60_000

interface Timed {
  readonly ms: number
  readonly fetch: number
}

export async function measureQuery(size: Size, rounds: number): Promise<readonly Line[]> {
  const server = startChild('server.ts')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  try {
    const ask = asker(await server.ask<Served>('start', folderOf(size)), shuffled(tickersOf(size)), agent)
    const began = performance.now()
    const cold = await ask(100)
    while ((await ask(100)).fetch > 5 && performance.now() - began < PATIENCE_MS) await new Promise(soon => setTimeout(soon, 100))
    const cachedMs = performance.now() - began
    return [
      ...(await measureWarm(ask, rounds)),
      { name: '  the first query after the start', measured: cold.ms, unit: 'ms' },
      { name: '  newest rows cached after the start', measured: cachedMs, unit: 'ms' },
    ]
  } finally {
    agent.destroy()
    await server.stop()
  }
}

type Ask = (count: number, asOf?: string) => Promise<Timed>

function asker({ url, keys }: Served, tickers: readonly string[], agent: Agent): Ask {
  let turn = 0
  return (count, asOf = '') => {
    const ids = Array.from({ length: count }, (_, index) => tickers[(turn * count + index) % tickers.length]!)
    const key = keys[turn++ % keys.length]!
    return timed(`${url}/v2/query?entity_type=company&entity_ids=${ids}&fields=${FIELDS}${asOf}`, key, agent)
  }
}

async function measureWarm(ask: Ask, rounds: number): Promise<readonly Line[]> {
  const [many, one, old]: [number[], number[], number[]] = [[], [], []]
  for (let round = 0; round < rounds; round++) {
    many.push((await ask(100)).ms)
    one.push((await ask(1)).ms)
  }
  for (let round = 0; round < rounds / 10; round++) old.push((await ask(100, `&as_of_date=${LONG_AGO}`)).ms)
  const unit = 'ms'
  return [
    { name: 'field query, 100 entities x 10 fields, p50', measured: median(many), unit, goal: { atMost: 15 } },
    { name: '  p99', measured: quantile(many, 0.99), unit },
    { name: '  one entity / 100, p50', measured: median(one), against: median(many), unit },
    { name: '  as of a day years ago / today, p50', measured: median(old), against: median(many), unit },
  ]
}

/** @throws Error for a status other than 200 */
const timed = (url: string, key: string, agent: Agent): Promise<Timed> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const request = get(url, { agent, headers: { 'x-api-key': key } }, response => {
      response.resume()
      response.on('end', () => {
        if (response.statusCode !== 200) return reject(new Error(`a field query was answered ${response.statusCode}`))
        const fetch = Number(/fetch;dur=([\d.]+)/.exec(String(response.headers['server-timing']))?.[1])
        resolve({ ms: performance.now() - began, fetch })
      })
    })
    request.on('error', reject)
  })
