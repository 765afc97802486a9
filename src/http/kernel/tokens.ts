import type { FastifyRequest } from 'fastify'
import type { Gate } from '../../access/index.ts'
import type { Session, SessionStore } from '../../accounts/index.ts'
import { type Clock, Refusal, type RefusalCode, type Secrets, sameSecret } from '../../core/index.ts'

export interface TokenParts {
  readonly gate: Gate
  readonly secrets: Secrets
  readonly sessions: SessionStore
  readonly clock: Clock
}

const bearerOf = ({ headers }: FastifyRequest): string | undefined => /^Bearer +(\S+)$/i.exec(headers.authorization ?? '')?.[1]
const headerOf = ({ headers }: FastifyRequest, name: string): string | undefined => headers[name] as string | undefined

/** A token that was not sent is refused without being counted as a guess. */
function requireSame(request: FastifyRequest, gate: Gate, given: string | undefined, configured: string, code: RefusalCode): void {
  if (given === undefined) throw new Refusal(code)
  gate.tryCredential(request.ip, () => {
    if (!sameSecret(given, configured)) throw new Refusal(code)
  })
}

/** @throws Refusal invalid_service_token */
export const requireService = (request: FastifyRequest, { gate, secrets }: TokenParts): void =>
  requireSame(request, gate, bearerOf(request), secrets.SERVICE_TOKEN, 'invalid_service_token')

/** @throws Refusal invalid_admin_token, conflicting_credentials when both places carry different tokens */
export function requireAdmin(request: FastifyRequest, { gate, secrets }: TokenParts): void {
  const [bearer, header] = [bearerOf(request), headerOf(request, 'x-admin-token')]
  if (bearer !== undefined && header !== undefined && bearer !== header) throw new Refusal('conflicting_credentials')
  requireSame(request, gate, header ?? bearer, secrets.ADMIN_TOKEN, 'invalid_admin_token')
}

/** Diagnostics do not exist for whoever lacks their header. @throws Refusal unknown_path */
export function requireDiagnostics(request: FastifyRequest, { gate, secrets }: TokenParts, name: 'secret' | 'probe'): void {
  const configured = name === 'secret' ? secrets.DIAGNOSTICS_SECRET : secrets.DIAGNOSTICS_PROBE
  try {
    requireSame(request, gate, headerOf(request, `x-diagnostics-${name}`), configured, 'unknown_path')
  } catch {
    // Too many guesses answer like one: a 429 would tell that there is something here.
    throw new Refusal('unknown_path')
  }
}

/** The session of a signed-in visitor. @throws Refusal invalid_self_serve_token */
export function sessionOf(request: FastifyRequest, { gate, sessions, clock }: TokenParts): Session {
  const token = headerOf(request, 'x-self-serve-token')
  if (token === undefined) throw new Refusal('invalid_self_serve_token')
  return gate.tryCredential(request.ip, () => {
    const session = sessions.find(token, clock())
    if (!session) throw new Refusal('invalid_self_serve_token')
    return session
  })
}
