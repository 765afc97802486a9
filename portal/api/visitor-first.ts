import { browserSession } from '../frame/account.ts'
import { type Answer, ask, type Request } from './client.ts'

/** Paths of reads that the operator may open to visitors. */
const SHOWN = /^\/(v1\/|v2\/(datasets\/|query|search))/
/**
 * Statuses of refusals that a session may avoid: no key, another plan, too many requests in an
 * hour.
 */
const SPARED: ReadonlySet<number> = new Set([401, 403, 429])

/**
 * Reads data for a page, first as a visitor, even if the user is signed in, so that it costs no
 * credits. Uses the session only if the visitor's read is refused.
 */
export async function readAsVisitorFirst<T>(request: Request, signal?: AbortSignal): Promise<Answer<T>> {
  if (request.asVisitor || !SHOWN.test(request.path)) return ask<T>(request, signal)
  const who = await browserSession()
  if (!who?.signed_in || who.visitor === null) return ask<T>(request, signal)
  const answer = await ask<T>({ ...request, asVisitor: true }, signal)
  return !answer.ok && SPARED.has(answer.refused.status) ? ask<T>(request, signal) : answer
}
