import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A received message. */
export interface Received {
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly id: string
  readonly event: { readonly type: string; readonly timestamp: string; readonly data: Readonly<Record<string, unknown>> }
}

type Answers = (response: ServerResponse, message: Received) => void

/**
 * A webhook receiver over plain HTTP that records messages. It responds with 200 until `answers`
 * sets another response.
 */
export async function receiver() {
  const messages: Received[] = []
  let answer: Answers = response => void response.end()
  const server = createServer((request, response) => void take(request, response))
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const headers = request.headers as Readonly<Record<string, string>>
    const message = { path: request.url!, headers, body, id: headers['webhook-id']!, event: JSON.parse(body) }
    messages.push(message)
    answer(response, message)
  }
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    messages,
    answers(next: Answers): void {
      answer = next
    },
    /** Messages received since the last call. */
    taken: (): readonly Received[] => messages.splice(0),
    close(): void {
      server.closeAllConnections()
      server.close()
    },
  }
}
