import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { openApi } from './api.ts'
import { openBook } from './book.ts'
import { type ControlParts, control } from './control.ts'
import { openDeliveries } from './delivery.ts'
import { Refused } from './refusals.ts'
import { openTroubles } from './trouble.ts'

export interface ProviderOptions {
  /** The key callers must name; one of the live mode begins with `sk_live_`. */
  readonly secretKey?: string
  readonly now?: () => Date
  /** Chosen by the system when absent. */
  readonly port?: number
}

export interface RunningProvider {
  /** Where its API lies; its control calls lie under `/_control/`. */
  readonly url: string
  readonly secretKey: string
  close(): Promise<void>
}

/** A payment provider on a loopback port: what it knows is in memory, and it is told by control calls what its customers do. */
export async function startProvider({ secretKey = 'sk_test_provider', now = () => new Date(), port = 0 }: ProviderOptions = {}) {
  let stopped: number | null = null
  const seconds = () => Math.floor((stopped ?? now().getTime()) / 1_000)
  const book = openBook(seconds, secretKey.startsWith('sk_live_'))
  const [deliveries, troubles] = [openDeliveries(seconds), openTroubles()]
  const api = openApi({ book, secretKey, troubles })
  book.deliver = deliveries.put
  const setClock = (at: number | null): void => {
    stopped = at
  }
  const parts: ControlParts = { book, api, deliveries, troubles, setClock }
  const server = createServer((request, response) => {
    answer(parts, request, response).catch((error: unknown) =>
      send(response, 500, { error: { type: 'api_error', message: String(error) } }),
    )
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  book.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const close = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise(done => server.close(done))
  }
  return { url: book.url, secretKey, close } satisfies RunningProvider
}

async function answer(parts: ControlParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const body = await text(request)
  const url = new URL(request.url!, 'http://provider')
  if (url.pathname.startsWith('/_control/')) {
    const done = await control(parts, request.method!, url.pathname.slice('/_control/'.length), body).catch(explained)
    return send(response, done ? ('error' in done ? 400 : 200) : 404, done ?? {})
  }
  const reply = await parts.api.answer(request, url, body)
  if (!reply) return void request.socket.destroy()
  send(response, reply.status, reply.body, reply.headers)
  // What an API call brought about is told afterwards, as the provider does.
  await parts.deliveries.flush()
}

const explained = (error: unknown): object => (error instanceof Refused ? error.body : { error: String(error) })

function send(response: ServerResponse, status: number, body: object, headers: Readonly<Record<string, string>> = {}): void {
  if (response.headersSent) return
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body, null, 2))
}

if (import.meta.main) {
  const { PORT = '0', PROVIDER_SECRET_KEY: secretKey } = process.env
  const { url } = await startProvider({ port: Number(PORT), ...(secretKey ? { secretKey } : {}) })
  console.log(JSON.stringify({ url }))
}
