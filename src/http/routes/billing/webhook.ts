import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { verifyEvent } from '../../../accounts/index.ts'
import { Refusal } from '../../../core/index.ts'
import { type Endpoint, queryOf } from '../../kernel/index.ts'
import { type BillingRouteParts, billingOf } from './desk.ts'
import { EventReceipt } from './schemas.ts'

const LONGEST_SIGNATURE = 4_096
const NAMES = ['payment-signature', 'stripe-signature'] as const

const signature = (doc: string) => z.string().max(LONGEST_SIGNATURE).optional().meta({ description: doc, example: 't=1782907200,v1=5257…' })

const WEBHOOK = {
  summary: 'Take an event of the payment provider',
  summaryZh: '接收金流服務的事件',
  description:
    'The signature is checked over the bytes as they came, within five minutes of now. An event is stored once by its id, answered at once, and applied by reading the subscription anew, so order and repetition do not matter. Types that change nothing here are stored and ignored.',
  group: 'billing',
  caller: 'payment_provider',
  headers: z.object({
    'payment-signature': signature('The provider’s signature of the body.'),
    'stripe-signature': signature('The same under the provider’s own name. One of the two is needed; both have to be equal.'),
  }),
  body: z
    .looseObject({ id: z.string(), type: z.string(), created: z.union([z.int(), z.string()]), livemode: z.boolean() })
    .meta({ description: 'The event as the provider writes it.' }),
  answer: EventReceipt,
  refusals: ['invalid_signature', 'billing_unavailable'],
} satisfies Endpoint

/** The payment provider's events: signed bytes in, stored once, answered at once, applied from the store. */
export function webhookRoutes(app: FastifyInstance, parts: BillingRouteParts): void {
  app.register(async scope => {
    // The signature is over the bytes as they came, so nothing may parse and write them anew.
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: 1024 * 1024 }, (_, body, done) => done(null, body))
    scope.post('/v2/billing/webhook', { config: { endpoint: WEBHOOK } }, request => {
      const { webhookSecrets, worker } = billingOf(parts)
      const signature = signatureOf(request)
      const event = Buffer.isBuffer(request.body) ? verifyEvent(request.body, signature, webhookSecrets, parts.clock()) : undefined
      if (!event) throw new Refusal('invalid_signature')
      queryOf(WEBHOOK, request.query)
      const isNew = parts.control.paymentEvents.store(event, parts.clock())
      if (isNew) setImmediate(() => void worker.applyDue())
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
