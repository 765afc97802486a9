import { browserSession } from '../frame/account.ts'
import { type Answer, ask, type Request } from './client.ts'

/** Reads that the operator can permit for visitors. */
const SHOWN = /^\/(v1\/|v2\/(datasets\/|query|search))/
/**
 * Status codes after which the read is repeated with the user's session: no key, a plan that is too
 * low, or too many requests of the visitor.
 */
const SPARED: ReadonlySet<number> = new Set([401, 403, 429])

/**
 * Reads as a visitor, which costs no credits. If refused, repeats the read with the user's session.
 */
export async function readAsVisitorFirst<T>(request: Request, signal?: AbortSignal): Promise<Answer<T>> {
  if (request.asVisitor || !SHOWN.test(request.path)) return ask<T>(request, signal)
  const who = await browserSession()
  if (!who?.signed_in || who.visitor === null) return ask<T>(request, signal)
  const answer = await ask<T>({ ...request, asVisitor: true }, signal)
  return !answer.ok && SPARED.has(answer.refused.status) ? ask<T>(request, signal) : answer
}
