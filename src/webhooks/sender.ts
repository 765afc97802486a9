import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent'
import { isPublicAddress, limitInformational } from '../core/index.ts'
import { createNameLookup, publicOnly } from './names.ts'

/** What came of sending a message. */
export interface Sent {
  /** Of the answer; null where none came. */
  readonly status: number | null
  /** Why none came, in one of our words; null where one did. */
  readonly error: SendError | null
  /** Value of the header, where it was sent. */
  readonly retryAfter: string | undefined
}

/** Why no answer came. The words of the system stay here: they tell of networks that an endpoint's owner has no business in, as would a word of its own for a name that leads there. */
export const SEND_ERRORS = {
  no_public_address: 'the name leads to no public address: to none at all, or to one that is not public',
  url_not_allowed: 'the service sends nothing to such URLs any more; change it',
  connection_refused: 'nothing listens there',
  connection_broken: 'the connection ended before an answer',
  certificate: 'its certificate is not valid for the name, or nobody vouches for it',
  timed_out: 'no answer came within 15 seconds',
} as const
export type SendError = keyof typeof SEND_ERRORS

/** Sends messages to endpoints. */
export interface Sender {
  /** Never rejects. @param headers beside the type of the body */
  post(url: string, headers: Readonly<Record<string, string>>, body: string, stopping: AbortSignal): Promise<Sent>
}

export interface SenderOptions {
  /** http, any port and private addresses are allowed as well. */
  readonly privateHosts: boolean
  /** How long all of an exchange may take. */
  readonly timeoutMs?: number
  /** Name servers, `127.0.0.1:53`; those of the system when absent. */
  readonly nameServers?: readonly string[]
  /** Looks names up, in place of name servers. */
  readonly lookup?: LookupFunction
}

const TIMEOUT_MS = 15_000
/** Bytes of a response, head and body, after which the connection is closed. */
const MOST_ANSWER_BYTES = 65_536

/**
 * Sends over connections of their own, each to an address that is checked when it is connected to: a name that leads elsewhere by then is
 * refused, too. Redirects are not followed. Of an answer, its status and `Retry-After` are looked at and nothing is kept.
 */
export function createSender({ privateHosts, timeoutMs = TIMEOUT_MS, nameServers, lookup }: SenderOptions): Sender {
  const options = { keepAlive: false, allowPrivateIPAddress: privateHosts }
  const lookupUntil = (signal: AbortSignal): LookupFunction | undefined => {
    // Names of the operator's own network may be in the hosts file alone.
    if (privateHosts) return lookup ?? (nameServers && createNameLookup(signal, nameServers))
    return publicOnly(lookup ?? createNameLookup(signal, nameServers))
  }
  const agents = { 'https:': new RequestFilteringHttpsAgent(options), 'http:': new RequestFilteringHttpAgent(options) }
  return {
    post(url, headers, body, stopping) {
      const target = new URL(url)
      const host = target.hostname.replace(/^\[|\]$/g, '')
      if (!privateHosts && isIP(host) !== 0 && !isPublicAddress(host)) return Promise.resolve(NO_PUBLIC_ADDRESS)
      const [client, agent] = target.protocol === 'https:' ? [https, agents['https:']] : [http, agents['http:']]
      const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)])
      const sent = {
        ...headers,
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'twmd-webhooks/1',
      }
      return new Promise(resolve => {
        const request = client.request(target, { method: 'POST', agent, signal, headers: sent, lookup: lookupUntil(signal) })
        const fail = (error: Error): void => resolve({ status: null, error: wordOf(error), retryAfter: undefined })
        request.on('error', fail)
        request.on(
          'information',
          limitInformational(reason => void request.destroy(reason)),
        )
        // An answer that changes the protocol, which Node would otherwise end without a word.
        request.on('upgrade', (response, socket) => {
          socket.destroy()
          resolve({ status: response.statusCode!, error: null, retryAfter: undefined })
        })
        request.on('response', response => {
          const done = (): void => resolve({ status: response.statusCode!, error: null, retryAfter: response.headers['retry-after'] })
          response.on('data', () => {
            if (response.socket.bytesRead >= MOST_ANSWER_BYTES) response.destroy()
          })
          response.on('error', done)
          response.on('close', done)
        })
        request.end(body)
      })
    },
  }
}

const NO_PUBLIC_ADDRESS: Sent = { status: null, error: 'no_public_address', retryAfter: undefined }

function wordOf(error: Error & { readonly code?: unknown }): SendError {
  const code = String(error.code ?? '')
  if (/is not allowed\. Because/.test(error.message)) return 'no_public_address'
  if (error.name === 'AbortError' || error.name === 'TimeoutError' || code === 'ETIMEDOUT') return 'timed_out'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'no_public_address'
  if (code === 'ECONNREFUSED' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'connection_refused'
  if (/CERT|TLS|SSL|ALTNAME|EPROTO|SELF_SIGNED|LEAF_SIGNATURE/.test(code)) return 'certificate'
  return 'connection_broken'
}
