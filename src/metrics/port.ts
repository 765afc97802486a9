import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { FORMS, type Form, formFor } from './text.ts'

const LOOPBACK = '127.0.0.1'
/** Whoever asks names the machine itself: the page of a stranger, whose name was made to lead here, does not. */
const OWN_NAMES = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i
/** Connections at a time: scrapers are few. */
const MOST_CONNECTIONS = 16

/**
 * Serves `GET /metrics` on the loopback interface, and nothing else.
 *
 * @param scrape makes the text; where it fails, the scrape is answered with a 500
 * @throws Error with one sentence when the port is taken or not allowed
 */
export async function openMetricsPort(port: number, scrape: (form: Form) => Promise<string>) {
  const server = createServer(
    { requestTimeout: 10_000, keepAliveTimeout: 65_000 },
    (request, response) => void answer(request, response, scrape),
  )
  server.maxConnections = MOST_CONNECTIONS
  server.listen(port, LOOPBACK)
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new Error(`Port ${port} on ${LOOPBACK} is in use; stop what listens there or set METRICS_PORT to another one.`)
    if (code === 'EACCES') throw new Error(`Port ${port} may not be opened by this user; set METRICS_PORT to one above 1023.`)
    throw error
  }
  return {
    url: `http://${LOOPBACK}:${(server.address() as AddressInfo).port}/metrics`,
    async close(): Promise<void> {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function answer(
  { method, url, headers }: IncomingMessage,
  response: ServerResponse,
  scrape: (form: Form) => Promise<string>,
): Promise<void> {
  const say = (status: number, text: string, type = 'text/plain; charset=utf-8'): void => {
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text), 'x-content-type-options': 'nosniff' })
    response.end(method === 'HEAD' ? '' : text)
  }
  if (!OWN_NAMES.test(headers.host ?? ''))
    return say(421, 'Metrics are told on this machine only: ask for http://127.0.0.1 with the port.\n')
  if (url?.split('?', 1)[0] !== '/metrics') return say(404, 'There is nothing here but /metrics.\n')
  if (method !== 'GET' && method !== 'HEAD') return say(405, 'Metrics are read with GET.\n')
  const form = formFor(headers.accept)
  try {
    say(200, await scrape(form), FORMS[form])
  } catch {
    say(500, 'The metrics cannot be read now; /readyz of the service says what is wrong with it.\n')
  }
}
