/** Tools for agents, using the Model Context Protocol. */
export { type AgentToolsDeps, createAgentTools } from './agent-tools.ts'
export { type AgentAnswer, type AgentMessage, createAgentHandler } from './over-http.ts'
export { serveOverStdio } from './over-stdio.ts'
export { MAX_TOKENS, tokensOf } from './tokens.ts'
export type { Tool, ToolCall } from './tool.ts'
