import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A received span, with its attributes by name. */
export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status: { readonly code?: number }
  readonly attributes: Readonly<Record<string, string>>
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] }
    readonly scopeSpans: readonly {
      readonly spans: readonly (Omit<ReceivedSpan, 'attributes'> & { readonly attributes: readonly Attribute[] })[]
    }[]
  }[]
}
interface Attribute {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: string }
}
const named = (attributes: readonly Attribute[]) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? '']))

/**
 * An OpenTelemetry collector that records OTLP requests in JSON.
 * @param status of its responses
 */
export async function openCollector(status = 200) {
  const spans: ReceivedSpan[] = []
  const bodies: string[] = []
  const seen: { path: string; headers: IncomingHttpHeaders; service: string | undefined }[] = []
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const body = Buffer.concat(pieces).toString()
    bodies.push(body)
    for (const { resource, scopeSpans } of (JSON.parse(body) as Sent).resourceSpans) {
      seen.push({ path: request.url!, headers: request.headers, service: named(resource.attributes)['service.name'] })
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) spans.push({ ...span, attributes: named(span.attributes) })
    }
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    bodies,
    seen,
    async close(): Promise<void> {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
