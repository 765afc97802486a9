import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { openTestWorkspace, publishRows } from '../../../support.ts'
import { type Audit, auditing } from '../audited.ts'
import { type Bounds, type HostileCase, type Outcome, scaled } from '../case.ts'
import { marked, readMarked, SLUG } from '../marked.ts'
import { openSequentialCaller } from '../sequential-caller.ts'
import { descriptorsOf, ledgerOf, type Prepared, prepare, rssOf, start } from '../service.ts'

const [CUTS, SOCKETS] = [20, 20_000]
/** Number of sockets that connect in parallel. A listener queues up to 511. */
const TOGETHER = 250
/** Number of local addresses from which the second half of the sockets connects. */
const ADDRESSES = 16
/**
 * Pipelined requests per socket, far more than clients send, and the memory in MiB that the service
 * may use for them.
 */
const [PIPELINED, MORE_MIB] = [50_000, 300]
/**
 * Number of additional descriptors that may be open after the attack, for engine connections and
 * files.
 */
const MORE = 64
const BACK_MS = 30_000
/** Number of refused connections that one address opens. */
const FLOODING = 1_024
const READ = `/v2/datasets/${SLUG}?symbol=1101`

/** Pattern of log lines of a service that cannot open another file. */
const SHORT = /EMFILE|[Tt]oo many open files|out of file handles/

/** Starts a service with one dataset of one part, and creates accounts for the readers. */
async function opened(bounds: Bounds) {
  const nothing = join(bounds.folder, 'nothing')
  mkdirSync(nothing)
  const folder = prepare({ ...bounds, examples: nothing }, Array(16).fill('max'))
  const workspace = await openTestWorkspace(folder.dir)
  const publish = (mark: number) => publishRows(workspace, folder.dir, workspace.catalog.get(SLUG)!, marked(mark))
  await publish(1)
  return { folder, workspace, publish }
}

/** Sets the limit of file descriptors of a running process. */
const allow = (pid: number, files: number): void => void execFileSync('prlimit', ['--pid', String(pid), `--nofile=${files}:`])

const limitOf = (pid: number): number => Number(/^Max open files +(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))![1])

