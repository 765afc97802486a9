import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Floods } from '../../access/index.ts'
import { type Log, Refusal, type RefusalCode, type Stopwatch } from '../../core/index.ts'
import { isDiskFull, isStorageFault } from '../../engine/index.ts'
import { isStateDamaged, isUnwritable } from '../../state/index.ts'
import { vary } from './negotiation.ts'
import { indexPaths } from './path-index.ts'
import { errorBody, FORM_VARIES, formFor, refusalHeaders } from './refusal-form.ts'
import { createRefusalLog, FLOODS } from './refusal-log.ts'

/** By HTTP status. */
const FRAMEWORK: Readonly<Record<number, RefusalCode>> = {
  400: 'malformed_request',
  404: 'unknown_path',
  413: 'too_large',
  414: 'uri_too_long',
  415: 'unsupported_media_type',
}

/** `Retry-After` in seconds if the service cannot write, for example on a full disk. */
const WRITES_AFTER_S = 60
/** Headers of the original response that a refusal removes. */
const OF_ANSWERS = [
  'content-encoding',
  'content-disposition',
  'etag',
  'last-modified',
  'cache-control',
  'x-dataset',
  'x-release',
  'x-as-of',
  'x-row-limit',
  'x-total-rows',
  'x-data-as-of',
  'x-known-gaps',
  'x-warnings',
  'x-empty-reason',
  'x-unknown-symbols',
  'x-did-you-mean',
  'x-releases',
  'x-scanned-rows',
]
/** Faults of the service. Their cause is logged. */
export const OURS: ReadonlySet<RefusalCode> = new Set(['internal', 'integrity', 'not_writable'])

/**
 * Sends errors as responses. Errors other than a `Refusal` become `internal`, without details.
 * @param floods counter for refusals of callers without an account, and for refusals because of
 * overload
 * @param count called with the code of each refusal. Must not throw
 * @returns a check for the start of every request
 * @throws Refusal unknown_path, method_not_allowed
 */
export function handleErrors(
  app: FastifyInstance,
  log: Log,
  floods: Floods,
  count?: (code: string) => void,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const refused = createRefusalLog(log)
  app.addHook('onClose', async () => refused.close())
  app.decorateRequest('accountId', null)
  app.decorateRequest('otherMethodOf', null)
  const answer = (error: FastifyError | Refusal, request: FastifyRequest, reply: FastifyReply) => {
    const due = asRefusal(error)
    // Other refusals count against the account's requests per minute.
    const isCounted = request.accountId === null || FLOODS.has(due.wireCode)
    const flood = isCounted ? floods.recordRefusal(request) : null
    const refusal = flood?.refusal ?? due
    if (flood?.closeConnection) reply.header('connection', 'close')
    count?.(refusal.wireCode)
    const facts = {
      request_id: request.id,
      route: request.otherMethodOf ?? request.routeOptions?.url ?? null,
      status: refusal.status,
      code: refusal.wireCode,
      ...(isStorageFault(error.cause) ? { cause: (error.cause as Error).message } : {}),
    }
    if (OURS.has(refusal.code)) log('failed', { ...facts, error: error.message, stack: error.stack })
    else refused.write(refusal, request.accountId, facts)
    // A refusal must not be cached or revalidated like the original response.
    for (const name of OF_ANSWERS) reply.removeHeader(name)
    if (typeof refusal.facts['retry_after'] === 'number') reply.header('retry-after', refusal.facts['retry_after'])
    const form = formFor(request.headers, request.url)
    vary(reply, FORM_VARIES)
    reply.code(refusal.status).headers(refusalHeaders(refusal, form))
    // The framework would label a text as JSON.
    return reply.send(Buffer.from(JSON.stringify(errorBody(refusal, request.id, form))))
  }
  // Without the correct header, paths of diagnostics must look like unknown paths.
  const methodsAt = indexPaths(app, ({ url, method }) => method !== 'OPTIONS' && !url.startsWith('/internal/'))
  app.setErrorHandler<FastifyError | Refusal>(answer)
  return (request, reply) => {
    // OPTIONS routes exist only for preflights. Other OPTIONS requests are refused.
    if (!request.is404 && request.method !== 'OPTIONS') return
    const { route, methods: allowed } = methodsAt(request.url.split('?')[0]!)
    if (allowed.length === 0 || allowed.includes(request.method)) throw new Refusal('unknown_path')
    reply.header('allow', allowed.join(', '))
    request.otherMethodOf = route
    throw new Refusal('method_not_allowed', { allowed })
  }
}

export function asRefusal(error: FastifyError | Refusal): Refusal {
  if (error instanceof Refusal) return error
  // The cause is damage on disk, not the request or the code.
  if (isStorageFault(error) || isStateDamaged(error)) return new Refusal('integrity')
  if (isUnwritable(error) || isDiskFull(error)) return new Refusal('not_writable', { retry_after: WRITES_AFTER_S })
  const code = error.statusCode !== undefined && error.statusCode < 500 ? (FRAMEWORK[error.statusCode] ?? 'malformed_request') : 'internal'
  return new Refusal(code)
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Null before the credential is checked, and for callers without an account. */
    accountId: string | null
    /** Route of the path if the method is not supported, otherwise null. */
    otherMethodOf: string | null
    /** Null before the handler runs. */
    stopwatch: Stopwatch | null
  }
}
