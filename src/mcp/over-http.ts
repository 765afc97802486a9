import { type Refusal, withoutSecrets } from '../core/index.ts'
import { createServer, loadProtocol, type Protocol, type Report } from './protocol.ts'
import type { Tool, ToolCall } from './tool.ts'

/** One message of an agent, and where it came with. */
export interface AgentMessage {
  /** The body, parsed. */
  readonly body: unknown
  /** Headers of the protocol, by name in small letters. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly call: ToolCall
}

export interface AgentAnswer {
  readonly status: number
  /** JSON, in which no secret, and nothing shaped like one, is repeated; null where the protocol answers with a status alone. */
  readonly body: string | null
}

export interface AgentHandlerDeps {
  readonly tools: readonly Tool[]
  readonly asRefusal: (error: unknown) => Refusal
  readonly report: (call: ToolCall, ...said: Parameters<Report>) => void
}

/**
 * Answers messages of agents, each by itself: nothing is kept between two of them. Speaks the revision without sessions and, to clients that
 * begin with `initialize`, the earlier ones. Who may call, and how often, is for the caller to check before.
 */
export function createAgentHandler(deps: AgentHandlerDeps): (message: AgentMessage) => Promise<AgentAnswer> {
  let opened: ReturnType<typeof openHandler> | undefined
  return async message => {
    opened ??= openHandler(await loadProtocol(), deps)
    return opened(message)
  }
}

/** The protocol wants clients to take streams as well. No answer is one, so nobody has to say so. */
const JSON_ONLY = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }

/** The address of requests that are made of messages; nobody asks it. */
const ADDRESS = 'http://mcp.invalid/mcp'

function openHandler(protocol: Protocol, { tools, asRefusal, report }: AgentHandlerDeps) {
  const calls = new WeakMap<Request, ToolCall>()
  const serverFor = (request: Request) => {
    const call = calls.get(request)!
    return createServer(protocol, { tools, callOf: () => call, asRefusal, report: (...said) => report(call, ...said) })
  }
  // Streams of changes would stay open, and tools do not change while a service runs.
  const modern = protocol.createMcpHandler(({ requestInfo }) => serverFor(requestInfo!), { legacy: 'reject', maxSubscriptions: 0 })
  const answerOf = async (request: Request, body: unknown): Promise<Response> => {
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
    const sent = Object.entries(headers).filter((header): header is [string, string] => header[1] !== undefined)
    const request = new Request(ADDRESS, { method: 'POST', headers: { ...Object.fromEntries(sent), ...JSON_ONLY } })
    calls.set(request, call)
    const response = await answerOf(request, body)
    const text = await response.text()
    return { status: response.status, body: text === '' ? null : withoutSecrets(text) }
  }
}
