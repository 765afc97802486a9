import { Agent, get, type IncomingHttpHeaders } from 'node:http'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { openEngine } from '../src/engine/index.ts'
import { cloneOf } from './append.ts'
import { startChild } from './child.ts'
import { folderOf, type Size, SLUG, tickersOf, tradingDays, writeRows } from './data.ts'
import { ensureData } from './ensure-data.ts'
import type { Served, ServedOptions } from './server.ts'

/**
 * npm run bench:mixed -- --minutes 10 [--rows small]
 *
 * Runs all kinds of reads, and publishes one day per minute. Compares some answers with a second
 * service without caches.
 */
const { values } = parseArgs({ options: { minutes: { type: 'string', default: '10' }, rows: { type: 'string', default: 'full' } } })
const [minutes, size] = [Number(values.minutes), values.rows as Size]

const CALLERS = 12
const COMPARED_EVERY = 10
const [SAMPLE_MS, PUBLISH_MS] = [15_000, 60_000]
const MIB = 2 ** 20

const PAST = tradingDays('2026-05-29', 2_000)
const COMING = tradingDays('2026-06-30', 16)
const pick = <T>(of: readonly T[]): T => of[Math.floor(Math.random() * of.length)]!
const tickers = tickersOf(size)
const READ = `/v2/datasets/${SLUG}`

const KINDS: Readonly<Record<string, { readonly share: number; path(): string }>> = {
  'point, varied': {
    share: 0.62,
    path: () => `${READ}?symbol=${pick(tickers)}&start_date=${pick(PAST)}&limit=${20 + Math.floor(Math.random() * 61)}`,
  },
  'point, hot': { share: 0.25, path: () => `${READ}?symbol=${pick(tickers.slice(0, 20))}` },
  'a day of all': { share: 0.08, path: () => `${READ}/cross-section?date=${pick(PAST)}&format=${pick(['json', 'csv', 'arrow'])}` },
  'long answer': {
    share: 0.05,
    path: () =>
      `${READ}?symbol=${Array.from({ length: 12 }, () => pick(tickers)).join(',')}&limit=40000&format=${pick(['json', 'csv', 'ndjson', 'arrow', 'parquet'])}`,
  },
}

await ensureData(size)
const folder = cloneOf(size, 'mixed')
const [server, reference, publisher] = [startChild('server.ts'), startChild('server.ts'), startChild('publisher.ts')]
const plain = {
  env: { CACHE_BYTES: '0', ANSWER_BYTES: '0', STATE_DB: join(folder, 'reference.sqlite') },
} satisfies ServedOptions
const [served, held] = [await server.ask<Served>('start', folder), await reference.ask<Served>('start', folder, plain)]
await server.ask('rest')
await publisher.ask('open', folder)
const agent = new Agent({ keepAlive: true })

const counts = new Map<string, { answered: number; refused: Map<string, number>; ms: number[] }>()
const [end, began] = [performance.now() + minutes * 60_000, performance.now()]
let [turn, compared, wrong, published] = [0, 0, 0, 0]

interface Answered {
  readonly statusCode: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

const ask = ({ url, keys }: Served, path: string): Promise<Answered> =>
  new Promise((resolve, reject) => {
    const headers = { 'x-api-key': keys[turn++ % keys.length]! }
    get(`${url}${path}`, { agent, headers }, answer => {
      const pieces: Buffer[] = []
      answer.on('data', piece => pieces.push(piece)).on('error', reject)
      answer.on('end', () => resolve({ statusCode: answer.statusCode!, headers: answer.headers, bytes: Buffer.concat(pieces) }))
    }).on('error', reject)
  })

function kindOf(chance: number): keyof typeof KINDS {
  let below = 0
  for (const [name, { share }] of Object.entries(KINDS)) {
    below += share
    if (chance < below) return name
  }
  return Object.keys(KINDS)[0]!
}

async function compare(path: string, release: string, bytes: Buffer): Promise<void> {
  const other = await ask(held, `${path}&release=${release}`)
  if (other.statusCode !== 200) return
  compared++
  if (other.bytes.equals(bytes)) return
  wrong++
  console.error(`another answer from memory: ${path}&release=${release}`)
}

async function call(): Promise<void> {
  while (performance.now() < end) {
    const name = kindOf(Math.random())
    const [asked, at] = [KINDS[name]!.path(), performance.now()]
    const { statusCode, headers, bytes } = await ask(served, asked)
    const count = counts.get(name) ?? { answered: 0, refused: new Map<string, number>(), ms: [] as number[] }
    counts.set(name, count)
    if (statusCode === 200) {
      count.ms.push(performance.now() - at)
      // Arrow and Parquet answers differ, because they contain the request id.
      if (++count.answered % COMPARED_EVERY === 0 && !/arrow|parquet/.test(asked)) await compare(asked, String(headers['x-release']), bytes)
    } else count.refused.set(String(statusCode), (count.refused.get(String(statusCode)) ?? 0) + 1)
  }
}

async function publish(): Promise<void> {
  const engine = await openEngine({ threads: 1, memoryLimit: '1GB' })
  const session = await engine.connect()
  for (const day of COMING) await writeRows(session, size, join(folderOf('mixed'), `${day}.parquet`), [day])
  session.close()
  engine.close()
  for (const day of COMING) {
    if (performance.now() > end) return
    await publisher.ask('publish', join(folderOf('mixed'), `${day}.parquet`))
    published++
    await new Promise(resolve => setTimeout(resolve, Math.max(0, Math.min(PUBLISH_MS, end - performance.now()))))
  }
}

async function watch(): Promise<void> {
  while (performance.now() < end) {
    const [rss, open] = [await server.ask<number>('rss'), await server.ask<number>('descriptors')]
    console.log(
      `${Math.round((performance.now() - began) / 1_000)} s: ${Math.round(rss / MIB)} MiB, ${open} descriptors, ${published} days published`,
    )
    await new Promise(resolve => setTimeout(resolve, Math.min(SAMPLE_MS, Math.max(1, end - performance.now()))))
  }
}

await Promise.all([...Array.from({ length: CALLERS }, call), publish(), watch()])
for (const [name, { answered, refused, ms }] of counts) {
  const sorted = ms.sort((a, b) => a - b)
  const at = (share: number): string => `${sorted[Math.floor(share * sorted.length)]?.toFixed(1)} ms`
  console.log(`${name}: ${answered} answered, p50 ${at(0.5)}, p99 ${at(0.99)}; refused ${JSON.stringify(Object.fromEntries(refused))}`)
}
console.log(
  `${compared} answers compared, ${wrong} of them different; ${published} days published; peak ${Math.round((await server.ask<number>('peak')) / MIB)} MiB`,
)
agent.destroy()
await Promise.all([server.stop(), reference.stop(), publisher.stop()])
process.exitCode = wrong > 0 ? 1 : 0
