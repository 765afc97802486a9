import { z } from 'zod'
import { count, LIMITS, money, PlanName, timestamp } from '../../kernel/index.ts'
import { AccountStatus, Credits, IssuedKey, Key, Subscription, Suspension } from '../accounts/schemas.ts'
import { UsageSummary } from '../accounts/usage-schemas.ts'

const email = z.string().nullable().meta({ description: 'E-mail address of the account. Null if the account is closed.' })

export const AccountList = z
  .object({
    data_count: count('Number of entries in `data`.'),
    data: z
      .array(
        z
          .object({
            account_id: z.string(),
            email,
            account_status: AccountStatus,
            plan_id: PlanName,
            created_at: timestamp('Creation time of the account.'),
            active_keys: count('Number of active keys.'),
            last_used_at: timestamp('Time of the last charged read.')
              .nullable()
              .meta({ description: 'Time of the last charged read, RFC 3339, offset +08:00. Null if there was no charged read.' }),
          })
          .meta({ id: 'AccountEntry' }),
      )
      .meta({ description: 'Accounts, newest first.' }),
    next_before: z.string().nullable().meta({ description: 'Value of the parameter `before` for the next page. Null on the last page.' }),
  })
  .meta({ id: 'AccountList' })

const { window, totals, by_dataset, by_key } = UsageSummary.shape

const limit = (doc: string) =>
  z
    .int()
    .min(0)
    .nullable()
    .meta({ description: `${doc} Null if the limit of the plan applies.` })

export const AccountDetail = z
  .object({
    account_id: z.string(),
    email,
    account_status: AccountStatus,
    suspension: Suspension,
    created_at: timestamp('Creation time of the account.'),
    closed_at: timestamp('Closing time.')
      .nullable()
      .meta({ description: 'Closing time, RFC 3339, offset +08:00. Null if the account is not closed.' }),
    last_sign_in_at: timestamp('Last sign-in.')
      .nullable()
      .meta({ description: 'Time of the last sign-in, RFC 3339, offset +08:00. Null if there was no sign-in within about 37 days.' }),
    plan_id: PlanName,
    plan_source: z
      .enum(['free', 'grant', 'subscription'])
      .meta({ description: 'Origin of the current plan: free, grant or subscription.' }),
    grant: z
      .object({
        plan_id: PlanName,
        expires_at: timestamp('End of the grant.')
          .nullable()
          .meta({ description: 'End of the grant, RFC 3339, offset +08:00. Null if the grant has no end.' }),
        note: z.string().nullable().meta({ description: 'Reason for the grant, not shown to the owner. Null if none was sent.' }),
      })
      .meta({ id: 'AccountGrant' })
      .nullable(),
    ...LIMITS,
    own_limits: z
      .object({
        row_limit: limit('Maximum number of rows per response.'),
        requests_per_minute: limit('Maximum number of requests per minute.'),
        requests_at_once: limit('Maximum number of concurrent reads.'),
        credits_per_month: limit('Number of credits per month.'),
      })
      .meta({ id: 'OwnLimits', description: 'Limits of this account, set by the operator.' }),
    credits: Credits,
    keys: z.array(Key).meta({ description: 'All active keys and the newest revoked or expired keys, newest first.' }),
    usage: z
      .object({ window, totals, by_dataset: z.array(by_dataset.element.omit({ dataset: true })), by_key })
      .meta({ id: 'AccountUsage', description: 'Usage of the last 30 days.' }),
    payments: z
      .object({
        customer_id: z.string().nullable().meta({ description: 'Customer id at the payment provider. Null before the first checkout.' }),
        subscriptions: z.array(Subscription),
        billed_periods: z
          .array(
            z.object({
              subscription_id: z.string(),
              from: timestamp('Start of the billing period.'),
              until: timestamp('End of the billing period.'),
              amount: money('Price of the whole billing period.'),
            }),
          )
          .meta({ description: 'Billed periods, newest first, at most 50.' }),
      })
      .meta({ id: 'AccountPayments' }),
    mails: z
      .array(
        z.object({
          at: timestamp('Time at which the mail was queued.'),
          kind: z.string().meta({ description: '`code` for a sign-in code, `notice` for a notice.' }),
          subject: z.string(),
          state: z.enum(['waiting', 'sent', 'given_up']),
          last_error: z.string().nullable().meta({ description: 'Last error of the mail server. Null if there was no error.' }),
        }),
      )
      .meta({ description: 'Mails of the last 90 days, newest first, at most 50. The texts of mails are not stored.' }),
    notes: z
      .array(z.object({ at: timestamp('Time of the note.'), author: z.string(), text: z.string() }))
      .meta({ description: 'Notes of operators, newest first. Not shown to the owner.' }),
  })
  .meta({ id: 'AccountDetail' })

export const RotatedKey = z
  .object({ key: IssuedKey, former_key: Key })
  .meta({ id: 'RotatedKey', description: 'New key with its secret, and the former key.' })
