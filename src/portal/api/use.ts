import { type Signal, useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { type Answer, ask, type Refused, type Request, type Rows, rowsOf, urlOf } from './client.ts'
import { look } from './look.ts'

/** How a question stands. What was shown before stays while the next answer is on its way. */
export interface Asked<T> {
  readonly state: 'idle' | 'loading' | 'done' | 'refused'
  readonly value: T | null
  readonly refused: Refused | null
  readonly milliseconds: number | null
}

const IDLE: Asked<never> = { state: 'idle', value: null, refused: null, milliseconds: null }

/** Answers of this page, by address, so that two panels that ask the same share it. */
const shared = new Map<string, Promise<Answer<unknown>>>()

function askShared<T>(request: Request): Promise<Answer<T>> {
  if (request.method !== undefined && request.method !== 'GET') return ask<T>(request)
  const key = `${urlOf(request)} ${JSON.stringify([request.headers, request.asVisitor])}`
  const known = shared.get(key)
  if (known) return known as Promise<Answer<T>>
  const asked = look<T>(request)
  shared.set(key, asked)
  // A refusal is asked again next time.
  void asked.then(answer => answer.ok || shared.delete(key))
  return asked
}

/** Asks again what an address said before. */
export const forget = (): void => shared.clear()

/**
 * The answer to a request, asked for when it changes; null asks nothing. An answer that arrives after the request has changed is dropped.
 *
 * @param read what is taken from an answer; its body when absent
 */
export function useAnswer<T>(
  request: Request | null,
  read: (answer: Extract<Answer<unknown>, { ok: true }>) => T = ({ body }) => body as T,
): Signal<Asked<T>> {
  const asked = useSignal<Asked<T>>(IDLE)
  const key =
    request === null
      ? null
      : `${request.method ?? 'GET'} ${urlOf(request)} ${JSON.stringify([request.body, request.headers, request.asVisitor])}`
  const latest = useRef<string | null>(null)
  useEffect(() => {
    latest.current = key
    if (request === null) {
      asked.value = IDLE
      return
    }
    asked.value = { ...asked.value, state: 'loading' }
    void askShared<unknown>(request).then(answer => {
      if (latest.current !== key) return
      asked.value = answer.ok
        ? { state: 'done', value: read(answer), refused: null, milliseconds: answer.milliseconds }
        : { state: 'refused', value: null, refused: answer.refused, milliseconds: null }
    })
  }, [key])
  return asked
}

/** The rows of a read. */
export const useRows = (request: Request | null): Signal<Asked<Rows>> => useAnswer(request, rowsOf)
