import { type Signal, useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { type Answer, ask, type Refused, type Request, type Rows, rowsOf, urlOf } from './client.ts'
import { createShared, type Taken } from './shared.ts'
import { readAsVisitorFirst } from './visitor-first.ts'

/** State of a request. The previous answer remains while a new one loads. */
export interface Loaded<T> {
  readonly state: 'idle' | 'loading' | 'done' | 'refused'
  readonly value: T | null
  readonly refused: Refused | null
  readonly milliseconds: number | null
  /** Sends the request again, and all other refused requests of the page. */
  readonly again: () => void
}

const IDLE: Loaded<never> = { state: 'idle', value: null, refused: null, milliseconds: null, again: () => {} }

const MOST_CACHED = 60

/** Functions that repeat the refused requests of the page. */
const refusedRequests = new Set<() => void>()

const shared = createShared<Answer<unknown>>(MOST_CACHED, answer => answer.ok)

function take(request: Request, name: string): Taken<Answer<unknown>> {
  if (request.method === undefined || request.method === 'GET') return shared.take(name, signal => readAsVisitorFirst(request, signal))
  // Requests that change data are never aborted.
  return { answer: ask(request), leave: () => {} }
}

/** Clears the cache, so that everything is requested again. */
export const forget = (): void => shared.clear()

/**
 * Sends a request whenever `request` changes. Null sends nothing. The change aborts a previous
 * request, unless another component waits for its answer.
 *
 * @param read function that converts an answer to a value; default: returns the body
 */
export function useAnswer<T>(
  request: Request | null,
  read: (answer: Extract<Answer<unknown>, { ok: true }>) => T = ({ body }) => body as T,
): Signal<Loaded<T>> {
  const [state, turn] = [useSignal<Loaded<T>>(IDLE), useSignal(0)]
  const key =
    request === null
      ? null
      : `${request.method ?? 'GET'} ${urlOf(request)} ${JSON.stringify([request.body, request.headers, request.asVisitor])}`
  useEffect(() => {
    if (request === null || key === null) {
      state.value = IDLE
      return
    }
    const repeat = () => {
      turn.value++
    }
    const again = () => {
      for (const repeatOne of new Set([repeat, ...refusedRequests])) repeatOne()
    }
    state.value = { ...state.value, state: 'loading', again }
    let isWanted = true
    const taken = take(request, key)
    const show = (answer: Answer<unknown>) => {
      if (!isWanted) return
      if (!answer.ok) refusedRequests.add(repeat)
      state.value = answer.ok
        ? { state: 'done', value: read(answer), refused: null, milliseconds: answer.milliseconds, again }
        : { state: 'refused', value: null, refused: answer.refused, milliseconds: null, again }
    }
    // This promise rejects only after an abort.
    taken.answer.then(show, () => {})
    return () => {
      isWanted = false
      refusedRequests.delete(repeat)
      taken.leave()
    }
  }, [key, turn.value])
  return state
}

export const useRows = (request: Request | null): Signal<Loaded<Rows>> => useAnswer(request, rowsOf)
