import type { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { quantile } from '../../../../bench/table.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { openSocket } from '../raw-socket.ts'
import { descriptorsOf, rssOf } from '../service.ts'
import { attacked, type Target } from '../target.ts'

const MIB = 2 ** 20
/** Maximum additional memory for idle connections in MiB. */
const MOST_MIB = 400
/** Maximum connections of the service at full scale. The attack opens more. */
const MAX_CONNECTIONS = 2_000
/** Maximum connections in a short run. Its small number of slow clients does not exceed them. */
const MIN_CONNECTIONS = 64
/**
 * Connections per address, fewer than the share of idle connections that the service allows to one
 * address.
 */
const EACH_ADDRESS = 250
/** Seconds after which the service closes a connection whose request head or body is incomplete. */
const LATEST_SECONDS = { head: 10, body: 15 }
/**
 * Maximum delay of this closure in seconds, because the service checks its connections only at
 * intervals.
 */
const LATE_SECONDS = 35

/** Bytes that a slow client sends first, and bytes that it then sends repeatedly. */
const SLOW = {
  idle: ['', ''],
  head: ['GET /healthz HTTP/1.1\r\nHost: x\r\nX-', 'a'],
  body: ['POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 5000\r\n\r\n{', ' '],
  reader: ['GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20), ''],
} as const

const FULL: Readonly<Record<keyof typeof SLOW, number>> = { idle: 2_000, head: 200, body: 200, reader: 60 }

/**
 * A valid caller that sends one request every 50 ms, each on a new connection, during the attack.
 * Connections of slow clients must not keep out new ones.
 *
 * @returns milliseconds of each answer, and the failures
 */
async function readMeanwhile(target: Target, seconds: number) {
  const [times, failures]: [number[], string[]] = [[], []]
  const end = performance.now() + seconds * 1_000
  for (let index = 0; performance.now() < end; index++) {
    const { key } = target.callers[index % target.callers.length]!
    const began = performance.now()
    const answer = await target
      .send({ path: '/v2/datasets/institutional-positioning?symbol=2330&limit=5', headers: { 'x-api-key': key, connection: 'close' } })
      .catch((error: Error) => ({ status: 0, code: error.message }))
    if (answer.status === 200) times.push(performance.now() - began)
    else failures.push(`a valid caller got ${answer.status} ${answer.code}`)
    await sleep(50)
  }
  return { times, failures }
}

function openSlow(target: Target, kind: keyof typeof SLOW, count: number, network: number): readonly Socket[] {
  const [first, again] = SLOW[kind]
  return Array.from({ length: count }, (_, index) => {
    const socket = openSocket(
      target.url,
      process.platform === 'linux' ? `127.0.${network}.${1 + Math.floor(index / EACH_ADDRESS)}` : undefined,
    )
    socket.once('connect', () => socket.write(first))
    // A slow reader does not read the answer.
    if (kind === 'reader') socket.pause()
    else socket.resume()
    const timer = again === '' ? undefined : setInterval(() => socket.writable && socket.write(again), 1_000)
    socket.once('close', () => clearInterval(timer))
    return socket
  })
}

const crowded = (bounds: Bounds) => ({ MAX_CONNECTIONS: String(Math.max(MIN_CONNECTIONS, scaled(bounds, MAX_CONNECTIONS))) })

export const cases: readonly HostileCase[] = [
  {
    id: 'S6',
    tries:
      '2,000 idle connections, heads and bodies sent at one byte a second, clients that read nothing, and valid callers at the same time',
    holds: 'valid callers are served despite slow connections, which are closed in time and free their memory and descriptors',
    run: (bounds: Bounds): Promise<Outcome> =>
      attacked(bounds, { plans: ['max', 'max'], env: crowded(bounds) }, async target => {
        const isLinux = process.platform === 'linux'
        const [rss, descriptors] = isLinux ? [rssOf(target.pid), descriptorsOf(target.pid)] : [0, 0]
        const kinds = Object.keys(SLOW) as (keyof typeof SLOW)[]
        const sockets = new Map(
          kinds.map((kind, network) => [kind, openSlow(target, kind, scaled(bounds, FULL[kind]), network + 1)] as const),
        )
        const open = (kind: keyof typeof SLOW): number => sockets.get(kind)!.filter(socket => !socket.closed).length
        const reading = readMeanwhile(target, bounds.seconds)
        const peak = { rss, descriptors }
        const looking = setInterval(() => {
          if (!isLinux) return
          peak.rss = Math.max(peak.rss, rssOf(target.pid))
          peak.descriptors = Math.max(peak.descriptors, descriptorsOf(target.pid))
        }, 500)
        const { times, failures } = await reading
        clearInterval(looking)
        for (const kind of ['head', 'body'] as const)
          if (bounds.seconds >= LATEST_SECONDS[kind] + LATE_SECONDS && open(kind) > 0)
            failures.push(`${open(kind)} connections with a slow ${kind} are open after ${bounds.seconds} s`)
        for (const socket of [...sockets.values()].flat()) socket.destroy()
        if (times.length === 0) failures.push('no good caller was answered')
        const grown = (peak.rss - rss) / MIB
        if (grown > MOST_MIB) failures.push(`${grown.toFixed(0)} MiB more memory`)
        for (let wait = 0; isLinux && descriptorsOf(target.pid) > descriptors + 20 && wait < 50; wait++) await sleep(200)
        const left = isLinux ? descriptorsOf(target.pid) - descriptors : 0
        if (left > 20) failures.push(`${left} descriptors are not given back`)
        return {
          tries: [...sockets.values()].flat().length,
          failures: [...new Set(failures)],
          figures: {
            'descriptors at most': peak.descriptors,
            'MiB more memory': grown,
            'good reads': times.length,
            'their median ms': quantile(times.length > 0 ? times : [0], 0.5),
            'p99 ms': quantile(times.length > 0 ? times : [0], 0.99),
          },
        }
      }),
  },
]
