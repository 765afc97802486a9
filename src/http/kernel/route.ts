import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import type { Format } from '../../../catalog/index.ts'
import { type Fault, type Grant, type Stopwatch, stopwatch, type Words } from '../../core/index.ts'
import type { Call } from '../../operations/index.ts'
import { acceptedFormat } from './accepted-format.ts'
import { ADMIT, type AdmissionDeps, type Admitted, type Callers } from './admission.ts'
import { type AnswerForm, type AnswerOf, partsOf, send, sendQuotaHeaders } from './answer.ts'
import { isCoded, matchesEtag, uncodedTags } from './coding.ts'
import { isShared } from './cross-origin.ts'
import { type Caller, cachePolicy, type Endpoint, isTagged } from './endpoint.ts'
import { type QueryOf, queryOf, readInput, type SentQuery } from './input.ts'
import { vary } from './negotiation.ts'
import { LANGUAGES, languageNamed } from './refusal-form.ts'

export interface RouteCall<E extends Endpoint = Endpoint> extends Call {
  readonly caller: Callers[E['caller']]
  readonly params: Parsed<E['path']>
  readonly query: QueryOf<E>
  readonly headers: Parsed<E['headers']>
  readonly body: Parsed<E['body']>
  readonly sent: SentQuery
  /** Network address of the client. */
  readonly address: string
  /** Default: English. Reading this property adds `Accept-Language` to `Vary`. */
  readonly language: keyof Words
  /** Null if `Accept-Language` contains no supported language. */
  readonly languageNamed: keyof Words | null
  /** Not parsed. */
  readonly search: string
  /** True if `If-None-Match` contains this tag. */
  isKnown(etag: string): boolean
  /** Format that `Accept` prefers. Null if none is supported. */
  readonly accepted: Format | null
}

type Parsed<S> = [S] extends [z.ZodType] ? z.output<S> : undefined

/** @throws Refusal, which is sent as the response */
export type Handler<E extends Endpoint> = (call: RouteCall<E>) => AnswerOf<E> | Promise<AnswerOf<E>>

/** Additional checks of a route. */
export interface Checks<E extends Endpoint> {
  /** Checks the plan before the parameters are parsed. Default: the minimum plan of `priced`. */
  readonly entitle?: (caller: Callers[E['caller']], sent: SentQuery) => void
  /** Runs after the query string and before the body is parsed. */
  readonly beforeBody?: (caller: Callers[E['caller']]) => void
  /** Returns faults that the schema cannot detect. */
  readonly bodyFaults?: (given: unknown) => readonly Fault[]
}

/** GET includes HEAD. */
export type Method = 'GET' | 'POST' | 'DELETE'

export interface Route<C extends Caller = Caller> {
  readonly method: Method
  /** For example `/v2/coverage/:dataset`. */
  readonly path: string
  readonly endpoint: Endpoint & { readonly caller: C }
  readonly handler: (call: RouteCall) => unknown
  readonly checks: Checks<Endpoint>
}

/** @param at the method and path, for example `GET /v2/coverage/:dataset` */
export function route<const E extends Endpoint>(
  at: `${Method} ${string}`,
  endpoint: E,
  handler: Handler<NoInfer<E>>,
  checks: Checks<NoInfer<E>> = {},
): Route<E['caller']> {
  const [method, path] = at.split(' ') as [Method, string]
  return { method, path, endpoint, handler: handler as unknown as Route['handler'], checks: checks as Checks<Endpoint> }
}

/**
 * Every request is checked in the same order: credential, rate limit, plan, parameters, headers,
 * body. Refusals on a priced route count as errors in the account's usage.
 */
export function serveRoutes<C extends Caller>(app: FastifyInstance, deps: AdmissionDeps<C>, routes: readonly Route<C>[]): void {
  app.decorateRequest('stopwatch', null)
  for (const one of routes) {
    const { method, path: url, endpoint } = one
    const shared = isShared(method, endpoint)
    const config = endpoint.unlisted === undefined ? { endpoint, shared } : { unlisted: endpoint.unlisted, shared }
    const handler = answering(one as Route, deps as AdmissionDeps)
    // Every GET also supports HEAD.
    if (method === 'GET') app.route({ method: ['GET', 'HEAD'], url, config, handler })
    else if (endpoint.caller !== 'payment_provider') app.route({ method, url, config, handler })
    else
      app.register(async scope => {
        // The signature covers the exact bytes, so the body must not be parsed before verification.
        scope.removeAllContentTypeParsers()
        scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 1024 * 1024 }, (_, body, done) => done(null, body))
        scope.route({ method, url, config, handler })
      })
  }
}

type Admit = (request: FastifyRequest, deps: AdmissionDeps, endpoint: Endpoint) => Admitted

