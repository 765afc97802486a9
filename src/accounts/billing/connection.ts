import { setMaxListeners } from 'node:events'
import { Agent as PlainAgent } from 'node:http'
import { Agent } from 'node:https'

/** An agent whose sockets end with the signal. */
export function agentUntil(signal: AbortSignal, apiBase: string | undefined): Agent | PlainAgent {
  // Every socket listens to it.
  setMaxListeners(0, signal)
  const options = { keepAlive: true, signal }
  return apiBase?.startsWith('http:') ? new PlainAgent(options) : new Agent(options)
}

/** An address as the provider's client takes it, in parts; none for the provider itself. */
export function addressOf(apiBase: string | undefined) {
  if (apiBase === undefined) return {}
  const { protocol, hostname, port } = new URL(apiBase)
  return { protocol: protocol.slice(0, -1) as 'http' | 'https', host: hostname, port: port || (protocol === 'https:' ? '443' : '80') }
}
