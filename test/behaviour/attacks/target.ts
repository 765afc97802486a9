import { readdirSync, readFileSync } from 'node:fs'
import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { PlanId } from '../../../catalog/index.ts'
import { answerOf, auditing } from './audited.ts'
import type { Bounds, Outcome } from './case.ts'
import { type Caller, ledgerOf, prepare, start } from './service.ts'

/** One request. A header with a list of values is sent once for each value. */
export interface Attack {
  readonly method?: string
  /** Path that is sent unchanged. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: string | Buffer
  /** Milliseconds without an answer after which the attack fails. Default: 30 s. */
  readonly timeoutMs?: number
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** The error code; empty for other answers. */
  readonly code: string
}

export interface TargetOptions {
  /** The plan of each account. */
  readonly plans: readonly PlanId[]
  readonly env?: Readonly<Record<string, string>>
  /** Error codes of 5xx answers that the case provokes. */
  readonly meant?: readonly string[]
  /** True if another program also sends requests. The ledger then has uses of its answers. */
  readonly others?: boolean
  /** Maximum number of keep-alive connections. Default: 64. */
  readonly connections?: number
}

export interface Target {
  readonly url: URL
  readonly pid: number
  readonly stateDb: string
  readonly callers: readonly Caller[]
  /**
   * Sends a request over one of several keep-alive connections, and checks its answer against the
   * rules for every answer.
   *
   * @throws Error if there is no answer
   */
  send(attack: Attack): Promise<Answer>
  /**
   * Sends a request and closes its connection `afterMs` later. The ledger may or may not contain
   * its use.
   */
  abandon(attack: Attack, afterMs: number): Promise<void>
  /** Records an answer that the case received over a connection of its own. */
  note(path: string, answer: Answer): void
  /** Adds a text that no log line and no answer may contain. */
  secret(text: string): void
  /** The code in the newest mail to an address. Undefined if there is no mail. */
  codeFor(email: string): string | undefined
  readonly log: () => string
}

const CONNECTIONS = 64
const TIMEOUT_MS = 30_000

/**
 * Starts a service, attacks it, stops it, and adds violations of the rules for every answer: an
 * unexpected 5xx; a secret, SQL or path of the service in an answer or log line; a ledger that
 * differs from the charged answers.
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

function exchange(
  { hostname, port }: URL,
  agent: Agent,
  { method = 'GET', path, headers = {}, body, timeoutMs = TIMEOUT_MS }: Attack,
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
  const sent = request(
    { host: hostname, port, agent, method, path, headers: { ...length, ...(headers as OutgoingHttpHeaders) }, timeout: timeoutMs },
    response => {
      const pieces: Buffer[] = []
      response.on('data', piece => pieces.push(piece))
      response.once('error', reject)
      response.once('end', () => resolve(answerOf(response.statusCode!, response.headers, Buffer.concat(pieces).toString('latin1'))))
    },
  )
  sent.once('timeout', () => sent.destroy(new Error(`no answer within ${timeoutMs} ms: ${method} ${path}`)))
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

/**
 * Calls `work` with 0, 1, … below `count`, up to `workers` calls in parallel. Starts no call after
 * `seconds`.
 *
 * @returns the number of calls
 */
export async function inParallel(count: number, workers: number, seconds: number, work: (index: number) => Promise<void>): Promise<number> {
  const end = performance.now() + seconds * 1_000
  let next = 0
  await Promise.all(
    Array.from({ length: Math.min(workers, count) }, async () => {
      while (next < count && performance.now() < end) await work(next++)
    }),
  )
  return next
}
