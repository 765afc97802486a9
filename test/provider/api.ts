import type { IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { Book } from './book.ts'
import { type Form, readForm } from './form.ts'
import { newId } from './ids.ts'
import { down, malformed, Refused, unauthorized } from './refusals.ts'
import { type Answer, openReplays } from './replays.ts'
import { routeOf } from './routes.ts'
import type { Troubles } from './trouble.ts'

/** A call as it arrived. */
export interface Arrived {
  readonly method: string
  readonly path: string
  readonly form: Form
  readonly idempotencyKey: string | null
  readonly status: number
}

export interface ApiParts {
  readonly book: Book
  readonly secretKey: string
  readonly troubles: Troubles
}

/** An answer with its headers, or null for a connection that is to be cut. */
export type Reply = (Answer & { readonly headers: Readonly<Record<string, string>> }) | null

/** The provider's API: trouble, key, parameters, replay, then the route. */
export function openApi({ book, secretKey, troubles }: ApiParts) {
  const arrived: Arrived[] = []
  const replays = openReplays()
  const work = (request: IncomingMessage, { pathname, search }: URL, body: string) => {
    const given = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1]
    if (given !== secretKey) throw unauthorized(given)
    const method = request.method!
    const form = readForm(method === 'POST' ? formBody(request, body) : search.slice(1))
    const key = request.headers['idempotency-key'] as string | undefined
    const note = (status: number) => arrived.push({ method, path: pathname, form, idempotencyKey: key ?? null, status })
    try {
      const { run, id } = routeOf(method, pathname)
      const sorted = JSON.stringify([method, pathname, form])
      const answer = replays.once(method === 'POST' ? key : undefined, sorted, () => run({ book, form, id }))
      note(answer.status)
      return answer
    } catch (error) {
      note(error instanceof Refused ? error.status : 500)
      throw error
    }
  }
  return {
    /** Every call that named the right key, oldest first. */
    arrived,
    async answer(request: IncomingMessage, url: URL, body: string): Promise<Reply> {
      const headers = { 'request-id': newId('req'), 'stripe-version': String(request.headers['stripe-version'] ?? '') }
      const trouble = troubles.meet(url.pathname)
      const dawdle = () => wait(trouble?.slowMs ?? 0, undefined, { ref: false })
      if (!trouble?.late) await dawdle()
      if (trouble?.reset === 'before') return null
      try {
        if (trouble?.status) throw down(trouble.status)
        const { replayed, ...answer } = work(request, url, body)
        if (trouble?.late) await dawdle()
        if (trouble?.reset === 'after') return null
        return { ...answer, headers: replayed ? { ...headers, 'idempotent-replayed': 'true' } : headers }
      } catch (error) {
        if (error instanceof Refused) return { status: error.status, body: error.body, headers }
        throw error
      }
    },
  }
}

export type Api = ReturnType<typeof openApi>

function formBody(request: IncomingMessage, body: string): string {
  if (body !== '' && !/^application\/x-www-form-urlencoded\b/.test(request.headers['content-type'] ?? ''))
    throw malformed('Invalid request: send parameters as application/x-www-form-urlencoded.')
  return body
}
