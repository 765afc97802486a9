import { z } from 'zod'
import { count, timestamp } from '../../kernel/index.ts'

const kept = (doc: string) => z.literal(true).meta({ description: doc })

export const ClosedAccount = z
  .object({
    account_id: z.string(),
    account_status: z.literal('closed'),
    closed_at: timestamp('When it was closed.'),
    api_keys_revoked: count('Keys this call revoked; they are refused from the next request on.'),
    portal_access_invalidated: kept('Every session of the account is over.'),
    profile_redacted: kept('The address and the names of keys are erased.'),
    billing_records_retained: kept('What was paid stays on record, under the account’s id alone.'),
    usage_records_retained: kept('What was used stays on record, under the account’s id alone.'),
    billing: z
      .object({
        action_required: z
          .boolean()
          .meta({ description: 'True while a subscription goes on at the payment provider: closing does not cancel it.' }),
        reason: z.enum(['subscription_still_live']).nullable().meta({ description: 'Null where nothing is left to do.' }),
        portal_path: z.string().nullable().meta({ description: 'Where subscriptions are managed; null where nothing is left to do.' }),
      })
      .meta({ id: 'BillingLeft' }),
  })
  .meta({ id: 'ClosedAccount' })
