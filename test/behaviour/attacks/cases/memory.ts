import { once } from 'node:events'
import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { publishFiles } from '../../../../ingest/index.ts'
import { literal } from '../../../../src/engine/index.ts'
import { openTestWorkspace } from '../../../support.ts'
import { growthOf } from '../../soak/growth.ts'
import { ask } from '../ask.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { openMemoryGroup } from '../memory-group.ts'
import { type Caller, peakRssOf, prepare, rssOf, start } from '../service.ts'

const MIB = 2 ** 20
const LIMIT = 1_024 * MIB
/** Maximum memory during small reads in bytes, including the start. */
const MOST_RSS = 600 * MIB
const CONNECTIONS = 64
/**
 * Interval of memory samples during small reads, and warm-up time before the measurement of growth.
 */
const [EVERY_MS, WARM_UP_MS] = [5_000, 60_000]
/** Number of rows of the long answer at full scale, and characters per row without its key. */
const [ROWS, WIDTH] = [60_000, 900]
const SLOW = 8
/** Seconds after which the service cuts an answer that its client does not read. */
const CUT_S = 60
const LONG = '/v2/datasets/company-risk-events?symbol=1101&limit=100000'
const KINDS = "['attention', 'disposition', 'altered_trading', 'managed_stock', 'suspension', 'default_settlement']"
const SMALL = [
  '/v2/datasets/institutional-positioning?symbol=2330',
  '/v2/datasets/daily-prices?symbol=2330&limit=5',
  '/v2/datasets/securities-firm-master',
]

async function run(bounds: Bounds): Promise<Outcome> {
  const group = openMemoryGroup(LIMIT)
  if (group === undefined)
    return { tries: 0, failures: [], skipped: 'this system or user cannot limit the memory of a process with a control group' }
  let service: Service | undefined
  try {
    const folder = prepare(bounds, Array(CONNECTIONS).fill('max'))
    await publishLong(folder.dir, Math.max(2_000, scaled(bounds, ROWS)))
    service = await group.startIn(() => start(folder))
    return await attack(bounds, service, folder.callers)
  } finally {
    if (service && service.child.exitCode === null && service.child.signalCode === null) {
      service.child.kill('SIGKILL')
      await once(service.child, 'exit')
    }
    await group.remove()
  }
}

async function attack(bounds: Bounds, service: Service, callers: readonly Caller[]): Promise<Outcome> {
  const failures: string[] = []
  const small = await smallReads(service, callers, bounds.seconds * 1_000, failures)
  if (small.peak > MOST_RSS) failures.push(`small reads by ${CONNECTIONS} connections took ${Math.round(small.peak / MIB)} MiB`)
  const { growth } = small
  // One minute, the duration of the default campaign, is too short to measure growth.
  const grown = growth.isFlat === null ? '' : `${(growth.overLife * 100).toFixed(1)} %`
  if (growth.isFlat === false) failures.push(`memory grew by ${grown} under small reads`)
  bounds.say(`${small.answers} small reads, ${Math.round(small.peak / MIB)} MiB${grown && `, by ${grown} more at their end`}`)
  const slow = await slowReaders(bounds, service, callers, failures).catch(async error => {
    // The connections of a killed process break shortly before its exit is reported.
    await sleep(2_000)
    const { exitCode, signalCode } = service.child
    failures.push(`under ${SLOW} unread answers: ${error}; the service ended with ${signalCode ?? exitCode}`)
    return { bytes: 0, peak: 0, cut: 0, refused: 0, others: 0 }
  })
  if (slow.peak >= LIMIT) failures.push(`unread answers took ${Math.round(slow.peak / MIB)} MiB of ${LIMIT / MIB}`)
  if (service.child.signalCode === null && (await service.stop()) !== 0) failures.push('the service did not end in order')
  return {
    tries: small.answers + SLOW,
    failures,
    figures: {
      'limited to, MiB': LIMIT / MIB,
      'small reads': small.answers,
      'peak RSS of small reads, MiB': small.peak / MIB,
      ...(grown && { 'growth of RSS under them': grown }),
      'bytes of a long answer, MB': slow.bytes / 1e6,
      'peak RSS with slow readers, MiB': slow.peak / MIB,
      'slow readers cut': slow.cut,
      'slow readers refused': slow.refused,
      'others served meanwhile': slow.others,
    },
  }
}

