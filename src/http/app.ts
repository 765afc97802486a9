import type { IncomingMessage, ServerResponse } from 'node:http'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import { type Config, newId, once, Refusal, type RefusalCode } from '../core/index.ts'
import type { BillingDeps, DiagnosticsDeps, QueryDeps, SearchDeps, ShareDeps } from '../operations/index.ts'
import {
  type AdmissionDeps,
  type Answering,
  acceptable,
  afterAnswers,
  checkShape,
  createProxyWarning,
  errorBody,
  FORM_VARIES,
  formFor,
  handleErrors,
  PLAIN_FORM,
  type RefusalPace,
  refusalHeaders,
  sentInstead,
  serveInLine,
  serveRoutes,
  shareAcrossOrigins,
  waitsInLine,
} from './kernel/index.ts'
import { collectRoutes, EXPOSED, openApi } from './openapi/index.ts'
import {
  accountRoutes,
  adminRoutes,
  agentRoutes,
  billingRoutes,
  type CatalogDeps,
  catalogRoutes,
  createShell,
  datasetRoutes,
  docsRoutes,
  fileRoutes,
  loadAssets,
  nowherePage,
  type OperatorDeps,
  openbbRoutes,
  operatorRoutes,
  PAGE_HEADERS,
  type PartRouteDeps,
  type PlatformDeps,
  type PortalDeps,
  type PublicationDeps,
  pageRoutes,
  partRoutes,
  platformRoutes,
  portalRoutes,
  profileRoutes,
  publicationRoutes,
  queryRoutes,
  type ReadDeps,
  releaseRoutes,
  searchRoutes,
  selfServeRoutes,
  sharingRoutes,
  webhookRoutes,
} from './routes/index.ts'
import { unencodedUrl } from './unencoded-url.ts'

/** What the routes and their admission depend on, together. */
export type AppDeps = AdmissionDeps &
  ReadDeps &
  QueryDeps &
  SearchDeps &
  ShareDeps &
  BillingDeps &
  DiagnosticsDeps &
  OperatorDeps &
  CatalogDeps &
  PlatformDeps &
  PartRouteDeps &
  PublicationDeps &
  Omit<PortalDeps, 'assets' | 'shell'> & {
    readonly refusals: RefusalPace
    /** Told of each request that is refused or fails, by the code that is sent. Must not throw. */
    readonly refused?: ((code: string) => void) | undefined
    /** Told of each request that is answered before the framework sees it, because it cannot be read. Must not throw. */
    readonly unread?: ((status: number, code: string) => void) | undefined
  }

/** The whole HTTP service over what it is given; nothing here opens a file or a port. */
export function createApp(deps: AppDeps): FastifyInstance {
  const app = framework(deps)
  const warnOfProxy = createProxyWarning(deps.log)
  const refuseUnrouted = handleErrors(app, deps.log, deps.refusals, deps.refused)
  const assets = loadAssets()
  const shell = createShell(assets, deps.origin)
  const share = shareAcrossOrigins(app, deps.config.corsOrigins, EXPOSED)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
    warnOfProxy(request)
    if (share(request, reply)) return
    checkShape(request)
    const nowhere = request.is404 && nowherePage(shell, { method: request.method, path: pathOf(request), wanted: wantedBy(request) })
    if (nowhere) {
      reply.code(404).headers(PAGE_HEADERS).header('vary', 'Accept').type('text/html; charset=utf-8')
      return deps.refusals.send(request, () => void reply.send(nowhere))
    }
    refuseUnrouted(request, reply)
    done()
  })
  app.server.on('checkExpectation', (request, response) => {
    const handle = () => refuseExpectation(request, response, deps)
    if (!waitsInLine(request, handle)) handle()
  })
  // Clients that name a type on every request name it where there is no body, too.
  const json = app.getDefaultJsonParser('error', 'error')
  // The framework takes text as well, which no route does.
  app.removeContentTypeParser('text/plain')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) =>
    body === '' ? done(null) : json(request, body as string, done),
  )
  declareRoutes(app, deps, { assets, shell })
  serveInLine(app.server)
  return app
}

const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0]!
const wantedBy = ({ headers }: FastifyRequest): string | undefined => acceptable(headers.accept)[0]?.value

/** What refusals take that no hook sees. */
type Unrouted = Pick<AppDeps, 'refusals' | 'unread'> & { readonly config: Pick<Config, 'trustProxy'> }

/**
 * Sends such a refusal at the pace of its address. Behind a proxy that is known by the proxy's own alone, so there it is sent at once;
 * proxies refuse such requests themselves.
 */
function sendUnrouted({ refusals, config }: Unrouted, { socket }: IncomingMessage, send: () => void): void {
  if (config.trustProxy.length > 0) return send()
  refusals.send({ accountId: null, ip: socket.remoteAddress ?? '', raw: { socket } }, send)
}

