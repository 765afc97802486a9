import type { FastifyRequest } from 'fastify'
import type { Gate, QuotaStatus } from '../../access/index.ts'
import type { Billing, Control, ProviderEvent, SessionStore } from '../../accounts/index.ts'
import { type Clock, type Grant, Refusal, type RefusalCode, type Secrets, sameSecret, type Words } from '../../core/index.ts'
import type { FileReader, SignedInCaller } from '../../operations/index.ts'
import type { Caller, Endpoint } from './endpoint.ts'

/** What the handler of each kind of caller receives as `caller`. */
export interface Callers {
  readonly public: null
  readonly api_key: Grant
  /** Whoever sends a URL that was signed for a key, or a key. */
  readonly file_reader: FileReader
  readonly service_token: 'service'
  readonly self_serve_token: SignedInCaller
  readonly admin_token: 'admin'
  readonly diagnostics_secret: 'diagnostics'
  readonly diagnostics_probe: 'diagnostics'
  /** The event that was sent, its signature verified. */
  readonly payment_provider: ProviderEvent
}

interface TokenDeps {
  readonly gate: Gate
  readonly secrets: Secrets
}

/** What admission of each kind of caller depends on. */
interface DepsOf {
  readonly public: { readonly gate: Gate }
  readonly api_key: { readonly gate: Gate }
  readonly file_reader: { readonly gate: Gate }
  readonly service_token: TokenDeps
  readonly self_serve_token: {
    readonly gate: Gate
    readonly sessions: SessionStore
    readonly control: Pick<Control, 'accounts'>
    readonly clock: Clock
  }
  readonly admin_token: TokenDeps
  readonly diagnostics_secret: TokenDeps
  readonly diagnostics_probe: TokenDeps
  readonly payment_provider: { readonly billing: Pick<Billing, 'verify'> | null; readonly clock: Clock }
}

type Intersection<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never

/** What admission of several kinds of callers depends on. */
export type AdmissionDeps<C extends Caller = Caller> = Intersection<DepsOf[C]>

/** A caller with a valid credential. */
export interface Admitted<C extends Caller = Caller> {
  readonly caller: Callers[C]
  /** Counts the request against the caller's limit, where there is one. @throws Refusal rate_limited */
  readonly pass?: () => void
  /** Counts it against a limit of its own once all of it was understood. @throws Refusal rate_limited */
  readonly passUnderstood?: () => void
  /** Credits and requests the account has left; absent for a caller without an account. */
  readonly quota?: () => QuotaStatus
}

type Admit<C extends Caller> = (request: FastifyRequest, deps: DepsOf[C], endpoint: Endpoint) => Admitted<C>

/** Checks the credential of each kind of caller. @throws Refusal of the kind, as documented for it */
export const ADMIT: { readonly [C in Caller]: Admit<C> } = {
  public(request, { gate }, { probe, limit }) {
    if (probe) return { caller: null }
    const count = (kind: 'public' | 'onboarding' | 'code') => () => gate.limitAddress(request.ip, kind)
    // A mistyped address mails nothing, and an hour's starts are few.
    if (limit === 'onboarding') return { caller: null, pass: count('public'), passUnderstood: count(limit) }
    return { caller: null, pass: count(limit ?? 'public') }
  },
  api_key(request, { gate }) {
    const caller = gate.authenticate(apiKeyOf(request), request.ip)
    return { caller, pass: () => gate.limitRequest(caller), quota: () => gate.quotaStatus(caller) }
  },
  file_reader(request, deps, endpoint) {
    const query = request.query as Readonly<Record<string, unknown>>
    // Reads by a signed URL are neither counted nor told what the account has left: who holds the URL need not be its customer.
    if ('sig' in query) {
      const grant = deps.gate.tryCredential(request.ip, () => deps.gate.authenticateSigned(pathOf(request), query))
      return { caller: { ...grant, isSigned: true } }
    }
    const { caller, ...admitted } = ADMIT.api_key(request, deps, endpoint)
    return { ...admitted, caller: { ...caller, isSigned: false } }
  },
  service_token(request, { gate, secrets }) {
    requireSame(request, gate, bearerOf(request), secrets.SERVICE_TOKEN, 'invalid_service_token')
    return { caller: 'service' }
  },
  self_serve_token: admitSession,
  admin_token(request, { gate, secrets }) {
    const [bearer, header] = [bearerOf(request), headerOf(request, 'x-admin-token')]
    if (bearer !== undefined && header !== undefined && bearer !== header) throw new Refusal('conflicting_credentials')
    requireSame(request, gate, header ?? bearer, secrets.ADMIN_TOKEN, 'invalid_admin_token')
    return { caller: 'admin' }
  },
  diagnostics_secret: (request, { gate, secrets }) => admitDiagnostics(request, gate, 'x-diagnostics-secret', secrets.DIAGNOSTICS_SECRET),
  diagnostics_probe: (request, { gate, secrets }) => admitDiagnostics(request, gate, 'x-diagnostics-probe', secrets.DIAGNOSTICS_PROBE),
  payment_provider(request, { billing, clock }) {
    if (!billing) throw new Refusal('billing_unavailable')
    const signature = signatureOf(request)
    const event = Buffer.isBuffer(request.body) ? billing.verify(request.body, signature, clock()) : undefined
    if (!event) throw new Refusal('invalid_signature')
    return { caller: event }
  },
}