/** Publishes rows of several hundred bytes each, for a large answer. */
async function publishLong(dir: string, rows: number): Promise<void> {
  const workspace = await openTestWorkspace(dir)
  const file = join(dir, 'long.parquet')
  await workspace.session.run(
    `COPY (SELECT '1101' AS symbol, (DATE '2026-06-29' - (i // 6)::INTEGER)::DATE AS event_date, ${KINDS}[1 + i % 6] AS risk_type,
       repeat(md5(i::VARCHAR), ${Math.ceil(WIDTH / 32)}) AS description, 'open' AS source_role, '{}' AS lineage FROM range(${rows}) AS a(i)) TO ${literal(file)} (FORMAT parquet)`,
  )
  const accept = ['row_count_drift', 'closed_day']
  const { status, faults } = await publishFiles(workspace, workspace.catalog.get('company-risk-events')!, [file], {
    accept,
    synthetic: false,
  })
  if (status !== 'published') throw new Error(`the long rows were ${status}: ${JSON.stringify(faults)}`)
  workspace.close()
}

type Service = Awaited<ReturnType<typeof start>>

async function smallReads({ url, pid }: Service, callers: readonly Caller[], ms: number, failures: string[]) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const [began, samples] = [performance.now(), [] as { readonly life: number; readonly age: number; readonly rss: number }[]]
  const ends = began + ms
  let answers = 0
  const sample = (): void => {
    try {
      samples.push({ life: 1, age: performance.now() - began, rss: rssOf(pid) })
    } catch {
      // If the process has ended, the broken connections of its callers report this.
    }
  }
  const looking = setInterval(sample, EVERY_MS)
  await Promise.all(
    callers.map(async ({ key }, index) => {
      for (let turn = index; performance.now() < ends; turn++) {
        const { status } = await ask(agent, `${url}${SMALL[turn % SMALL.length]}`, { 'x-api-key': key })
        if (status === 200) answers++
        else if (![429, 503].includes(status)) failures.push(`a small read is answered with ${status}`)
        else await sleep(20)
      }
    }),
  ).finally(() => clearInterval(looking))
  agent.destroy()
  return { answers, peak: peakRssOf(pid), growth: growthOf(samples, 'rss', WARM_UP_MS) }
}

/**
 * Requests long answers without reading them. Checks that the service serves other callers and cuts
 * off the slow ones.
 */
async function slowReaders({ scale, say }: Bounds, { url, pid, output }: Service, callers: readonly Caller[], failures: string[]) {
  const agent = new Agent({ keepAlive: true })
  const { port } = new URL(url)
  const whole = await ask(agent, `${url}${LONG}`, { 'x-api-key': callers[0]!.key })
  if (whole.status !== 200) failures.push(`a long answer is ${whole.status}: ${whole.body.subarray(0, 200)}`)
  const sockets = Array.from({ length: SLOW }, (_, index): Socket => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.on('error', () => {})
    socket.pause()
    socket.write(`GET ${LONG} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${callers[index % callers.length]!.key}\r\n\r\n`)
    return socket
  })
  const cutBy = scale >= 0.5 ? (CUT_S + 60) * 1_000 : 2_000
  let others = 0
  // Only later output is searched. Earlier output is long and belongs to the small reads.
  const start = output().length
  const countOf = (what: string): number => output().slice(start).split(what).length - 1
  const cut = (): number => countOf('"event":"answer cut"')
  const ended = (): number => cut() + countOf('"code":"overloaded"')
  for (const ends = performance.now() + cutBy; performance.now() < ends && ended() < SLOW; await sleep(200)) {
    const { status } = await ask(agent, `${url}${SMALL[0]}`, { 'x-api-key': callers.at(-1)!.key })
    if (status === 200) others++
    else failures.push(`during slow reads a short read is answered with ${status}`)
  }
  // Memory for unsent answers is bounded. The service refuses requests above this bound, so it need
  // not cut them off.
  const statuses = await Promise.all(sockets.map(statusOf))
  const refused = statuses.filter(status => status === '503').length
  const [all, isLong] = [cut(), scale >= 0.5]
  if (isLong && all + refused < SLOW)
    failures.push(`${all} of ${SLOW} slow readers were cut within ${cutBy / 1_000} s, ${refused} refused; statuses: ${statuses.join(' ')}`)
  for (const socket of sockets) socket.destroy()
  const peak = peakRssOf(pid)
  agent.destroy()
  say(`${all} of ${SLOW} slow readers cut, ${refused} refused, ${Math.round(peak / MIB)} MiB`)
  return { bytes: whole.body.length, peak, cut: all, refused, others }
}

/** The status of an answer that was received partially. Empty if the connection broke before. */
async function statusOf(socket: Socket): Promise<string> {
  const first = once(socket, 'data', { signal: AbortSignal.timeout(2_000) }).catch(() => [''])
  socket.resume()
  return String((await first)[0]).slice(9, 12)
}

export const cases: readonly HostileCase[] = [
  {
    id: 'R9',
    tries: 'a service limited to 1 GiB: small reads over 64 connections, then long answers that no client reads',
    holds: 'the service stays below 600 MiB under small reads and below its limit under unread answers, and serves other callers',
    run,
  },
]