/** The web framework with our limits, and its own refusals in our shape. */
function framework(deps: Unrouted): FastifyInstance {
  const { trustProxy } = deps.config
  return Fastify({
    logger: false,
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    genReqId: () => newId('req'),
    requestIdHeader: false,
    // While stopping, probes tell so and everything else is refused in our own shape.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    bodyLimit: 64 * 1024,
    requestTimeout: 15_000,
    keepAliveTimeout: 65_000,
    // A request without Host is refused by checkShape, in the shape every refusal has.
    http: { maxHeaderSize: 16 * 1024, headersTimeout: 10_000, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    // As long as a URL may be: an overlong id is an unknown one, not an overlong URL.
    routerOptions: { maxParamLength: 8_192 },
    frameworkErrors: (error, request, reply) => refusePath(error.statusCode, request as FastifyRequest, reply as FastifyReply, deps),
    clientErrorHandler: (error, socket) => refuseRaw(error, socket, deps.unread),
  })
}

/** Every route, in the order the documentation lists them. */
function declareRoutes(app: FastifyInstance, deps: AppDeps, pages: Pick<PortalDeps, 'assets' | 'shell'>): void {
  const described = collectRoutes(app)
  const api = once(() => openApi(described))
  const routes = [
    ...platformRoutes(deps),
    ...datasetRoutes(deps),
    ...profileRoutes(deps),
    ...partRoutes(deps),
    ...releaseRoutes(deps),
    ...fileRoutes(deps),
    ...queryRoutes(deps),
    ...sharingRoutes(deps),
    ...catalogRoutes(deps),
    ...searchRoutes(deps),
    ...agentRoutes(deps),
    ...selfServeRoutes(deps),
    ...webhookRoutes(deps),
    ...accountRoutes(deps),
    ...billingRoutes(deps),
    ...adminRoutes(deps),
    ...operatorRoutes(deps),
    ...publicationRoutes(deps),
    ...openbbRoutes(deps),
    ...pageRoutes(deps, api),
    ...portalRoutes({ ...deps, ...pages }),
    ...docsRoutes({ ...deps, ...pages }, described, api),
  ]
  serveRoutes(app, deps, routes)
}

/** Node hands a request with an Expect of its own kind over before it reaches the router. */
function refuseExpectation(request: IncomingMessage, response: ServerResponse, deps: Unrouted): void {
  const [id, form, refusal] = [newId('req'), formFor(request.headers), new Refusal('malformed_request')]
  response.writeHead(417, { ...refusalHeaders(refusal, form), ...unrouted(id) })
  sendUnrouted(deps, request, () => response.end(JSON.stringify(errorBody(refusal, id, form))))
  deps.unread?.(response.statusCode, refusal.wireCode)
}

/** Answers a path the router could not read. */
function refusePath(code: number | undefined, request: FastifyRequest, reply: FastifyReply, deps: Unrouted): void {
  const { id, headers, raw } = request
  const [form, refusal] = [formFor(headers), new Refusal(code === 414 ? 'uri_too_long' : 'malformed_request')]
  reply.code(refusal.status).headers({ ...refusalHeaders(refusal, form), ...unrouted(id) })
  sendUnrouted(deps, raw, () => void reply.send(Buffer.from(JSON.stringify(errorBody(refusal, id, form)))))
  deps.unread?.(refusal.status, refusal.wireCode)
}

/** Headers of a refusal that no hook has seen. */
const unrouted = (id: string) => ({ 'x-request-id': id, 'x-content-type-options': 'nosniff', vary: FORM_VARIES.join(', ') })

// Importing the module makes all it exports, a WebSocket client of 40 ms included.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** The parser's and the server's own errors, under our codes. */
const RAW: Readonly<Record<string, RefusalCode>> = { HPE_HEADER_OVERFLOW: 'headers_too_large', ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout' }

/** An error of the parser: what it was given, and how far it came. */
type Unparsed = NodeJS.ErrnoException & { readonly rawPacket?: unknown; readonly bytesParsed?: number }

/** What the rest of a request says of the form it wants its answer in, as far as it has arrived. */
const headersIn = (rest: string) => ({
  accept: /\r\naccept:([^\r\n]*)/i.exec(rest)?.[1],
  'accept-language': /\r\naccept-language:([^\r\n]*)/i.exec(rest)?.[1],
})

/**
 * Answers what never became a request: broken framing, headers beyond 16 KB, a request that does not arrive. What stands before it in the
 * same connection is answered first. One whose body alone does not arrive is counted with its route, and a connection on which nothing was
 * sent not at all.
 */
function refuseRaw(error: Unparsed, socket: Answering, unread: AppDeps['unread']): void {
  const isOver = error.code === 'ECONNRESET' || (!socket.writable && socket.writableLength === 0)
  if (isOver) return void socket.destroy()
  afterAnswers(socket, () => sendRaw(error, socket, unread))
}

/** Milliseconds that a client has to read the last refusal on its connection. */
const LINGER_MS = 1_000

function sendRaw(error: Unparsed, socket: Answering, unread: AppDeps['unread']): void {
  // An answer that has begun must not go on as another one.
  if (socket._httpMessage?.headersSent) return void socket.destroy()
  const { code = '', rawPacket, bytesParsed = 0 } = error
  const unencoded = code === 'HPE_INVALID_URL' && Buffer.isBuffer(rawPacket) ? unencodedUrl(rawPacket, bytesParsed) : undefined
  const refusal = unencoded ?? new Refusal(RAW[code] ?? 'malformed_request')
  const id = newId('req')
  const form = Buffer.isBuffer(rawPacket) ? formFor(headersIn(rawPacket.toString('latin1', bytesParsed))) : PLAIN_FORM
  const body = JSON.stringify(errorBody(refusal, id, form))
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status]}`,
    ...Object.entries({ ...refusalHeaders(refusal, form), ...unrouted(id) }).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  // A client that neither reads nor closes would keep the descriptor.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
  if (socket._httpMessage) sentInstead.set(socket._httpMessage, refusal.status)
  else if (socket.bytesRead > 0) unread?.(refusal.status, refusal.wireCode)
}
