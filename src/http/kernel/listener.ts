import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { type Config, type Log, Refusal, type Stopwatch } from '../../core/index.ts'
import { createRunningAnswers, RunningAnswer, type RunningAnswers } from './running-answers.ts'
import { cutSlowReaders, type Pace } from './slow-readers.ts'

/**
 * Maximum time for which running requests may continue after the service stops, in ms. Then they
 * are cut off.
 */
const DRAIN_MS = 15_000

/** The port of the service. It may not be open yet. */
export interface Listener {
  /**
   * Opens the port.
   *
   * @returns the address, for example `http://127.0.0.1:8080`
   * @throws Error with one sentence if the port is in use or not allowed
   */
  listen(): Promise<string>
  /**
   * Returns the listening address. Before the server listens, returns the configured host and port.
   */
  address(): string
  /** Returns the number of responses that have started and not ended. */
  running(): number
  /** True once closing has started. From then, all requests except probes are refused. */
  isDraining(): boolean
  /** Waits a limited time for running requests, then cuts them off and closes the port. */
  close(): Promise<void>
}

/**
 * Creates the listener of a service, which opens and closes the port. The port is opened later, by
 * `listen`.
 *
 * @param build creates the app. It may query the listener, but must not listen
 * @param pace minimum speed at which clients must read responses. Has a default
 * @param over called after each response has ended. Without it, nothing is measured
 */
export function openListener(
  { host, port }: Pick<Config, 'host' | 'port'>,
  log: Log,
  build: (listener: Pick<Listener, 'address' | 'isDraining'>) => FastifyInstance,
  { pace, over }: { readonly pace?: Pace; readonly over?: ((answer: OverAnswer) => void) | undefined } = {},
): Listener & { readonly app: FastifyInstance } {
  let draining = false
  let address = `http://${host}:${port}`
  const state = { address: () => address, isDraining: () => draining }
  const answers = createRunningAnswers(over && (answer => over(overAnswer(answer))))
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

/** Measurements of a response that has ended. */
export interface OverAnswer {
  readonly requestId: string
  readonly method: string
  /** Path of the route, with `:name` for parameters. Null if there is none. */
  readonly route: string | null
  /** Status of the response. 499 if the client disconnected before the end of the response. */
  readonly status: number
  /** Start of the request on the monotonic clock. `ms` is the time from the start to the end. */
  readonly since: number
  readonly ms: number
  /** Duration of the stages of the request. Null if it had none. */
  readonly time: Stopwatch | null
  /**
   * Bytes of the body. If its length was unknown in advance, all bytes sent on the connection,
   * including framing.
   */
  readonly bytes: number
  /** `Content-Type` of the response. Undefined if there is none. */
  readonly type: string | undefined
  /** Headers of the request. They are parsed only when they are read. */
  readonly request: Pick<IncomingMessage, 'headers'>
}

const CALLER_LEFT = 499

function overAnswer({ response, requestId, route, since, bytesBefore, time, length, type }: RunningAnswer): OverAnswer {
  const { req, statusCode, writableFinished, headersSent } = response
  const isRefusedUnread = !headersSent && statusCode >= 400
  const isEmpty = req.method === 'HEAD' || statusCode === 304
  return {
    requestId,
    route,
    since,
    time,
    method: req.method!,
    status: writableFinished || isRefusedUnread ? statusCode : CALLER_LEFT,
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

/**
 * Registers every response of the framework as a running response. After the service stops, refuses
 * new requests except probes.
 */
function watchAnswers(app: FastifyInstance, draining: () => boolean, answers: Pick<RunningAnswers, 'add'>): void {
  app.addHook('onRequest', (request, reply, done) => {
    answers.add(new RunningAnswer(request, reply))
    if (!draining()) return done()
    reply.header('connection', 'close')
    if (!/^\/(healthz|health|readyz)(\?|$)/.test(request.url)) throw new Refusal('draining', { retry_after: 1 })
    done()
  })
}

/**
 * Reports responses that were never registered as running, because an earlier hook refused the
 * request for its form or an unknown path.
 */
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
 * Resolves when every started response has ended. The close function of the server would cut off
 * responses in a socket buffer, and would wait forever for an unfinished request.
 */
const allOver = (answers: Pick<RunningAnswers, 'all'>): Promise<unknown> =>
  Promise.all(answers.all().map(({ response }) => once(response, 'close')))
