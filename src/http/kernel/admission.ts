import type { FastifyRequest } from 'fastify'
import { meets } from '../../../catalog/index.ts'
import type { Gate, QuotaStatus } from '../../access/index.ts'
import type { Session, SessionStore } from '../../accounts/index.ts'
import type { Billing, ProviderEvent } from '../../billing/index.ts'
import type { Control } from '../../control/index.ts'
import { type Clock, type Grant, Refusal, type RefusalCode, type Secrets, sameSecret, type Words } from '../../core/index.ts'
import type { FileReader, Payer, SignedInCaller } from '../../operations/index.ts'
import { acceptedFormat } from './accepted-format.ts'
import { type OwnOrigin, refuseForeign, sentByOwnPage, sentByPage } from './browser.ts'
import { isDryRun } from './dry-run.ts'
import type { Caller, Endpoint, LeastPlan } from './endpoint.ts'
import type { SentQuery } from './input.ts'

export interface Callers {
  readonly public: null
  readonly api_key: Grant
  /** Holder of an API key, or of a URL signed for an API key. */
  readonly file_reader: FileReader
  /** Holder of an API key, or a visitor. Null if reading requires an account. */
  readonly agent: Grant | null
  readonly service_token: 'service'
  /** A signed-in user. The token must never appear in a response or a log. */
  readonly self_serve_token: SignedInCaller & { readonly token: string }
  /** A signed-in user, or a holder of an API key of the account. */
  readonly payer: Payer
  readonly browser: Looker
  readonly admin_token: 'admin'
  readonly diagnostics_secret: 'diagnostics'
  readonly diagnostics_probe: 'diagnostics'
  /** Event with a verified signature. */
  readonly payment_provider: ProviderEvent
}

/** A user who opens a portal page. */
export interface Looker {
  /** Null if the user is not signed in. */
  readonly signedIn: SignedInCaller | null
  /** True if the browser's session has ended. */
  readonly isOver: boolean
}

interface TokenDeps {
  readonly secrets: Secrets
}

interface ReaderDeps extends OwnOrigin {
  readonly gate: Gate
  readonly sessions: SessionStore
  readonly clock: Clock
}

interface SessionDeps extends ReaderDeps {
  readonly control: Pick<Control, 'accounts'>
}

interface DepsOf {
  readonly public: { readonly gate: Gate }
  readonly api_key: ReaderDeps
  readonly file_reader: ReaderDeps
  readonly agent: OwnOrigin & Pick<ReaderDeps, 'gate'>
  readonly service_token: TokenDeps
  readonly self_serve_token: SessionDeps
  readonly payer: SessionDeps
  readonly browser: SessionDeps
  readonly admin_token: TokenDeps
  readonly diagnostics_secret: TokenDeps
  readonly diagnostics_probe: TokenDeps
  readonly payment_provider: { readonly billing: Pick<Billing, 'verify'> | null; readonly clock: Clock }
}

type Intersection<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never

export type AdmissionDeps<C extends Caller = Caller> = Intersection<DepsOf[C]>

/** A caller with a valid credential. */
export interface Admitted<C extends Caller = Caller> {
  readonly caller: Callers[C]
  /** Counts the request against the caller's limit. @throws Refusal rate_limited */
  readonly pass?: () => void
  /**
   * Counts the request against a second limit, after all input is parsed.
   * @throws Refusal rate_limited
   */
  readonly passUnderstood?: () => void
  /** Returns the remaining credits and requests. Absent for a caller without an account. */
  readonly quota?: () => QuotaStatus
}

type Admit<C extends Caller> = (request: FastifyRequest, deps: DepsOf[C], endpoint: Endpoint) => Admitted<C>

