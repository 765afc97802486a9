import { z } from 'zod'
import { timestamp } from '../../kernel/index.ts'

export const CheckoutSession = z
  .object({
    session_id: z.string().meta({ description: 'Id of the checkout session at the payment provider.' }),
    url: z.string().meta({ description: 'URL of the checkout page of the payment provider. Redirect the customer to this URL.' }),
    expires_at: timestamp('Expiry time of the checkout page.'),
    plan_id: z.enum(['pro', 'max']),
  })
  .meta({ id: 'CheckoutSession' })

export const PortalSession = z
  .object({
    url: z.string().meta({ description: 'URL of the page of the payment provider for changing subscriptions. The URL works once.' }),
  })
  .meta({ id: 'PortalSession' })

export const EventReceipt = z
  .object({
    received: z.literal(true).meta({ description: 'Always true: the event is stored.' }),
    duplicate: z.boolean().meta({ description: 'True if the event was already stored and was therefore ignored.' }),
  })
  .meta({ id: 'EventReceipt' })
