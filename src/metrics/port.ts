import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TEXT_FORMATS, type TextFormat, textFormatFor } from './text.ts'

const LOOPBACK = '127.0.0.1'
/** Refuses other hosts, because a web page could read metrics by DNS rebinding. */
const LOCAL_HOSTS = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i
const MAX_CONNECTIONS = 16

/**
 * @param scrape returns the text. An error results in status 500
 * @throws Error with a one-sentence message if the port is in use or not allowed
 */
export async function openMetricsPort(port: number, scrape: (form: TextFormat) => Promise<string>) {
  const server = createServer(
    { requestTimeout: 10_000, keepAliveTimeout: 65_000 },
    (request, response) => void respond(request, response, scrape),
  )
  server.maxConnections = MAX_CONNECTIONS
  server.listen(port, LOOPBACK)
  try {
    await once(server, 'listening')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EADDRINUSE')
      throw new Error(`Port ${port} on ${LOOPBACK} is in use. Stop the program that uses it, or set METRICS_PORT to another port.`)
    if (code === 'EACCES') throw new Error(`This user is not allowed to open port ${port}. Set METRICS_PORT to a port above 1023.`)
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

async function respond(
  { method, url, headers }: IncomingMessage,
  response: ServerResponse,
  scrape: (form: TextFormat) => Promise<string>,
): Promise<void> {
  const send = (status: number, text: string, type = 'text/plain; charset=utf-8'): void => {
    response.writeHead(status, { 'content-type': type, 'content-length': Buffer.byteLength(text), 'x-content-type-options': 'nosniff' })
    response.end(method === 'HEAD' ? '' : text)
  }
  if (!LOCAL_HOSTS.test(headers.host ?? ''))
    return send(421, 'Metrics are available on this machine only. Use http://127.0.0.1 with the port.\n')
  if (url?.split('?', 1)[0] !== '/metrics') return send(404, 'Unknown path. Use /metrics.\n')
  if (method !== 'GET' && method !== 'HEAD') return send(405, 'Unsupported method. Use GET.\n')
  const form = textFormatFor(headers.accept)
  try {
    send(200, await scrape(form), TEXT_FORMATS[form])
  } catch {
    send(500, 'Metrics are unavailable. Check /readyz of the service.\n')
  }
}
