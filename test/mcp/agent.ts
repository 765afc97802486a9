import { Client, StreamableHTTPClientTransport, type Transport } from '@modelcontextprotocol/client'

/** Result or error of a tool. */
export interface ToolResult {
  readonly isError: boolean
  // biome-ignore lint/suspicious/noExplicitAny: the type differs by tool
  readonly answer: any
  readonly text: string
}

export interface Agent {
  readonly client: Client
  call(name: string, args?: Record<string, unknown>): Promise<ToolResult>
  close(): Promise<void>
}

/**
 * An agent over any transport. It uses the current protocol revision or, with `legacy`, a revision
 * that starts with `initialize`.
 */
export async function agentOver(transport: Transport, mode: 'auto' | 'legacy' = 'auto'): Promise<Agent> {
  const client = new Client({ name: 'analyst', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  return {
    client,
    async call(name, args = {}) {
      const { content, structuredContent, isError } = await client.callTool({ name, arguments: args })
      const [first] = content
      return { isError: isError === true, answer: structuredContent, text: first?.type === 'text' ? first.text : '' }
    },
    close: () => client.close(),
  }
}

/** An agent that calls a service over HTTP. */
export const agentAt = (origin: string, key?: string, mode?: 'auto' | 'legacy'): Promise<Agent> => {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` }
  return agentOver(new StreamableHTTPClientTransport(new URL('/mcp', origin), { requestInit: { headers } }), mode)
}
