import { whoLooks } from '../frame/account.ts'
import { type Answer, ask, type Request } from './client.ts'

/** Reads that visitors may be let into. */
const SHOWN = /^\/(v1\/|v2\/(datasets\/|query|search))/
/** Refusals of a visitor that an account may be spared: no key, another plan, too much for an hour. */
const SPARED: ReadonlySet<number> = new Set([401, 403, 429])

/**
 * Asks for what a page shows. Where visitors are let in, looking costs whoever is signed in nothing either: it is asked as a visitor, and
 * as the account only where a visitor is refused.
 */
export async function look<T>(request: Request, signal?: AbortSignal): Promise<Answer<T>> {
  if (request.asVisitor || !SHOWN.test(request.path)) return ask<T>(request, signal)
  const who = await whoLooks()
  if (!who?.signed_in || who.visitor === null) return ask<T>(request, signal)
  const answer = await ask<T>({ ...request, asVisitor: true }, signal)
  return !answer.ok && SPARED.has(answer.refused.status) ? ask<T>(request, signal) : answer
}
