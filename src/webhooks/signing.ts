import { createHmac, randomBytes } from 'node:crypto'

/** What a message is sent with beside its body. */
export interface Signed {
  readonly 'webhook-id': string
  /** Seconds since 1970. */
  readonly 'webhook-timestamp': string
  readonly 'webhook-signature': string
}

const PREFIX = 'whsec_'
const SECRET_BYTES = 32

/** A new secret of an endpoint, `whsec_` and 32 random bytes in base64. */
export const newEndpointSecret = (): string => `${PREFIX}${randomBytes(SECRET_BYTES).toString('base64')}`

/** Ties the sealed copy of a secret to its row. */
export const endpointOwnerOf = (endpointId: string, accountId: string): string => `webhook|${endpointId}|${accountId}`

/**
 * The headers by which a receiver knows a message as ours, as Standard Webhooks has them.
 *
 * @param secrets of the endpoint: the one in use, and the former one while it is replaced; the message is signed with each
 */
export function signed(messageId: string, body: string, secrets: readonly string[], now: Date): Signed {
  const timestamp = String(Math.floor(now.getTime() / 1_000))
  const content = `${messageId}.${timestamp}.${body}`
  const signatures = secrets.map(secret => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(content).digest('base64')}`
  })
  return { 'webhook-id': messageId, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
