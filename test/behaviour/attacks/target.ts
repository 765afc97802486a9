import { readdirSync, readFileSync } from 'node:fs'
import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PlanId } from '../../../catalog/index.ts'
import { answerOf, auditing } from './audited.ts'
import type { Bounds, Outcome } from './case.ts'
import { type Caller, ledgerOf, prepare, start } from './service.ts'

/** One request. Header values that are lists are sent as that many headers. */
export interface Attack {
  readonly method?: string
  /** Sent as it is. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Buffer
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The word of a refusal; empty where the answer is none. */
  readonly code: string
}

export interface TargetOptions {
  /** Plan of each account. */
  readonly plans: readonly PlanId[]
  readonly env?: Readonly<Record<string, string>>
  /** Words of refusals with a status of 5xx that the case brings about on purpose. */
  readonly meant?: readonly string[]
  /** True where another program sends requests as well: the ledger then holds uses that were answered to it. */
  readonly others?: boolean
  /** Kept connections at most; 64 when absent. */
  readonly connections?: number
}

export interface Target {
  readonly url: URL
  readonly pid: number
  readonly stateDb: string
  readonly callers: readonly Caller[]
  /** Sends a request over one of many kept connections, and holds its answer to what holds for all of them. @throws Error when no answer comes */
  send(attack: Attack): Promise<Answer>
  /** Sends a request and ends its connection so many milliseconds later, whatever came by then. The ledger may hold its use. */
  abandon(attack: Attack, afterMs: number): Promise<void>
  /** Notes an answer that came over a connection of the case's own. */
  note(path: string, answer: Answer): void
  /** Adds to what no log line and no answer may hold. */
  secret(text: string): void
  /** Code in the newest mail to an address; undefined where none came. */
  codeFor(email: string): string | undefined
  readonly log: () => string
}

const CONNECTIONS = 64
const TIMEOUT_MS = 30_000

/**
 * Starts a service, attacks it, stops it, and adds to the failures what held for none of the answers: a 5xx that nobody meant, an answer or a log line
 * with a secret, SQL or path of the service in it, and a ledger that is not exactly the answers that were charged.
 */
export async function attacked(bounds: Bounds, options: TargetOptions, attack: (target: Target) => Promise<Outcome>): Promise<Outcome> {
  const prepared = prepare(bounds, options.plans)
  const service = await start(prepared, options.env)
  const agent = new Agent({ keepAlive: true, maxSockets: options.connections ?? CONNECTIONS })
  const audit = auditing(prepared, options)
  const url = new URL(service.url)
  const target: Target = {
    url,
    pid: service.pid,
    stateDb: prepared.stateDb,
    callers: prepared.callers,
    async send(sent) {
      const answer = await exchange(url, agent, sent)
      audit.note(sent.path, answer, sent.headers)
      return answer
    },
    async abandon({ method = 'GET', path, headers = {}, body }, afterMs) {
      audit.abandoned()
      const sent = request({ host: url.hostname, port: url.port, agent: false, method, path, headers: headers as OutgoingHttpHeaders })
      sent.on('error', () => {}).on('response', response => response.resume().on('error', () => {}))
      sent.end(body)
      await sleep(afterMs)
      sent.destroy()
    },
    note: audit.note,
    secret: audit.secret,
    codeFor: email => newestCode(service.mails, email),
    log: service.output,
  }
  try {
    const outcome = await attack(target)
    agent.destroy()
    const code = await service.stop()
    const stopped = code === 0 ? [] : [`the service stopped with exit code ${code}: ${service.output().slice(-500)}`]
    const found = audit.findings(service.output(), ledgerOf(prepared.stateDb))
    return {
      ...outcome,
      failures: [...outcome.failures, ...stopped, ...found.failures],
      figures: { ...outcome.figures, ...found.figures },
    }
  } finally {
    agent.destroy()
    if (service.child.exitCode === null) service.child.kill('SIGKILL')
  }
}

function exchange({ hostname, port }: URL, agent: Agent, { method = 'GET', path, headers = {}, body }: Attack): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const sent = request(
    { host: hostname, port, agent, method, path, headers: { ...length, ...(headers as OutgoingHttpHeaders) }, timeout: TIMEOUT_MS },
    response => {
      const pieces: Buffer[] = []
      response.on('data', piece => pieces.push(piece))
      response.once('error', reject)
      response.once('end', () => resolve(answerOf(response.statusCode!, response.headers, Buffer.concat(pieces).toString('latin1'))))
    },
  )
  sent.once('timeout', () => sent.destroy(new Error(`no answer within ${TIMEOUT_MS} ms: ${method} ${path}`)))
  sent.once('error', reject)
  sent.end(body)
  return promise
}

function newestCode(mails: string, email: string): string | undefined {
  const letters = readdirSync(mails)
    .sort()
    .map(name => readFileSync(join(mails, name), 'utf8'))
    .filter(text => text.toLowerCase().includes(email.toLowerCase()))
  return /\b\d{8}\b/.exec(
    letters
      .at(-1)
      ?.split(/\r?\n\r?\n/)
      .slice(1)
      .join('\n') ?? '',
  )?.[0]
}

/** Does `work` for 0, 1, … up to `count`, so many at once, and begins none after `seconds`. @returns how many were done */
export async function atOnce(count: number, workers: number, seconds: number, work: (index: number) => Promise<void>): Promise<number> {
  const end = performance.now() + seconds * 1_000
  let next = 0
  await Promise.all(
    Array.from({ length: Math.min(workers, count) }, async () => {
      while (next < count && performance.now() < end) await work(next++)
    }),
  )
  return next
}