/** The path with its escapes decoded, as the router understood it. */
const pathOf = ({ routeOptions, params }: FastifyRequest): string =>
  routeOptions.url!.replaceAll(/:(\w+)/g, (_, name: string) => (params as Readonly<Record<string, string>>)[name]!)

/** The API key of a request, from `X-API-Key` or `Authorization: Bearer`. @throws Refusal conflicting_credentials when both are sent and differ */
function apiKeyOf(request: FastifyRequest): string | undefined {
  const direct = headerOf(request, 'x-api-key')
  const bearer = bearerOf(request)
  if (direct !== undefined && bearer !== undefined && direct !== bearer) throw new Refusal('conflicting_credentials')
  return direct ?? bearer
}

const bearerOf = ({ headers }: FastifyRequest): string | undefined => /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
const headerOf = ({ headers }: FastifyRequest, name: string): string | undefined => headers[name] as string | undefined

const WRONG_TOKEN: Words = {
  en: 'The token that was sent is not the one configured here; check that it is whole, and meant for this service.',
  zh: '所傳送的權杖與此服務設定的不符；請確認權杖完整，且屬於此服務。',
}

/** A missing token is refused without counting as a wrong guess. */
function requireSame(request: FastifyRequest, gate: Gate, given: string | undefined, configured: string, code: RefusalCode): void {
  if (given === undefined) throw new Refusal(code)
  gate.tryCredential(request.ip, () => {
    if (!sameSecret(given, configured)) throw new Refusal(code, {}, WRONG_TOKEN)
  })
}

/** Without the right header, diagnostics answer like a path that does not exist. */
function admitDiagnostics(request: FastifyRequest, gate: Gate, header: string, configured: string): { readonly caller: 'diagnostics' } {
  try {
    requireSame(request, gate, headerOf(request, header), configured, 'unknown_path')
  } catch {
    // A 429 after too many guesses would reveal that the path exists.
    throw new Refusal('unknown_path')
  }
  return { caller: 'diagnostics' }
}

/** @throws Refusal invalid_self_serve_token, account_closed */
function admitSession(
  request: FastifyRequest,
  { gate, sessions, control, clock }: DepsOf['self_serve_token'],
): Admitted<'self_serve_token'> {
  const token = headerOf(request, 'x-self-serve-token')
  if (token === undefined) throw new Refusal('invalid_self_serve_token')
  const session = gate.tryCredential(request.ip, () => {
    const found = sessions.find(token, clock())
    if (!found) throw new Refusal('invalid_self_serve_token')
    return found
  })
  const account = control.accounts.byId(session.accountId, clock())
  if (account?.status !== 'active') throw new Refusal('account_closed')
  const { id: accountId, plan } = account
  return {
    caller: { accountId, plan, account, session },
    pass: () => gate.limitSession(accountId),
    quota: () => gate.sessionQuotaStatus({ accountId, plan }),
  }
}

/** Characters of a payment event's signature. */
export const LONGEST_SIGNATURE = 4_096
const SIGNATURE_NAMES = ['payment-signature', 'stripe-signature'] as const

/** @throws Refusal invalid_signature when there is none, or two that differ */
function signatureOf({ headers }: FastifyRequest): string {
  const sent = SIGNATURE_NAMES.map(name => headers[name]).filter(value => value !== undefined)
  const [first] = sent
  if (typeof first !== 'string' || first.length > LONGEST_SIGNATURE || sent.some(value => value !== first))
    throw new Refusal('invalid_signature')
  return first
}
