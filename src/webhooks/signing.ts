import { createHmac, randomBytes } from 'node:crypto'

/** Headers of a message, as defined by Standard Webhooks. */
export interface SignatureHeaders {
  readonly 'webhook-id': string
  /** Unix time in seconds. */
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
}

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** Creates a secret: `whsec_` and 32 random bytes in base64. */
export const newEndpointSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`

/**
 * Returns the context that binds the sealed copy of a secret to its row. In another row, the copy
 * cannot be opened.
 */
export const endpointOwnerOf = (endpointId: string, accountId: string): string => `webhook|${endpointId}|${accountId}`

/**
 * Signs a message as defined by Standard Webhooks.
 *
 * @param secrets the current secret; during a rotation, also the previous secret. There is one
 * signature per secret
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
