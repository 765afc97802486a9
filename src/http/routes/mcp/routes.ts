import { z } from 'zod'
import type { Log, Refusal } from '../../../core/index.ts'
import { type AgentToolsDeps, createAgentHandler, createAgentTools, type ToolCall } from '../../../mcp/index.ts'
import type { Charge, PartsDeps } from '../../../operations/index.ts'
import { asRefusal, type Endpoint, inProtocol, OURS, type Route, route } from '../../kernel/index.ts'

const PATH = '/mcp'

const header = (description: string) => z.string().max(1_000).optional().meta({ description })

const ENDPOINT = {
  summary: 'Tools for agents, by the Model Context Protocol',
  summaryZh: '供 AI 代理使用的工具（Model Context Protocol）',
  group: 'service',
  caller: 'agent',
  headers: z.object({
    'mcp-protocol-version': header('Version of the Model Context Protocol.'),
    'mcp-method': header('Method of the message, for protocol versions that require the header.'),
    'mcp-name': header('Name of the tool, for protocol versions that require the header.'),
  }),
  body: z.record(z.string(), z.unknown()).meta({ description: 'One JSON-RPC message.' }),
  answer: z.never(),
  unlisted: 'has its own protocol, which describes its tools',
} as const satisfies Endpoint

export type AgentRouteDeps = Omit<AgentToolsDeps, 'served'> & {
  readonly gate: PartsDeps['gate']
  readonly origin: () => string
  readonly log: Log
  /** Called with the code of each tool call that is refused or fails. Must not throw. */
  readonly refused?: ((code: string) => void) | undefined
}

/** Each request has one message. There is no state between requests. */
export function agentRoutes(deps: AgentRouteDeps): readonly Route<'agent'>[] {
  const { gate, origin, log, refused } = deps
  const report = ({ requestId }: ToolCall, refusal: Refusal, error: unknown, tool: string): void => {
    const facts = { request_id: requestId, route: PATH, tool, status: refusal.status, code: refusal.wireCode }
    refused?.(refusal.wireCode)
    if (OURS.has(refusal.code)) log('failed', { ...facts, error: String(error), stack: (error as Error).stack })
    else log('refused', facts)
  }
  const tools = createAgentTools({ ...deps, served: { origin, signFile: gate.signFile } })
  const answer = createAgentHandler({ tools, asRefusal: error => asRefusal(error as Error as Refusal), report })
  return [
    route(`POST ${PATH}`, ENDPOINT, async ({ caller, headers, body, requestId, isDisconnected, time, language }) => {
      let charge: Charge | undefined
      const onCharge = (cost: Charge): void => {
        charge = cost
      }
      const call = { caller, requestId, isDisconnected, time, language, onCharge }
      const { status, body: json } = await answer({ body, headers, call })
      return inProtocol(json, status, caller?.isVisitor ? undefined : charge)
    }),
  ]
}
