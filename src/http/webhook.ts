import type { FastifyInstance, FastifyRequest } from 'fastify'
import { verifyEvent } from '../accounts/billing/stripe.ts'
import { Refusal } from '../core/errors.ts'
import { type BillingRouteParts, deskOf } from './billing.ts'

const LONGEST_SIGNATURE = 4_096
const NAMES = ['payment-signature', 'stripe-signature'] as const

/** The payment provider's events: signed bytes in, stored once, answered at once, applied from the store. */
export function webhookRoutes(app: FastifyInstance, parts: BillingRouteParts): void {
  app.register(async scope => {
    // The signature is over the bytes as they came, so nothing may parse and write them anew.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 1024 * 1024 }, (_, body, done) => done(null, body))
    scope.post('/v2/billing/webhook', request => {
      const { secrets, billing } = deskOf(parts)
      const signature = signatureOf(request)
      const event = Buffer.isBuffer(request.body) ? verifyEvent(request.body, signature, secrets, parts.clock()) : undefined
      if (!event) throw new Refusal('invalid_signature')
      const isNew = parts.control.paymentEvents.store(event, parts.clock())
      if (isNew) setImmediate(() => void billing.round())
      return { received: true, duplicate: !isNew }
    })
  })
}

/** @throws Refusal invalid_signature when there is none, or two that differ */
function signatureOf({ headers }: FastifyRequest): string {
  const sent = NAMES.map(name => headers[name]).filter(value => value !== undefined)
  const [first] = sent
  if (typeof first !== 'string' || first.length > LONGEST_SIGNATURE || sent.some(value => value !== first))
    throw new Refusal('invalid_signature')
  return first
}
