import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Gate } from '../access/index.ts'
import { type Config, newId, once, Refusal, type RefusalCode } from '../core/index.ts'
import type { BillingDeps, DiagnosticsDeps, QueryDeps, SearchDeps, ShareDeps, SqlDeps } from '../operations/index.ts'
import { createShell, docsRoutes, loadAssets, notFoundPage, PAGE_HEADERS, type PortalDeps, portalRoutes } from '../site/index.ts'
import {
  type AdmissionDeps,
  acceptable,
  answersOn,
  boundConnections,
  checkShape,
  createProxyWarning,
  errorBody,
  FORM_VARIES,
  formFor,
  handleErrors,
  PLAIN_FORM,
  refusalHeaders,
  serveRoutes,
  shareAcrossOrigins,
} from './kernel/index.ts'
import { collectRoutes, EXPOSED, openApi } from './openapi/index.ts'
import {
  accountAdminRoutes,
  accountRoutes,
  adminRoutes,
  agentRoutes,
  auditRoutes,
  billingRoutes,
  type CatalogDeps,
  catalogRoutes,
  creditRoutes,
  datasetRoutes,
  fileRoutes,
  type OperatorDeps,
  openbbRoutes,
  operatorRoutes,
  type PartRouteDeps,
  type PlatformDeps,
  type PublicationDeps,
  pageRoutes,
  partRoutes,
  platformRoutes,
  profileRoutes,
  publicationRoutes,
  queryRoutes,
  type ReadDeps,
  releaseRoutes,
  searchRoutes,
  selfServeRoutes,
  sharingRoutes,
  sqlRoutes,
  webhookRoutes,
} from './routes/index.ts'
import { unencodedUrl } from './unencoded-url.ts'

export type AppDeps = AdmissionDeps &
  ReadDeps &
  QueryDeps &
  SqlDeps &
  SearchDeps &
  ShareDeps &
  BillingDeps &
  DiagnosticsDeps &
  OperatorDeps &
  CatalogDeps &
  PlatformDeps &
  PartRouteDeps &
  PublicationDeps &
  Omit<PortalDeps, 'assets' | 'shell' | 'nameOf' | 'isPaymentConfigured'> & {
    /** Called with the code of each refused or failed request. Must not throw. */
    readonly refused?: ((code: string) => void) | undefined
    /** Called for each malformed request that has no route. Must not throw. */
    readonly unread?: ((status: number, code: string) => void) | undefined
  }

/** Opens no file and no port. */
export function createApp(deps: AppDeps): FastifyInstance {
  const { floods } = deps.gate
  const app = framework(deps)
  const warnOfProxy = createProxyWarning(deps.log)
  const { maxConnections: most, trustProxy } = deps.config
  boundConnections(app.server, { most, proxied: trustProxy.length > 0, isBlocked: floods.isBlocked }, deps.log)
  const refuseUnrouted = handleErrors(app, deps.log, floods, deps.refused)
  const assets = loadAssets()
  const shell = createShell(assets, deps.origin)
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id).header('x-content-type-options', 'nosniff')
    warnOfProxy(request)
    done()
  })
  shareAcrossOrigins(app, deps.config.corsOrigins, EXPOSED, (request, reply) => {
    checkShape(request)
    refuseUnrouted(request, reply)
  })
  app.addHook('onRequest', (request, reply, done) => {
    checkShape(request)
    const nowhere = request.is404 && notFoundPage(shell, { method: request.method, path: pathOf(request), wanted: wantedBy(request) })
    // Beyond the limit of refusals, `refuseUnrouted` answers instead of the page.
    if (nowhere && floods.recordRefusal(request) === null) {
      reply.code(404).headers(PAGE_HEADERS).header('vary', 'Accept').type('text/html; charset=utf-8')
      return void reply.send(nowhere)
    }
    refuseUnrouted(request, reply)
    done()
  })
  app.server.on('checkExpectation', (request, response) => refuseExpectation(request, response, deps))
  // Some clients send a content type without a body.
  const json = app.getDefaultJsonParser('error', 'error')
  // No route accepts a text body.
  app.removeContentTypeParser('text/plain')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) =>
    body === '' ? done(null) : json(request, body as string, done),
  )
  declareRoutes(app, deps, { assets, shell })
  return app
}

const pathOf = ({ url }: FastifyRequest): string => url.split('?', 1)[0]!
const wantedBy = ({ headers }: FastifyRequest): string | undefined => acceptable(headers.accept)[0]?.value

/** Dependencies of refusals before routing. */
interface Unrouted extends Pick<AppDeps, 'unread'> {
  readonly gate: Pick<Gate, 'floods'>
  readonly config: Pick<Config, 'trustProxy'>
}

/**
 * True if an address sends too many invalid requests. The connection is then closed without a
 * response. Never true behind a trusted proxy.
 */
function isFlood({ gate, config }: Unrouted, socket: Socket): boolean {
  if (config.trustProxy.length > 0) return false
  return gate.floods.recordRefusal({ accountId: null, ip: socket.remoteAddress ?? '', socket }) !== null
}