function canLimit(): boolean {
  try {
    execFileSync('prlimit', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

async function starved(bounds: Bounds): Promise<Outcome> {
  if (!canLimit()) return { tries: 0, failures: [], skipped: 'prlimit, which changes the limits of a running process, is not installed' }
  const { folder, workspace, publish } = await opened(bounds)
  const service = await start(folder, { CACHE_BYTES: '0', ANSWER_BYTES: '0' })
  const audit = auditing(folder, { meant: ['overloaded'], fails: SHORT })
  const reader = readMarked(audit, service.url, folder.callers, { readers: 6, shortage: true })
  const [usual, failures, cuts] = [limitOf(service.pid), [] as string[], scaled(bounds, CUTS)]
  while (reader.counts.answers < 50) await sleep(20)
  const before = descriptorsOf(service.pid)
  for (let cut = 1; cut <= cuts; cut++) {
    allow(service.pid, Math.max(8, descriptorsOf(service.pid) - 2 + (cut % 5)))
    // Another process publishes. The service has no descriptors and must serve the release as soon
    // as it can.
    const { release } = await publish(cut + 1)
    await sleep(500 + Math.random() * 1_000)
    allow(service.pid, usual)
    const isBack = await within(BACK_MS, () => reader.marks.has(release!))
    if (!isBack) failures.push(`cut ${cut}: ${release} is not answered ${BACK_MS / 1_000} s after`)
    bounds.say(`${cut} times without descriptors, ${reader.counts.answers} answers, ${reader.counts.refused} refused`)
  }
  workspace.close()
  failures.push(...(await reader.stop()), ...(await normal(audit, service, folder, before)))
  const { answers, refused } = reader.counts
  return { tries: cuts, failures, figures: { answers, refused, 'descriptors before': before } }
}

async function within(ms: number, holds: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const ends = performance.now() + ms; performance.now() < ends; await sleep(50)) if (await holds()) return true
  return holds()
}

/**
 * Faults after the attack: readiness, descriptors, exit code, and violations in answers and logs.
 */
async function normal(
  audit: Audit,
  service: Awaited<ReturnType<typeof start>>,
  { callers, stateDb }: Prepared,
  before: number,
): Promise<readonly string[]> {
  const faults: string[] = []
  const agent = new Agent()
  const { status, body } = await audit.ask(agent, `${service.url}/readyz`)
  if (status !== 200 || (JSON.parse(String(body)) as { readonly degraded: readonly string[] }).degraded.length > 0)
    faults.push(`afterwards /readyz answers ${status}: ${String(body).slice(0, 300)}`)
  const read = await audit.ask(agent, `${service.url}${READ}`, { 'x-api-key': callers[0]!.key })
  if (read.status !== 200) faults.push(`afterwards a read is answered with ${read.status}`)
  if (!(await within(BACK_MS, () => descriptorsOf(service.pid) <= before + MORE)))
    faults.push(`afterwards ${descriptorsOf(service.pid)} descriptors are open, before ${before}`)
  if ((await service.stop()) !== 0) faults.push('the service did not end in order')
  return [...faults, ...audit.findings(service.output(), ledgerOf(stateDb)).failures]
}

const asks = (path: string, header = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${header}\r\n`
/** Requests that are refused for every caller. Each is refused by another check. */
const NOWHERE = [asks('/v2/nothing'), asks('/nothing', 'Accept: text/html\r\n'), asks('/v2/%zz'), asks('/', 'Expect: x\r\n')]
/**
 * Refusals that one address receives: initial burst, and rate per second. Each new connection
 * receives one more.
 */
const [BURST, A_SECOND] = [200, 100]
/** Seconds for which the service blocks an address with more refusals. */
const BLOCKED_S = 5
/** Minimum scale at which the case checks throughput. */
const CAMPAIGN = 0.1
/** Milliseconds for which two other callers read, with and without the attack. */
const READ_MS = 4_000

/**
 * Opens sockets that send nothing.
 *
 * @returns the sockets that are still open, and the number of closed ones
 */
async function idle(url: URL, count: number, addressOf: (index: number) => string) {
  const openSockets = new Set<Socket>()
  let closed = 0
  for (let first = 0; first < count; first += TOGETHER) {
    await Promise.all(
      Array.from({ length: Math.min(TOGETHER, count - first) }, async (_, index) => {
        const socket = connect({ host: url.hostname, port: Number(url.port), localAddress: addressOf(first + index) })
        openSockets.add(socket)
        socket
          .on('error', () => {})
          .once('close', () => {
            openSockets.delete(socket)
            closed++
          })
        await Promise.race([once(socket, 'connect'), once(socket, 'close')]).catch(() => {})
      }),
    )
  }
  return { openSockets, closed: () => closed }
}

/**
 * Opens sockets from one address that send repeatedly: again after each answer, and on a new
 * connection when the service closes one.
 */
function refused(url: URL, count: number, localAddress: string, requests: readonly Buffer[]) {
  const sockets = new Set<Socket>()
  let [refusals, opened, stopped] = [0, 0, false]
  const open = (index: number): void => {
    if (stopped) return
    opened++
    const socket = connect({ host: url.hostname, port: Number(url.port), localAddress })
    sockets.add(socket)
    socket.write(requests[index % requests.length]!)
    socket
      .on('error', () => {})
      .on('data', bytes => {
        refusals += String(bytes).split('HTTP/1.1 4').length - 1
        socket.write(requests[index % requests.length]!)
      })
      .once('close', () => {
        sockets.delete(socket)
        setImmediate(open, index)
      })
  }
  for (let index = 0; index < count; index++) open(index)
  return {
    counts: () => ({ refusals, opened }),
    stop(): void {
      stopped = true
      for (const socket of sockets) socket.destroy()
    },
  }
}

/**
 * Kinds of refused connections, with the bytes that they send. Encoded in advance, because encoding
 * megabytes of text for each connection would slow down the valid callers, which share this thread.
 */
const REFUSED = [
  ['without a key', [asks('/v2/account/usage-summary')], 1],
  ['for unknown paths', NOWHERE, 1],
  [`for unknown paths, ${PIPELINED} times in a row`, NOWHERE, PIPELINED],
] as const

async function flooded(bounds: Bounds): Promise<Outcome> {
  const { folder, workspace } = await opened(bounds)
  workspace.close()
  const service = await start(folder)
  const audit = auditing(folder)
  const url = new URL(service.url)
  const failures: string[] = []
  const keepAlive = new Agent({ keepAlive: true, maxSockets: 1 })
  const elsewhere = new Agent({ keepAlive: true, maxSockets: 1, localAddress: '127.0.0.2' })
  const key = { 'x-api-key': folder.callers[0]!.key }
  const read = (agent: Agent) => audit.ask(agent, `${service.url}${READ}`, key).then(({ status }) => status, String)
  await read(keepAlive)
  const before = descriptorsOf(service.pid)
  const half = Math.min(scaled(bounds, SOCKETS) / 2, Math.floor(limitOf(process.pid) * 0.9))
  const figures: Record<string, number> = {}
  let tries = 0
  const grown = (name: string, memory: number): void => {
    const grownMib = (rssOf(service.pid) - memory) / 2 ** 20
    figures[`MiB more memory, ${name}`] = Math.round(grownMib)
    if (grownMib > MORE_MIB) failures.push(`under sockets of ${name} it took ${grownMib.toFixed(0)} MiB more memory`)
  }
  for (const [name, addressOf, other] of [
    ['one address', () => '127.0.0.3', elsewhere],
    [`${ADDRESSES} addresses`, (index: number) => `127.0.1.${1 + (index % ADDRESSES)}`, keepAlive],
  ] as const) {
    // Opens the keep-alive connection before the attacking connections.
    await read(other)
    const memory = rssOf(service.pid)
    tries += half
    const answered: (number | string)[] = []
    let hasEnded = false
    const reading = (async () => {
      for (; !hasEnded; await sleep(20)) answered.push(await read(other))
    })()
    const { openSockets, closed } = await idle(url, half, addressOf)
    await sleep(500)
    hasEnded = true
    await reading
    grown(name, memory)
    figures[`open, ${name}`] = openSockets.size
    figures[`closed, ${name}`] = closed()
    figures[`descriptors, ${name}`] = descriptorsOf(service.pid)
    figures[`reads during, ${name}`] = answered.length
    const wrong = answered.filter(status => status !== 200)
    if (wrong.length > 0)
      failures.push(`under sockets of ${name} ${wrong.length} of ${answered.length} reads of others failed: ${wrong[0]}`)
    for (const socket of openSockets) socket.destroy()
    await within(BACK_MS, () => descriptorsOf(service.pid) <= before + MORE)
    bounds.say(`${half} sockets of ${name}`)
  }
  keepAlive.destroy()
  elsewhere.destroy()
  const others = await Promise.all([0, 1].map(() => openSequentialCaller({ url, note: audit.note })))
  let accounts = 1
  /** Each account reads once, so that it stays below its rate limit. */
  const reads = async (): Promise<number> => {
    const results = await Promise.all(
      others.map(other => other.ask({ key: folder.callers[accounts++]!.key, paths: [READ], ms: READ_MS, pauseMs: 0 })),
    )
    for (const { refused } of results)
      if (refused.length > 0) failures.push(`${refused.length} reads of others were refused: ${refused[0]}`)
    return results.reduce((sum, { times }) => sum + times.length, 0)
  }
  for (const [index, [name, texts, repeats]] of REFUSED.entries()) {
    const alone = await reads()
    const memory = rssOf(service.pid)
    // Node parses a chunk of 64 KiB completely, even if the connection is closed. With many
    // requests per socket, a small number of sockets is therefore enough.
    const count = repeats > 1 ? Math.ceil(half / 500) : Math.min(half, FLOODING)
    const requests = texts.map(text => Buffer.from(text.repeat(repeats)))
    tries += count
    const since = performance.now()
    const attack = refused(url, count, `127.0.2.${index + 1}`, requests)
    const duringAttack = await reads()
    attack.stop()
    grown(name, memory)
    const { refusals, opened } = attack.counts()
    const seconds = (performance.now() - since) / 1_000
    // Each connection receives one last refusal, and one more each time the address was blocked.
    const most = BURST + A_SECOND * seconds + count * Math.ceil(seconds / BLOCKED_S)
    if (refusals > most) failures.push(`${count} sockets ${name} had ${refusals} refusals, more than ${Math.round(most)}`)
    Object.assign(figures, {
      [`reads alone, ${name}`]: alone,
      [`reads during, ${name}`]: duringAttack,
      [`refusals, ${name}`]: refusals,
      [`connections, ${name}`]: opened,
    })
    // At a small scale, other tests run at the same time and use the processor.
    if (bounds.scale >= CAMPAIGN && duringAttack < alone / 2)
      failures.push(`during ${count} sockets refused ${name}, two callers had ${duringAttack} of ${alone} answers`)
    await within(BACK_MS, () => descriptorsOf(service.pid) <= before + MORE)
    bounds.say(`${count} sockets refused ${name}`)
  }
  for (const other of others) await other.close()
  failures.push(...(await normal(audit, service, folder, before)))
  return { tries, failures, figures }
}

export const cases: readonly HostileCase[] = [
  {
    id: 'R7',
    tries: 'the descriptor limit lowered below the number in use, under engine reads and publications',
    holds: 'the service answers correctly or refuses while descriptors are short, then serves every release without losing one',
    minutes: 10,
    run: starved,
  },
  {
    id: 'R8',
    tries:
      'thousands of idle sockets from one and from many addresses; sockets of one address that are refused without a pause, or send fifty thousand requests in a row',
    holds:
      'other addresses are answered, two other callers keep half of the throughput they have alone, memory stays bounded and all descriptors are freed',
    run: flooded,
  },
]
