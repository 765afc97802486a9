import { z } from 'zod'
import { calendarDay, count, PlanName, timestamp } from '../../kernel/index.ts'

const KEY = {
  key_id: z.string(),
  name: z.string(),
  prefix: z.literal('sk_live_'),
  last4: z.string().meta({ description: 'Last four characters of the secret.' }),
  status: z.enum(['active', 'revoked', 'expired']),
  plan_id: PlanName.meta({ description: 'Plan of the account; every key of it has the same.' }),
  created_at: timestamp('When it was issued.'),
  last_used_at: calendarDay('Day of the last charged read.')
    .nullable()
    .meta({ description: 'Day of the last charged read, YYYY-MM-DD in Taipei; null for a key that has not been used.' }),
  expires_at: timestamp('When it expires.')
    .nullable()
    .meta({ description: 'When it expires, RFC 3339, offset +08:00; null for a key that does not.' }),
  revoked_at: timestamp('When it was revoked.')
    .nullable()
    .meta({ description: 'When it was revoked, RFC 3339, offset +08:00; null for a key that was not.' }),
}
const SECRET = z.string().meta({ description: 'The secret: `sk_live_` and 38 characters. Send it in X-API-Key.' })

export const Key = z.object(KEY).meta({ id: 'Key' })

export const IssuedKey = z.object({ ...KEY, api_key: SECRET }).meta({ id: 'IssuedKey' })

export const SubscriptionKey = z
  .object({ subscription_id: z.string().meta({ description: 'The subscription it was issued for.' }), ...KEY, api_key: SECRET })
  .meta({ id: 'SubscriptionKey' })

export const Keys = z
  .object({ data: z.array(Key).meta({ description: 'Newest first.' }), data_count: count('Number of keys.') })
  .meta({ id: 'Keys' })

export const RevealedKey = z
  .object({
    key_id: z.string(),
    api_key: SECRET,
    last4: KEY.last4,
    revealed_at: timestamp('When it was shown; on record.'),
  })
  .meta({ id: 'RevealedKey' })
