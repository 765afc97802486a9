import { readFileSync } from 'node:fs'
import type { CallToolResult, Server } from '@modelcontextprotocol/server'
import { once, Refusal, withoutSecrets } from '../core/index.ts'
import { refusalView } from './refusal-view.ts'
import type { Tool, ToolCall } from './tool.ts'

/** Loading takes 0.2 s. */
export const loadProtocol = once(() => import('@modelcontextprotocol/server'))

export type Protocol = Awaited<ReturnType<typeof loadProtocol>>

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string }

const SERVER_INFO = { name: 'twmd', title: 'Taiwan market data', version }

const INSTRUCTIONS =
  'Historical Taiwan market data as published: prices, institutional trades, earnings, monthly revenue, yields, brokers, corporate events. Call find first for names, then describe_dataset for columns and filters, then get_rows or get_fields. Days are Taipei days (YYYY-MM-DD). Missing values are null. Amounts are in shares and New Taiwan dollars unless the unit of a column differs. Report data_as_of, release and all warnings with any figures; synthetic_sample_data means that rows are synthetic. Nothing is investment advice.'

/** Called after each refused or failed call. */
export type Report = (refusal: Refusal, error: unknown, tool: string) => void

export interface ServerDeps {
  readonly tools: readonly Tool[]
  readonly callOf: () => ToolCall
  readonly asRefusal: (error: unknown) => Refusal
  readonly report: Report
}

export function createServer(
  { Server, ProtocolError, ProtocolErrorCode }: Protocol,
  { tools, callOf, asRefusal, report }: ServerDeps,
): Server {
  const server = new Server(SERVER_INFO, { capabilities: { tools: {} }, instructions: INSTRUCTIONS })
  server.setRequestHandler('tools/list', () => ({ tools: tools.map(({ listed }) => listed) as never }))
  server.setRequestHandler('tools/call', async ({ params }): Promise<CallToolResult> => {
    const tool = tools.find(({ listed }) => listed.name === params.name)
    if (!tool) {
      const names = tools.map(({ listed }) => listed.name).join(', ')
      throw new ProtocolError(
        ProtocolErrorCode.InvalidParams,
        `There is no tool ${withoutSecrets(params.name).slice(0, 100)}. Available tools: ${names}.`,
      )
    }
    const call = callOf()
    try {
      return resultOf(await tool.run(params.arguments, call))
    } catch (error) {
      const refusal = error instanceof Refusal ? error : asRefusal(error)
      report(refusal, error, tool.listed.name)
      return { ...resultOf(refusalView(refusal, call.requestId, call.language)), isError: true }
    }
  })
  return server
}

/** Returns the answer as structured content and as text, because some hosts support only text. */
const resultOf = (answer: object): CallToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(answer) }],
  structuredContent: answer as Record<string, unknown>,
})
