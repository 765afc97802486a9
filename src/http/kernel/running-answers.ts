import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Stopwatch } from '../../core/index.ts'

/** A response, from its request until it is completely sent or aborted. */
export class RunningAnswer {
  readonly response: ServerResponse
  readonly requestId: string
  /** Path of the route, for example `/v2/coverage/:dataset`. Null if there is none. */
  readonly route: string | null
  /** Start of the request on the process's monotonic clock. */
  readonly since = performance.now()
  /** Bytes that the connection had sent before this response. */
  readonly bytesBefore: number
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply

  constructor(request: FastifyRequest, reply: FastifyReply) {
    this.response = reply.raw
    this.requestId = request.id
    this.route = request.routeOptions.url ?? null
    this.bytesBefore = request.socket.bytesWritten
    this.#request = request
    this.#reply = reply
  }

  /** Stages of the request. Null before the first stage, and for requests without stages. */
  get time(): Stopwatch | null {
    return this.#request.stopwatch ?? null
  }

  /** `Content-Type` of the response. Undefined before the header is set. */
  get type(): string | undefined {
    return this.#reply.getHeader('content-type') as string | undefined
  }

  /** Bytes of the body. Undefined if they are unknown in advance. */
  get length(): number | undefined {
    const sent = this.#reply.getHeader('content-length')
    return sent === undefined ? undefined : Number(sent)
  }
}

const RUNNING = Symbol('running answer')
type Marked = ServerResponse & { [RUNNING]?: RunningAnswer }

/**
 * Stores all running responses of a server. They are in an array, not a Map. V8 frees the former
 * tables of a Map, and the requests to which they refer, only in a full garbage collection.
 *
 * @param over called after each response has ended
 */
export function createRunningAnswers(over?: (answer: RunningAnswer) => void) {
  const answers: RunningAnswer[] = []
  // All responses share one listener, which is cheaper than a closure per response.
  function closed(this: Marked): void {
    const answer = this[RUNNING]!
    const index = answers.indexOf(answer)
    const last = answers.pop()!
    if (last !== answer) answers[index] = last
    over?.(answer)
  }
  return {
    add(answer: RunningAnswer): void {
      const response: Marked = answer.response
      response[RUNNING] = answer
      answers.push(answer)
      response.on('close', closed)
    },
    has: (response: ServerResponse): boolean => (response as Marked)[RUNNING] !== undefined,
    /** Returns the running responses in no particular order. */
    all: (): readonly RunningAnswer[] => answers,
  }
}

export type RunningAnswers = ReturnType<typeof createRunningAnswers>
