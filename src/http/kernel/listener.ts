import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type Config, type Log, Refusal, type Stopwatch } from '../../core/index.ts'
import { createRunningAnswers, RunningAnswer, type RunningAnswers } from './running-answers.ts'
import { cutSlowReaders, type Pace } from './slow-readers.ts'

/** Time for running requests after the service stops, in ms. */
const DRAIN_MS = 15_000

export interface Listener {
  /**
   * Opens the port.
   * @returns the address, for example `http://127.0.0.1:8080`
   * @throws Error with one sentence if the port is in use or not allowed
   */
  listen(): Promise<string>
  /** Until the server listens, returns the configured host and port. */
  address(): string
  running(): number
  /** True while the service stops. During the stop, only probes are answered. */
  isDraining(): boolean
  /** Waits a limited time for running requests. */
  close(): Promise<void>
}

/**
 * Creates a listener. Only `listen` opens the port.
 * @param build creates the app
 * @param pace minimum reading speed of clients
 * @param over callback after each response
 * @param ended cheaper callback after each complete response of a route
 */
export function openListener(
  { host, port }: Pick<Config, 'host' | 'port'>,
  log: Log,
  build: (listener: Pick<Listener, 'address' | 'isDraining'>) => FastifyInstance,
  { pace, over, ended }: ListenerOptions = {},
): Listener & { readonly app: FastifyInstance } {
  let draining = false
  let address = `http://${host}:${port}`
  const state = { address: () => address, isDraining: () => draining }
  const answers = createRunningAnswers(answer => {
    const status = statusOf(answer.response)
    if (answer.route !== null && status !== CALLER_LEFT) ended?.(answer.route, status)
    over?.(overAnswer(answer))
  })
  const app = build(state)
  watchAnswers(app, state.isDraining, answers)
  if (over) tellOfRefused(app, answers, over)
  const stopCutting = cutSlowReaders(answers, log, pace)
  const close = async (): Promise<void> => {
    draining = true
    await Promise.race([allOver(answers), sleep(DRAIN_MS, undefined, { ref: false })])
    app.server.closeAllConnections()
    stopCutting()
    await app.close()
  }
  let closing: Promise<void> | undefined
  return {
    ...state,
    running: () => answers.all().length,
    app,
    async listen() {
      address = await app.listen({ port, host }).catch(error => {
        throw explained(error, host, port)
      })
      return address
    },
    close: () => (closing ??= close()),
  }
}

interface ListenerOptions {
  readonly pace?: Pace
  readonly over?: ((answer: OverAnswer) => void) | undefined
  readonly ended?: (route: string, status: number) => void
}

export interface OverAnswer {
  readonly requestId: string
  readonly method: string
  /** With `:name` for parameters. Null for unknown paths. */
  readonly route: string | null
  /** 499 if the client disconnected before the end of the response. */
  readonly status: number
  /** Start in ms of the monotonic clock. `ms` is the duration. */
  readonly since: number
  readonly ms: number
  readonly time: Stopwatch | null
  /**
   * Bytes of the body. If the length was unknown in advance, includes all bytes on the connection.
   */
  readonly bytes: number
  /** Undefined if the response has no media type. */
  readonly type: string | undefined
  /** Headers are parsed on access. */
  readonly request: Pick<IncomingMessage, 'headers'>
}

const CALLER_LEFT = 499

function statusOf({ statusCode, writableFinished, headersSent }: RunningAnswer['response']): number {
  const isRefusedUnread = !headersSent && statusCode >= 400
  return writableFinished || isRefusedUnread ? statusCode : CALLER_LEFT
}

function overAnswer({ response, requestId, route, since, bytesBefore, time, length, type }: RunningAnswer): OverAnswer {
  const { req, statusCode } = response
  const isEmpty = req.method === 'HEAD' || statusCode === 304
  return {
    requestId,
    route,
    since,
    time,
    method: req.method!,
    status: statusOf(response),
    ms: performance.now() - since,
    bytes: isEmpty ? 0 : (length ?? req.socket.bytesWritten - bytesBefore),
    type,
    request: req,
  }
}

function explained(error: unknown, host: string, port: number): unknown {
  const { code } = error as NodeJS.ErrnoException
  if (code === 'EADDRINUSE')
    return new Error(`Port ${port} on ${host} is in use. Stop the program that uses it, or start with PORT=<another port>.`)
  if (code === 'EACCES') return new Error(`This user is not allowed to open port ${port}. Use a port above 1023, for example PORT=8080.`)
  return error
}

/** While the service stops, refuses requests except probes. */
function watchAnswers(app: FastifyInstance, draining: () => boolean, answers: Pick<RunningAnswers, 'add'>): void {
  app.addHook('onRequest', (request, reply, done) => {
    answers.add(new RunningAnswer(request, reply))
    if (!draining()) return done()
    reply.header('connection', 'close')
    if (!/^\/(healthz|health|readyz)(\?|$)/.test(request.url)) throw new Refusal('draining', { retry_after: 1 })
    done()
  })
}

/** Reports responses to requests that a hook refused early. */
function tellOfRefused(app: FastifyInstance, answers: Pick<RunningAnswers, 'has'>, over: (answer: OverAnswer) => void): void {
  app.addHook('onResponse', (request, reply, done) => {
    if (answers.has(reply.raw)) return done()
    const { method, id: requestId, routeOptions, otherMethodOf, raw } = request
    over({
      requestId,
      method,
      route: otherMethodOf ?? routeOptions.url ?? null,
      status: reply.statusCode,
      since: performance.now() - reply.elapsedTime,
      ms: reply.elapsedTime,
      time: null,
      bytes: method === 'HEAD' ? 0 : Number(reply.getHeader('content-length') ?? 0),
      type: reply.getHeader('content-type') as string | undefined,
      request: raw,
    })
    done()
  })
}

/**
 * Resolves when every started response has ended. The server's `close` would cut off buffered
 * responses. `close` would also wait forever for an unfinished request.
 */
const allOver = (answers: Pick<RunningAnswers, 'all'>): Promise<unknown> =>
  Promise.all(answers.all().map(({ response }) => once(response, 'close')))
