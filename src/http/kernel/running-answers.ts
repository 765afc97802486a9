import type { ServerResponse } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Stopwatch } from '../../core/index.ts'

export class RunningAnswer {
  readonly response: ServerResponse
  readonly requestId: string
  /** For example `/v2/coverage/:dataset`. Null for unknown paths. */
  readonly route: string | null
  /** In ms of the monotonic clock. */
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

  /** Null before the first stage. */
  get time(): Stopwatch | null {
    return this.#request.stopwatch ?? null
  }

  /** `Content-Type`. Undefined before the header is set. */
  get type(): string | undefined {
    return this.#reply.getHeader('content-type') as string | undefined
  }

  /** Bytes of the body. Undefined if unknown in advance. */
  get length(): number | undefined {
    const sent = this.#reply.getHeader('content-length')
    return sent === undefined ? undefined : Number(sent)
  }
}

const RUNNING = Symbol('running answer')
type Marked = ServerResponse & { [RUNNING]?: RunningAnswer }

/**
 * Uses an array, because V8 retains the old tables of a grown map until the next full garbage
 * collection.
 * @param over callback after each response has ended
 */
export function createRunningAnswers(over?: (answer: RunningAnswer) => void) {
  const answers: RunningAnswer[] = []
  // A shared listener is cheaper than one closure per response.
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
    /** In no particular order. */
    all: (): readonly RunningAnswer[] => answers,
  }
}

export type RunningAnswers = ReturnType<typeof createRunningAnswers>
