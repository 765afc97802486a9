import { type Refusal, withoutSecrets } from '../core/index.ts'
import { createServer, loadProtocol, type Protocol, type Report } from './protocol.ts'
import type { Tool, ToolCall } from './tool.ts'

export interface AgentMessage {
  readonly body: unknown
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly call: ToolCall
}

export interface AgentAnswer {
  readonly status: number
  /** Null if the response has no body. */
  readonly body: string | null
}

export interface AgentHandlerDeps {
  readonly tools: readonly Tool[]
  readonly asRefusal: (error: unknown) => Refusal
  readonly report: (call: ToolCall, ...args: Parameters<Report>) => void
}

/** Creates a stateless handler. Callers must check authentication and rate limits first. */
export function createAgentHandler(deps: AgentHandlerDeps): (message: AgentMessage) => Promise<AgentAnswer> {
  let handler: ReturnType<typeof openHandler> | undefined
  return async message => {
    handler ??= openHandler(await loadProtocol(), deps)
    return handler(message)
  }
}

/** The protocol requires `accept`. Clients of this service can omit this header. */
const JSON_ONLY = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

const DUMMY_URL = 'http://mcp.invalid/mcp'

function openHandler(protocol: Protocol, { tools, asRefusal, report }: AgentHandlerDeps) {
  const calls = new WeakMap<Request, ToolCall>()
  const serverFor = (request: Request) => {
    const call = calls.get(request)!
    return createServer(protocol, { tools, callOf: () => call, asRefusal, report: (...reported) => report(call, ...reported) })
  }
  // Disables subscriptions, which would hold streams open.
  const modern = protocol.createMcpHandler(({ requestInfo }) => serverFor(requestInfo!), { legacy: 'reject', maxSubscriptions: 0 })
  const respond = async (request: Request, body: unknown): Promise<Response> => {
    if (!(await protocol.isLegacyRequest(request, body))) return modern.fetch(request, { parsedBody: body })
    const server = serverFor(request)
    const transport = new protocol.WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
    await server.connect(transport)
    try {
      return await transport.handleRequest(request, { parsedBody: body })
    } finally {
      await server.close()
    }
  }
  return async ({ body, headers, call }: AgentMessage): Promise<AgentAnswer> => {
    const present = Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined)
    const request = new Request(DUMMY_URL, { method: 'POST', headers: { ...Object.fromEntries(present), ...JSON_ONLY } })
    calls.set(request, call)
    const response = await respond(request, body)
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : withoutSecrets(text) }
  }
}
