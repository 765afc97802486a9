import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { LRUCache } from 'lru-cache'
import type { Gate } from '../../access/index.ts'
import { newId, stopwatch } from '../../core/index.ts'
import type { Call } from '../../operations/index.ts'
import { type Answered, type AnswerForm, inCoding, partsOf } from './answer.ts'
import type { AnswersAtOnce } from './answers-at-once.ts'
import { codedTag, codingFor } from './coding.ts'
import { waitsInLine } from './connections.ts'
import { cachePolicy } from './endpoint.ts'
import { plainHeaders } from './plain-headers.ts'
import { plainQuery } from './plain-query.ts'
import { quotaHeaders } from './quota-headers.ts'
import { hasKeyInUrl } from './request-shape.ts'
import { formOf, type Route } from './route.ts'
import type { Begun } from './slow-readers.ts'

export interface AtOnceDeps {
  readonly gate: Gate
  /** Requests are refused from now on. */
  readonly draining: () => boolean
  /** Notes an answer that has begun. */
  readonly began: (response: ServerResponse, begun: Begun) => void
  readonly config: { readonly corsOrigins: readonly string[]; readonly trustProxy: readonly string[] }
}

/** A path and query that was understood before. */
interface Known {
  readonly to: Line
  readonly question: object
}

/** A route, and what all of its answers say alike. */
interface Line {
  readonly path: string
  readonly answers: AnswersAtOnce
  readonly form: AnswerForm
  readonly alike: readonly string[]
}

/** URLs that are kept, with what they ask: 1.7 KB each. Several forms of a few thousand keys are in use at a time. */
const MOST_URLS = 8_192
const LONGEST_URL = 1_024

/**
 * Answers requests that need nothing but what is in memory before the framework sees them. A request that is anything but plain, an answer that
 * is not at hand and every refusal go to the framework as if nothing had been tried: so there is one place that words refusals, and one
 * that knows every form of a request.
 */
export function answerAtOnce(server: Server, routes: readonly Route[], { gate, draining, began, config }: AtOnceDeps): void {
  const [framework] = server.listeners('request') as [(request: IncomingMessage, response: ServerResponse) => void]
  const shared = config.corsOrigins.length > 0
  const lines = new Map(routes.flatMap(route => (route.atOnce ? [[route.path, lineOf(route, route.atOnce, shared)] as const] : [])))
  const known = new LRUCache<string, Known>({ max: MOST_URLS })
  const understand = (url: string): Known | undefined => {
    const found = known.get(url)
    if (found || url.length > LONGEST_URL) return found
    const mark = url.indexOf('?')
    const to = lines.get(mark === -1 ? url : url.slice(0, mark))
    const query = to && plainQuery(mark === -1 ? '' : url.slice(mark + 1))
    if (!query || hasKeyInUrl(url, query)) return undefined
    const question = to.answers.questionOf(query, 'json')
    if (!question) return undefined
    const understood = { to, question }
    known.set(url, understood)
    return understood
  }
  const tryAtOnce = (request: IncomingMessage, response: ServerResponse): boolean => {
    if (request.method !== 'GET' || request.httpVersionMajor !== 1 || draining()) return false
    const headers = plainHeaders(request.rawHeaders, { shared, trusted: config.trustProxy.length > 0 })
    if (!headers) return false
    const time = stopwatch()
    const caller = gate.recognize(headers.key)
    if (!caller) return false
    const asked = understand(request.url!)
    if (!asked) return false
    time.lap('admit')
    const { to, question } = asked
    const begun = {
      requestId: newId('req'),
      route: to.path,
      since: time.began,
      time,
      bytes: 0,
      length: () => begun.bytes,
      type: isJson,
      over: NOTHING,
    }
    const call: Call = {
      requestId: begun.requestId,
      time,
      hasLeft: () => response.destroyed,
      whenLeft(then) {
        if (response.destroyed) then()
        else begun.over = then
      },
    }
    const taken = to.answers.answer(question, caller, call, {
      pass: () => gate.limitRequest(caller),
      done: answer => {
        begun.bytes = write(response, call.requestId, answer, to, headers.codings)
      },
      broken: () => response.destroy(),
      failed: () => framework(request, response),
    })
    if (taken) began(response, begun)
    return taken
  }
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    let taken = false
    try {
      taken = tryAtOnce(request, response)
    } catch {
      // Whatever it is, the framework says it to the caller and the log.
    }
    if (!taken) framework(request, response)
  }
  server.removeListener('request', framework)
  server.on('request', (request, response) => {
    if (!waitsInLine(request, () => handle(request, response))) handle(request, response)
  })
}

const NOTHING = (): void => {}
const isJson = (): string => 'application/json'

function lineOf({ method, path, endpoint }: Route, answers: AnswersAtOnce, shared: boolean): Line {
  const form = formOf({ method, endpoint })
  const varies = [...(shared ? ['Origin'] : []), ...form.varies].join(', ')
  const cache = cachePolicy(method, endpoint)
  const alike = ['x-content-type-options', 'nosniff', ...(varies ? ['vary', varies] : []), ...(cache ? ['cache-control', cache] : [])]
  return { path, answers, form, alike }
}

/** Sends an answer in one write, with others that are ready. @returns bytes of the body */
function write(response: ServerResponse, id: string, answer: Answered<never>, { alike, form }: Line, codings: string | undefined): number {
  const { bytes, headers = {}, charge, encoder } = partsOf(answer)
  const body = bytes as Buffer
  const wanted = form.coded && codings !== undefined && !encoder?.isCompressed ? codingFor(codings, body.length) : null
  const coded = wanted === null ? body : inCoding(body, wanted)
  // What is coded on another thread is too large to leave at once, and never gets here; it would leave as it is.
  const [sent, coding] = Buffer.isBuffer(coded) ? [coded, wanted] : [body, null]
  const head: (string | number)[] = ['x-request-id', id, ...alike]
  for (const name in headers) {
    const value = headers[name]
    if (value === undefined) continue
    head.push(name, coding !== null && name === 'etag' ? codedTag(String(value), coding) : value)
  }
  if (charge) head.push(...quotaHeaders(charge.quota, charge.credits))
  if (coding !== null) head.push('content-encoding', coding)
  head.push('content-type', encoder?.mediaType ?? form.type, 'content-length', sent.length)
  if (response.socket) leaveTogether(response.socket)
  response.writeHead(200, head as string[])
  response.end(sent)
  return sent.length
}

/** Sockets whose answers leave once all that are ready now are made: a reader that is woken by one finds the next one there and need not be woken again. */
let leaving: Socket[] = []

function leaveTogether(socket: Socket): void {
  socket.cork()
  if (leaving.push(socket) === 1) process.nextTick(letLeave)
}

function letLeave(): void {
  const sockets = leaving
  leaving = []
  for (const socket of sockets) socket.uncork()
}
