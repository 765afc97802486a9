import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** A socket with the answer that is being written to it, which Node keeps there under this name; the next one once that is over. */
export type Answering = Socket & { readonly _httpMessage?: ServerResponse | null }

/** Connections of which something could not be read, while answers to requests before it are still made. */
const waiting = new WeakSet<Socket>()

/**
 * Calls back once every request of a connection that arrived whole is answered, in order; at once where none is left. Of a request whose
 * body is missing no answer is waited for. Called again for a connection it still waits for, and for one that ended with its last
 * answer, it does nothing.
 */
export function afterAnswers(socket: Answering, then: () => void): void {
  if (waiting.has(socket)) return
  waiting.add(socket)
  const next = (): void => {
    const answer = socket._httpMessage
    if (answer?.req.complete) return void answer.once('close', next)
    waiting.delete(socket)
    if (socket.writable) then()
  }
  next()
}
