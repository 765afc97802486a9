import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent'
import { isPublicAddress, limitInformational } from '../core/index.ts'
import { createNameLookup, publicOnly } from './name-lookup.ts'

export interface SendResult {
  /** Null if there was no response. */
  readonly status: number | null
  /** Null if there was a response. */
  readonly error: SendError | null
  readonly retryAfter: string | undefined
}

/** Do not add details, because owners could explore internal networks. */
export const SEND_ERRORS = {
  no_public_address: 'the host name has no public address',
  url_not_allowed: 'the service no longer sends to URLs of this kind, so change the URL',
  connection_refused: 'the connection was refused',
  connection_broken: 'the connection was closed before a response',
  certificate: 'the certificate is not trusted, or not valid for the host name',
  timed_out: 'no response within 15 seconds',
} as const
export type SendError = keyof typeof SEND_ERRORS

export interface Sender {
  /**
   * Never rejects.
   * @param headers additional headers
   */
  post(url: string, headers: Readonly<Record<string, string>>, body: string, stopping: AbortSignal): Promise<SendResult>
}

export interface SenderOptions {
  /** True to allow http, any port and private addresses. */
  readonly privateHosts: boolean
  readonly timeoutMs?: number
  /** For example `127.0.0.1:53`. Default: the name servers of the system. */
  readonly nameServers?: readonly string[]
  readonly lookup?: LookupFunction
}

const TIMEOUT_MS = 15_000
/** Includes the head. A larger response closes the connection. */
const MAX_RESPONSE_BYTES = 65_536

/** Checks the address of each connection, against DNS rebinding. Does not follow redirects. */
export function createSender({ privateHosts, timeoutMs = TIMEOUT_MS, nameServers, lookup }: SenderOptions): Sender {
  const options = { keepAlive: false, allowPrivateIPAddress: privateHosts }
  const lookupWith = (signal: AbortSignal): LookupFunction | undefined => {
    // Names in the operator's network may exist only in the hosts file.
    if (privateHosts) return lookup ?? (nameServers && createNameLookup(signal, nameServers))
    return publicOnly(lookup ?? createNameLookup(signal, nameServers))
  }
  const agents = { 'https:': new RequestFilteringHttpsAgent(options), 'http:': new RequestFilteringHttpAgent(options) }
  return {
    post(url, headers, body, stopping) {
      const target = new URL(url)
      const host = target.hostname.replace(/^\[|\]$/g, '')
      if (!privateHosts && isIP(host) !== 0 && !isPublicAddress(host)) return Promise.resolve(NO_PUBLIC_ADDRESS)
      const isHttps = target.protocol === 'https:'
      const client = isHttps ? https : http
      const agent = isHttps ? agents['https:'] : agents['http:']
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)])
      const allHeaders = {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'twmd-webhooks/1',
      }
      return new Promise(resolve => {
        const request = client.request(target, { method: 'POST', agent, signal, headers: allHeaders, lookup: lookupWith(signal) })
        const fail = (error: Error): void => resolve({ status: null, error: sendErrorOf(error), retryAfter: undefined })
        request.on('error', fail)
        request.on(
          'information',
          limitInformational(reason => void request.destroy(reason)),
        )
        // Without a handler, Node closes the connection without an event.
        request.on('upgrade', (response, socket) => {
          socket.destroy()
          resolve({ status: response.statusCode!, error: null, retryAfter: undefined })
        })
        request.on('response', response => {
          const finish = (): void => resolve({ status: response.statusCode!, error: null, retryAfter: response.headers['retry-after'] })
          response.on('data', () => {
            if (response.socket.bytesRead >= MAX_RESPONSE_BYTES) response.destroy()
          })
          response.on('error', finish)
          response.on('close', finish)
        })
        request.end(body)
      })
    },
  }
}

const NO_PUBLIC_ADDRESS: SendResult = { status: null, error: 'no_public_address', retryAfter: undefined }

function sendErrorOf(error: Error & { readonly code?: unknown }): SendError {
  const code = String(error.code ?? '')
  if (/is not allowed\. Because/.test(error.message)) return 'no_public_address'
  if (error.name === 'AbortError' || error.name === 'TimeoutError' || code === 'ETIMEDOUT') return 'timed_out'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'no_public_address'
  if (code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'connection_refused'
  if (/CERT|TLS|SSL|ALTNAME|EPROTO|SELF_SIGNED|LEAF_SIGNATURE/.test(code)) return 'certificate'
  return 'connection_broken'
}
