import { z } from 'zod'
import { timestamp } from '../../kernel/index.ts'

export const CheckoutSession = z
  .object({
    session_id: z.string().meta({ description: 'Id at the payment provider.' }),
    url: z.string().meta({ description: 'Page of the payment provider; send the customer there.' }),
    expires_at: timestamp('When the page stops working.'),
    plan_id: z.enum(['pro', 'max']),
  })
  .meta({ id: 'CheckoutSession' })

export const PortalSession = z
  .object({ url: z.string().meta({ description: 'Page of the payment provider where subscriptions are changed; opens once.' }) })
  .meta({ id: 'PortalSession' })

/** What the payment provider is told of an event. */
export const EventReceipt = z
  .object({
    received: z.literal(true).meta({ description: 'The event is stored.' }),
    duplicate: z.boolean().meta({ description: 'True for an event that was stored before; it counts once.' }),
  })
  .meta({ id: 'EventReceipt' })