function framework(deps: Unrouted): FastifyInstance {
  const { trustProxy } = deps.config
  return Fastify({
    logger: false,
    trustProxy: trustProxy.length > 0 ? [...trustProxy] : false,
    genReqId: () => newId('req'),
    requestIdHeader: false,
    // Our own hook answers probes while the service stops.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    bodyLimit: 64 * 1024,
    requestTimeout: 15_000,
    keepAliveTimeout: 65_000,
    // `checkShape` refuses a request without Host in our format.
    http: { maxHeaderSize: 16 * 1024, headersTimeout: 10_000, connectionsCheckingInterval: 1_000, requireHostHeader: false },
    // Equals the maximum length of a URL, so that routes refuse a long id as unknown.
    routerOptions: { maxParamLength: 8_192, ignoreTrailingSlash: true },
    frameworkErrors: (error, request, reply) => refusePath(error.statusCode, request as FastifyRequest, reply as FastifyReply, deps),
    clientErrorHandler: (error, socket) => refuseRaw(error, socket, deps),
  })
}

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
    ...sqlRoutes(deps),
    ...sharingRoutes(deps),
    ...catalogRoutes(deps),
    ...searchRoutes(deps),
    ...agentRoutes(deps),
    ...selfServeRoutes(deps),
    ...webhookRoutes(deps),
    ...accountRoutes(deps),
    ...billingRoutes(deps),
    ...adminRoutes(deps),
    ...accountAdminRoutes(deps),
    ...creditRoutes(deps),
    ...auditRoutes(deps),
    ...operatorRoutes(deps),
    ...publicationRoutes(deps),
    ...openbbRoutes(deps),
    ...pageRoutes(deps, api),
    ...portalRoutes({
      ...deps,
      ...pages,
      isPaymentConfigured: deps.billing !== null,
      nameOf: ticker => deps.search.symbols()?.nameOf(ticker) ?? null,
    }),
    ...docsRoutes({ ...deps, ...pages }, described, api),
  ]
  serveRoutes(app, deps, routes)
}

/** Refuses a request with an unknown Expect header, which Node does not route. */
function refuseExpectation(request: IncomingMessage, response: ServerResponse, deps: Unrouted): void {
  if (isFlood(deps, request.socket)) return void request.socket.destroy()
  const [id, form, refusal] = [newId('req'), formFor(request.headers), new Refusal('malformed_request')]
  response.writeHead(417, { ...refusalHeaders(refusal, form), ...unrouted(id) })
  response.end(JSON.stringify(errorBody(refusal, id, form)))
  deps.unread?.(response.statusCode, refusal.wireCode)
}

/** Refuses a path that the router could not parse. */
function refusePath(code: number | undefined, request: FastifyRequest, reply: FastifyReply, deps: Unrouted): void {
  const { id, headers, socket } = request
  if (isFlood(deps, socket)) return void socket.destroy()
  const [form, refusal] = [formFor(headers), new Refusal(code === 414 ? 'uri_too_long' : 'malformed_request')]
  reply.code(refusal.status).headers({ ...refusalHeaders(refusal, form), ...unrouted(id) })
  void reply.send(Buffer.from(JSON.stringify(errorBody(refusal, id, form))))
  deps.unread?.(refusal.status, refusal.wireCode)
}

/** Headers of a refusal before routing. */
const unrouted = (id: string) => ({ 'x-request-id': id, 'x-content-type-options': 'nosniff', vary: FORM_VARIES.join(', ') })

// An `import` of `node:http` would load all exports, including a WebSocket client. This takes 40
// ms.
const { STATUS_CODES } = process.getBuiltinModule('node:http')

/** By error code of Node. */
const RAW: Readonly<Record<string, RefusalCode>> = { HPE_HEADER_OVERFLOW: 'headers_too_large', ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout' }

/** `bytesParsed` is the position of the error. */
type Unparsed = NodeJS.ErrnoException & { readonly rawPacket?: unknown; readonly bytesParsed?: number }

/** Finds the Accept headers in an incomplete request. */
const headersIn = (rest: string) => ({
  accept: /\r\naccept:([^\r\n]*)/i.exec(rest)?.[1],
  'accept-language': /\r\naccept-language:([^\r\n]*)/i.exec(rest)?.[1],
})

/**
 * Before closing a connection, the service waits this long (ms), so that the client can read the
 * refusal.
 */
const LINGER_MS = 1_000
/** Connections that sent malformed bytes. */
const unreadable = new WeakSet<Socket>()

/**
 * Refuses malformed, late or too large requests before routing. Complete requests on the same
 * connection are answered first.
 */
function refuseRaw(error: Unparsed, socket: Socket, deps: Unrouted): void {
  if (error.code === 'ECONNRESET' || (!socket.writable && socket.writableLength === 0)) return void socket.destroy()
  // Node calls this function again for each further packet.
  if (unreadable.has(socket)) return
  unreadable.add(socket)
  const last = answersOn(socket).findLast(({ req }) => req.complete)
  if (last) last.once('close', () => sendRaw(error, socket, deps))
  else sendRaw(error, socket, deps)
}

function sendRaw(error: Unparsed, socket: Socket, deps: Unrouted): void {
  if (!socket.writable) return
  const answers = answersOn(socket)
  // The bytes of a refusal must not become part of a started response.
  const hasBegun = answers.some(({ headersSent }) => headersSent)
  if (hasBegun || isFlood(deps, socket)) return void socket.destroy()
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
  // The client may neither read nor close the connection.
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
  // Sets the status that the metrics of the route record.
  for (const answer of answers) answer.statusCode = refusal.status
  if (answers.length === 0 && socket.bytesRead > 0) deps.unread?.(refusal.status, refusal.wireCode)
}
