import { browserSession } from '../frame/account.ts'
import { type Answer, ask, type Request } from './client.ts'

/** Reads that the operator may open to visitors. */
const SHOWN = /^\/(v1\/|v2\/(datasets\/|query|search))/
/** Refusals that a session may avoid: no key, another plan, too many requests in an hour. */
const SPARED: ReadonlySet<number> = new Set([401, 403, 429])

/**
 * Reads what a page shows. If visitors are admitted, the page reads as a visitor even for a
 * signed-in user, so that it costs no credits. The session is used only if the visitor's read is
 * refused.
 */
export async function readAsVisitorFirst<T>(request: Request, signal?: AbortSignal): Promise<Answer<T>> {
  if (request.asVisitor || !SHOWN.test(request.path)) return ask<T>(request, signal)
  const who = await browserSession()
  if (!who?.signed_in || who.visitor === null) return ask<T>(request, signal)
  const answer = await ask<T>({ ...request, asVisitor: true }, signal)
  return !answer.ok && SPARED.has(answer.refused.status) ? ask<T>(request, signal) : answer
}
