import { z } from 'zod'

/** What the payment provider is told of an event. */
export const EventReceipt = z
  .object({
    received: z.literal(true).meta({ description: 'The event is stored.' }),
    duplicate: z.boolean().meta({ description: 'True for an event that was stored before; it counts once.' }),
  })
  .meta({ id: 'EventReceipt' })