/** Each function throws the refusals that are documented for its kind of caller. */
export const ADMIT: { readonly [C in Caller]: Admit<C> } = {
  public(request, { gate }, { probe, limit }) {
    if (probe) return { caller: null }
    const count = (kind: 'public' | 'onboarding' | 'code') => () => gate.limitAddress(request.ip, kind)
    // A request with an invalid mail address is no sign-in, so sign-ins are counted after parsing.
    if (limit === 'onboarding') return { caller: null, pass: count('public'), passUnderstood: count(limit) }
    return { caller: null, pass: count(limit ?? 'public') }
  },
  api_key(request, deps, endpoint) {
    const { gate } = deps
    const secret = apiKeyOf(request)
    const caller = (secret === undefined && readerOf(request, deps, endpoint)) || gate.authenticate(secret, request.ip)
    if (caller.isVisitor) return { caller, pass: () => gate.limitVisitor(caller) }
    return { caller, pass: () => gate.limitRequest(caller), quota: () => gate.quotaStatus(caller) }
  },
  file_reader(request, deps, endpoint) {
    const query = request.query as Readonly<Record<string, unknown>>
    // The customer may share a signed URL. The reads are therefore not counted, and the responses
    // contain no quota.
    if ('sig' in query) {
      const grant = deps.gate.tryCredential(request.ip, () => deps.gate.authenticateSigned(pathOf(request), query))
      return { caller: { ...grant, isSigned: true } }
    }
    const { caller, ...admitted } = ADMIT.api_key(request, deps, endpoint)
    return { ...admitted, caller: { ...caller, isSigned: false } }
  },
  agent(request, deps) {
    const { gate } = deps
    refuseForeign(request, deps)
    const secret = apiKeyOf(request)
    const caller = secret === undefined ? (gate.visitorFrom(request.ip) ?? null) : gate.authenticate(secret, request.ip)
    if (!caller) return { caller, pass: () => gate.limitAddress(request.ip, 'public') }
    if (caller.isVisitor) return { caller, pass: () => gate.limitVisitor(caller) }
    return { caller, pass: () => gate.limitRequest(caller), quota: () => gate.quotaStatus(caller) }
  },
  service_token(request, { secrets }) {
    requireSame(bearerOf(request), secrets.SERVICE_TOKEN, 'invalid_service_token')
    return { caller: 'service' }
  },
  self_serve_token(request, deps, { whileSuspended }) {
    const { gate } = deps
    const token = headerOf(request, 'x-self-serve-token') ?? sentByPage(request, deps)?.token
    if (token === undefined) throw new Refusal('invalid_self_serve_token')
    const caller = signedIn(sessionOf(request, deps, token), deps)
    if (!caller) throw new Refusal('account_closed')
    const { accountId, account } = caller
    if (account.suspension && !whileSuspended) throw new Refusal('account_suspended', { reason: account.suspension.reason })
    return { caller: { ...caller, token }, pass: () => gate.limitSession(accountId), quota: () => gate.sessionQuotaStatus(caller) }
  },
  payer(request, deps, endpoint) {
    const isSignedIn = headerOf(request, 'x-self-serve-token') !== undefined || sentByPage(request, deps)?.token !== undefined
    const secret = isSignedIn ? undefined : apiKeyOf(request)
    if (secret === undefined) return { ...ADMIT.self_serve_token(request, deps, endpoint) }
    const { gate, control, clock } = deps
    const grant = gate.authenticate(secret, request.ip)
    const account = control.accounts.byId(grant.accountId, clock())!
    return { caller: { ...grant, account }, pass: () => gate.limitRequest(grant), quota: () => gate.quotaStatus(grant) }
  },
  browser(request, deps) {
    const { gate, sessions, clock } = deps
    const token = sentByOwnPage(request, deps)?.token
    const session = token === undefined ? undefined : sessions.find(token, clock())
    const caller = (session && signedIn(session, deps)) ?? null
    return { caller: { signedIn: caller, isOver: token !== undefined && !caller }, pass: () => gate.limitAddress(request.ip, 'public') }
  },
  admin_token(request, { secrets }) {
    const [bearer, header] = [bearerOf(request), headerOf(request, 'x-admin-token')]
    if (bearer !== undefined && header !== undefined && bearer !== header) throw new Refusal('conflicting_credentials')
    requireSame(header ?? bearer, secrets.ADMIN_TOKEN, 'invalid_admin_token')
    return { caller: 'admin' }
  },
  diagnostics_secret: (request, { secrets }) => admitDiagnostics(request, 'x-diagnostics-secret', secrets.DIAGNOSTICS_SECRET),
  diagnostics_probe: (request, { secrets }) => admitDiagnostics(request, 'x-diagnostics-probe', secrets.DIAGNOSTICS_PROBE),
  payment_provider(request, { billing, clock }) {
    if (!billing) throw new Refusal('billing_unavailable')
    const signature = signatureOf(request)
    const event = Buffer.isBuffer(request.body) ? billing.verify(request.body, signature, clock()) : undefined
    if (!event) throw new Refusal('invalid_signature')
    return { caller: event }
  },
}

/** Returns the path with decoded escapes, as the router parsed it. */
const pathOf = ({ routeOptions, params }: FastifyRequest): string =>
  routeOptions.url!.replaceAll(/:(\w+)/g, (_, name: string) => (params as Readonly<Record<string, string>>)[name]!)

/**
 * Reads `X-API-Key` or `Authorization: Bearer`.
 * @throws Refusal conflicting_credentials if the headers contain different keys
 */
function apiKeyOf(request: FastifyRequest): string | undefined {
  const direct = headerOf(request, 'x-api-key')
  const bearer = bearerOf(request)
  if (direct !== undefined && bearer !== undefined && direct !== bearer) throw new Refusal('conflicting_credentials')
  return direct ?? bearer
}

