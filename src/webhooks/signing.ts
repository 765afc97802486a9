import { createHmac, randomBytes } from 'node:crypto'

export interface SignatureHeaders {
  readonly 'webhook-id': string
  /** Unix time in seconds. */
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
}

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

export const newEndpointSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`

/** Binds an encrypted secret to a row. */
export const endpointOwnerOf = (endpointId: string, accountId: string): string => `webhook|${endpointId}|${accountId}`

/**
 * Signs a message according to Standard Webhooks.
 *
 * @param secrets the current secret, and the previous secret during a rotation
 */
export function signatureHeaders(messageId: string, body: string, secrets: readonly string[], now: Date): SignatureHeaders {
  const timestamp = String(Math.floor(now.getTime() / 1_000))
  const content = `${messageId}.${timestamp}.${body}`
  const signatures = secrets.map(secret => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
  })
  return { 'webhook-id': messageId, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