function formOf({ method, endpoint }: Pick<Route, 'method' | 'endpoint'>): AnswerForm {
  const coded = isCoded(method, endpoint)
  return {
    type: `${typeof endpoint.answer === 'string' ? endpoint.answer : 'application/json'}; charset=utf-8`,
    tagged: isTagged(method, endpoint),
    coded,
    varies: [...(endpoint.formats ? ['Accept'] : []), ...(coded ? ['Accept-Encoding'] : [])],
  }
}

function answering({ method, endpoint, handler, checks }: Route, deps: AdmissionDeps) {
  const admit = ADMIT[endpoint.caller] as Admit
  const cache = cachePolicy(method, endpoint)
  const form = formOf({ method, endpoint })
  return async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
    const time = stopwatch()
    request.stopwatch = time
    const admitted = admit(request, deps, endpoint)
    const { quota } = admitted
    if (quota) request.accountId = (admitted.caller as Pick<Grant, 'accountId'>).accountId
    try {
      const parts = partsOf(await handler(enter(endpoint, admitted, checks, deps, request, reply, time)))
      if (quota) sendQuotaHeaders(reply, parts.charge?.quota ?? quota(), parts.charge?.credits ?? 0)
      if (cache !== undefined) reply.header('cache-control', cache)
      return send(request, reply, parts, form)
    } catch (error) {
      if (quota) sendQuotaHeaders(reply, quota(), 0)
      throw error
    }
  }
}

/**
 * Checks rate limit and plan, then parses all declared input.
 * @throws Refusal of the first check that fails
 */
function enter(
  endpoint: Endpoint,
  { caller, pass, passUnderstood }: Admitted,
  { entitle, beforeBody, bodyFaults }: Checks<Endpoint>,
  { gate }: AdmissionDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  time: Stopwatch,
): RouteCall {
  const { priced } = endpoint
  const sent = request.query as SentQuery
  try {
    pass?.()
    if (entitle) entitle(caller, sent)
    else if (priced && !endpoint.unparsed) gate.checkPlan(caller as Grant, priced)
    time.lap('admit')
    const { path, headers, body, probe, unparsed } = endpoint
    const params = path && readInput(path, request.params, 'path')
    const query = probe || unparsed ? sent : queryOf(endpoint, sent)
    const head = headers && readInput(headers, request.headers, 'header')
    beforeBody?.(caller)
    // Verifying the signature has already parsed the body of a payment event.
    const read =
      body && endpoint.caller !== 'payment_provider' ? readInput(body, request.body, 'body', bodyFaults?.(request.body)) : undefined
    passUnderstood?.()
    return new HttpCall(request, reply, time, { caller, params, query, headers: head, body: read, sent } as Given)
  } catch (error) {
    if (priced) gate.recordFailure(caller as Grant, priced)
    throw error
  }
}

type Given = Pick<RouteCall, 'caller' | 'params' | 'query' | 'headers' | 'body' | 'sent'>

/** A class gives all calls the same hidden class in V8. */
class HttpCall implements RouteCall {
  readonly caller: RouteCall['caller']
  readonly params: RouteCall['params']
  readonly query: RouteCall['query']
  readonly headers: RouteCall['headers']
  readonly body: RouteCall['body']
  readonly sent: SentQuery
  readonly requestId: string
  readonly planOnly: boolean
  readonly time: Stopwatch
  readonly isDisconnected: () => boolean
  readonly onSent: (next: () => void) => void
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply

  constructor(request: FastifyRequest, reply: FastifyReply, time: Stopwatch, { caller, params, query, headers, body, sent }: Given) {
    this.caller = caller
    this.params = params
    this.query = query
    this.headers = headers
    this.body = body
    this.sent = sent
    this.requestId = request.id
    this.planOnly = request.method === 'HEAD'
    this.time = time
    const response = reply.raw
    // These functions are variables instead of properties. V8 frees a function in a property, and
    // the request that the function uses, only at the next full garbage collection.
    const isDisconnected = (): boolean => response.destroyed
    const onSent = (next: () => void): void => {
      if (response.destroyed) next()
      else response.once('close', next)
    }
    this.isDisconnected = isDisconnected
    this.onSent = onSent
    this.#request = request
    this.#reply = reply
  }

  get search(): string {
    const { url } = this.#request
    const mark = url.indexOf('?')
    return mark === -1 ? '' : url.slice(mark + 1)
  }

  get accepted(): Format | null {
    return acceptedFormat(this.#request.headers.accept)
  }

  get address(): string {
    return this.#request.ip
  }

  get language(): keyof Words {
    const language = this.languageNamed ?? 'en'
    this.#reply.header('content-language', LANGUAGES[language])
    return language
  }

  get languageNamed(): keyof Words | null {
    vary(this.#reply, ['Accept-Language'])
    return languageNamed(this.#request.headers['accept-language'])
  }

  isKnown(etag: string): boolean {
    const header = this.#request.headers['if-none-match']
    return header !== undefined && matchesEtag(uncodedTags(header), etag)
  }
}