const bearerOf = ({ headers }: FastifyRequest): string | undefined => /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
const headerOf = ({ headers }: FastifyRequest, name: string): string | undefined => headers[name] as string | undefined

const WRONG_TOKEN: Words = {
  en: 'The token does not match the one configured for this service. Check that it is complete and belongs to this service.',
  zh: '權杖與此服務設定的不符。請確認權杖完整，且屬於此服務。',
}

/**
 * Wrong tokens have no rate limit, because the tokens are too long to guess.
 * @throws Refusal with `code`
 */
function requireSame(given: string | undefined, configured: string, code: RefusalCode): void {
  if (given === undefined) throw new Refusal(code)
  if (!sameSecret(given, configured)) throw new Refusal(code, {}, WRONG_TOKEN)
}

/** Without the correct header, the path must look unknown. */
function admitDiagnostics(request: FastifyRequest, header: string, configured: string): { readonly caller: 'diagnostics' } {
  const given = headerOf(request, header)
  if (given === undefined || !sameSecret(given, configured)) throw new Refusal('unknown_path')
  return { caller: 'diagnostics' }
}

/** @throws Refusal invalid_self_serve_token */
function sessionOf(request: FastifyRequest, { gate, sessions, clock }: ReaderDeps, token: string, words?: Words): Session {
  return gate.tryCredential(request.ip, () => {
    const found = sessions.find(token, clock())
    if (!found) throw new Refusal('invalid_self_serve_token', {}, words)
    return found
  })
}

/** Undefined if the account is closed. */
function signedIn(session: Session, { control, clock }: SessionDeps): SignedInCaller | undefined {
  const account = control.accounts.byId(session.accountId, clock())
  if (account?.status !== 'active') return undefined
  return { accountId: account.id, plan: account.plan, limits: account.limits, account, session }
}

/**
 * Returns the account of the browser's session, or a visitor. Signing in never removes access that
 * visitors have.
 * @returns undefined if no portal page sent the request, or if reading requires a key
 * @throws Refusal foreign_origin, invalid_self_serve_token, account_closed, account_suspended.
 * missing_api_key if a visitor requests a file
 */
function readerOf(request: FastifyRequest, deps: ReaderDeps, { visitors, formats, priced }: Endpoint): Grant | undefined {
  const sent = sentByPage(request, deps)
  if (!sent) return undefined
  const { gate } = deps
  const visitor = visitors && gate.visitorFrom(request.ip)
  if (sent.token !== undefined) {
    const reader = gate.grantOfBrowser(sessionOf(request, deps, sent.token, SIGN_IN_AGAIN).accountId)
    const least = typeof visitors === 'function' ? visitors(askedOf(request)) : priced?.access?.plan
    const sees = ({ plan }: Grant): boolean => meets(plan, least ?? 'free')
    return visitor && !sees(reader) && sees(visitor) && isOfJson(request) ? visitor : reader
  }
  if (visitor && formats && !isOfJson(request)) throw new Refusal('missing_api_key', {}, SIGN_IN_FOR_FILES)
  return visitor
}

const askedOf = ({ params, query }: FastifyRequest): Parameters<LeastPlan>[0] => ({
  params: params as Readonly<Record<string, string>>,
  query: query as SentQuery,
})

/** A dry run is always JSON. */
function isOfJson({ query, headers: { accept } }: FastifyRequest): boolean {
  const sent = query as SentQuery
  return isDryRun(sent) || (sent['format'] ?? acceptedFormat(accept) ?? 'json') === 'json'
}

const SIGN_IN_AGAIN: Words = { en: 'Your session has ended. Sign in again.', zh: '登入已失效。請重新登入。' }
const SIGN_IN_FOR_FILES: Words = {
  en: 'File downloads require an account. Sign in for free, or send an API key in the X-API-Key header.',
  zh: '未登入僅能瀏覽資料，無法下載檔案。請免費登入，或以 X-API-Key 標頭傳送 API 金鑰。',
}

/** In characters. */
export const LONGEST_SIGNATURE = 4_096
const SIGNATURE_NAMES = ['payment-signature', 'stripe-signature'] as const

/** @throws Refusal invalid_signature if there is no signature, or two different signatures */
function signatureOf({ headers }: FastifyRequest): string {
  const sent = SIGNATURE_NAMES.map(name => headers[name]).filter(value => value !== undefined)
  const [first] = sent
  if (typeof first !== 'string' || first.length > LONGEST_SIGNATURE || sent.some(value => value !== first))
    throw new Refusal('invalid_signature')
  return first
}
