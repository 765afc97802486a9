import { z } from 'zod'
import { count, DATASET_NAMES, LIMITS, PlanName, timestamp } from '../../kernel/index.ts'

export const Credits = z
  .object({
    period: z.string().meta({ description: 'Calendar month in Taipei, YYYY-MM.', example: '2026-07' }),
    included: count('Credits that the plan includes for the period.'),
    granted: count('Credits that the operator granted in addition to the credits of the plan.'),
    refunded: count('Credits of refunded reads. Refunded credits can be used again.'),
    used: count('Credits charged so far in the period.'),
    remaining: count('Remaining credits, at least 0.'),
    resets_at: timestamp('Start of the next period, when the full credits are available again.'),
  })
  .meta({ id: 'Credits', description: 'Credits of the current period.' })

export const SUBSCRIPTION = {
  subscription_id: z.string().meta({ description: 'Id of the subscription at the payment provider.' }),
  status: z
    .string()
    .meta({ description: 'Status as reported by the payment provider: active, trialing, past_due, unpaid, canceled and others.' }),
  plan_id: PlanName,
  cancel_at_period_end: z
    .boolean()
    .meta({ description: 'True if the subscription ends at the end of the paid period and is not billed again.' }),
}

export const Subscription = z
  .object({
    ...SUBSCRIPTION,
    current_period_end: timestamp('End of the paid period.').nullable().meta({
      description:
        'End of the paid period, RFC 3339, offset +08:00. Null if the payment provider states none, or if the subscription has ended.',
    }),
    grace_ends_at: timestamp('Time at which the plan ends if the bill stays unpaid.')
      .nullable()
      .meta({ description: 'Time at which the plan ends if the bill stays unpaid, RFC 3339, offset +08:00. Null if no bill is unpaid.' }),
  })
  .meta({ id: 'Subscription' })

export const AccountStatus = z.enum(['active', 'suspended', 'closed']).meta({ id: 'AccountStatus' })

export const Suspension = z
  .object({
    reason: z.string().meta({ description: 'Reason, in the words of the operator.', example: 'unpaid invoice of June' }),
    suspended_at: timestamp('Start time of the suspension.'),
  })
  .meta({ id: 'Suspension' })
  .nullable()
  .meta({
    description:
      'Suspension of the account. Reads are refused with 403 `account_suspended` during a suspension. Null if the account is not suspended.',
  })

const PlanHeld = z
  .object({
    plan_id: PlanName,
    expires_at: timestamp('End of the grant.')
      .nullable()
      .meta({ description: 'End of the grant, RFC 3339, offset +08:00. Null if the grant has no end.' }),
  })
  .meta({ id: 'PlanHeld' })
  .nullable()
  .meta({ description: 'Plan that the operator granted, even if the account pays for a higher plan. Null without a current grant.' })

const SETTINGS = {
  credit_mails: z.boolean().meta({
    description: 'True to send one mail when 80 % of the credits of the period are used, and another mail when 100 % are used.',
    example: false,
  }),
}

export const Settings = z.object(SETTINGS).meta({ id: 'Settings' })

export const SettingsInput = z.strictObject(SETTINGS)

export const Account = z
  .object({
    account_id: z.string(),
    email: z.string(),
    account_status: AccountStatus,
    suspension: Suspension,
    plan_id: PlanName,
    plan_source: z
      .enum(['free', 'grant', 'subscription'])
      .meta({ description: 'Origin of the current plan: free, grant or subscription.' }),
    grant: PlanHeld,
    created_at: timestamp('Creation time of the account.'),
    ...LIMITS,
    credits: Credits,
    settings: Settings,
    subscription: Subscription.nullable().meta({
      description:
        'Live subscription with the highest plan. If no subscription is live, the last subscription. Null if the account never had a subscription.',
    }),
    subscriptions: z.array(Subscription).meta({
      description: 'All live subscriptions at the payment provider that may be billed again. Each subscription is billed separately.',
    }),
  })
  .meta({ id: 'Account' })

export const AccountSummary = z
  .object({
    email: z.string().meta({ description: 'Requested e-mail address. Invalid addresses are returned unchanged.' }),
    plan_id: PlanName,
    account_status: AccountStatus.meta({
      description:
        '`closed` if the account of the address is closed, `suspended` if the operator suspended the account, otherwise `active`.',
    }),
    source: z
      .enum(['account', 'default'])
      .meta({ description: 'Source of the plan: `account` if an account has the address, otherwise `default`.' }),
    row_limit: LIMITS.row_limit,
    credits: Credits,
  })
  .meta({ id: 'AccountSummary' })

const kept = (doc: string) => z.literal(true).meta({ description: doc })

export const ClosedAccount = z
  .object({
    account_id: z.string(),
    account_status: z.literal('closed'),
    closed_at: timestamp('Closing time of the account.'),
    api_keys_revoked: count('Number of keys that this call revoked. Requests with these keys are refused.'),
    portal_access_invalidated: kept('All sessions of the account have ended.'),
    profile_redacted: kept('The address and the names of keys are deleted.'),
    billing_records_retained: kept('Payment records are kept, without personal data, under the account id.'),
    usage_records_retained: kept('Usage records are kept, without personal data, under the account id.'),
    billing: z
      .object({
        action_required: z.boolean().meta({
          description:
            'True if a subscription is still live at the payment provider, even if the subscription ends with the paid period. Closing the account does not cancel subscriptions.',
        }),
        reason: z
          .enum(['subscription_still_live'])
          .nullable()
          .meta({ description: 'Reason why an action is required. Null if no action is required.' }),
        portal_path: z.string().nullable().meta({
          description:
            'Path of the POST operation that returns a portal link. The operation requires a new sign-in with the same address, because the token of this call has ended. Null if no subscription is live.',
        }),
        portal_url: z.string().nullable().meta({
          description:
            'Page of the payment provider for cancelling the subscription. The link works without sign-in until it expires. Null if no subscription is live, or if the provider did not respond.',
        }),
        subscriptions: z
          .array(
            Subscription.extend({
              portal_url: z.string().nullable().meta({
                description: 'Page of the payment provider for cancelling this subscription. Null if the provider did not respond.',
              }),
            }).meta({ id: 'SubscriptionLeft' }),
          )
          .meta({ description: 'All live subscriptions, including subscriptions that end with the paid period.' }),
        sign_in_path: z
          .string()
          .nullable()
          .meta({ description: 'Path of the POST operation that starts a new sign-in. Null if no subscription is live.' }),
        next_step: z.string().nullable().meta({
          description: 'Next step for the customer, as a sentence in the language of `Accept-Language`. Null if no subscription is live.',
        }),
      })
      .meta({ id: 'BillingLeft' }),
  })
  .meta({ id: 'ClosedAccount' })

const KEY = {
  key_id: z.string(),
  name: z.string(),
  prefix: z.literal('sk_live_'),
  last4: z.string().meta({ description: 'Last four characters of the secret.' }),
  status: z.enum(['active', 'revoked', 'expired']),
  plan_id: PlanName.meta({ description: 'Plan of the account, which applies to all its keys.' }),
  created_at: timestamp('Creation time of the key.'),
  last_used_at: timestamp('Time of the last charged read.')
    .nullable()
    .meta({ description: 'Time of the last charged read, RFC 3339, offset +08:00. Null for an unused key.' }),
  expires_at: timestamp('Expiry time of the key.')
    .nullable()
    .meta({ description: 'Expiry time of the key, RFC 3339, offset +08:00. Null if the key does not expire.' }),
  revoked_at: timestamp('Revocation time of the key.')
    .nullable()
    .meta({ description: 'Revocation time of the key, RFC 3339, offset +08:00. Null if the key is not revoked.' }),
}
const SECRET = z
  .string()
  .meta({ description: 'Secret of the key: `sk_live_` followed by 38 characters. Send the secret in the `X-API-Key` header.' })

export const Key = z.object(KEY).meta({ id: 'Key' })

export const IssuedKey = z.object({ ...KEY, api_key: SECRET }).meta({ id: 'IssuedKey' })

export const SubscriptionKey = z
  .object({
    subscription_id: z.string().meta({ description: 'Id of the subscription to which the key belongs.' }),
    ...KEY,
    api_key: SECRET,
  })
  .meta({ id: 'SubscriptionKey' })

export const Keys = z
  .object({ data: z.array(Key).meta({ description: 'Keys, newest first.' }), data_count: count('Number of keys.') })
  .meta({ id: 'Keys' })

export const RevealedKey = z
  .object({
    key_id: z.string(),
    api_key: SECRET,
    last4: KEY.last4,
    revealed_at: timestamp('Time of this call, as in the audit log.'),
  })
  .meta({ id: 'RevealedKey' })

export const ShareProfile = z
  .object({
    shareCredentialsVersion: z.literal(1),
    endpoint: z.string().meta({ description: 'Endpoint of the shares.', example: 'https://twmd.example/delta-sharing' }),
    bearerToken: SECRET.meta({ description: 'Secret of the key.' }),
    expirationTime: z.iso.datetime().optional().meta({ description: 'Expiry time of the key, in UTC. Absent if the key does not expire.' }),
  })
  .meta({ id: 'ShareProfile', description: 'Profile file as defined by the Delta Sharing protocol.' })

export const CodeSent = z
  .object({
    flow_id: z.string().meta({ description: 'Id of this sign-in. Send this id together with the code.' }),
    status: z.literal('code_sent').meta({ description: 'Always `code_sent`, whether or not the address has an account.' }),
    expires_in: count('Seconds until the code expires.'),
    resend_after: count('Seconds until another code can be sent.'),
    notice: z.string().optional().meta({
      description:
        'Notice to all callers that the service receives too many requests for codes, and sends codes only to addresses with an account. Absent otherwise.',
    }),
  })
  .meta({ id: 'CodeSent' })

export const SignedIn = z
  .object({
    self_serve_token: z
      .string()
      .meta({ description: 'Session token: `sst_` followed by 43 characters. Send the token in the `x-self-serve-token` header.' }),
    expires_at: timestamp('Time at which the session ends. An unused session ends after 12 hours.'),
    account: Account,
    api_key: IssuedKey.optional().meta({
      description: 'First key of the account, with its secret. Absent if the account already had a key.',
    }),
  })
  .meta({ id: 'SignedIn' })

/** Describes a field that is null if no user is signed in. */
const orNobody = (doc: string): { readonly description: string } => ({ description: `${doc}. Null if the browser is not signed in.` })

export const WhoLooks = z
  .object({
    signed_in: z.boolean(),
    email: z.string().nullable().meta(orNobody('Address of the account')),
    plan: PlanName.nullable().meta(orNobody('Plan of the account')),
    credits_left: count('Remaining credits of the period.').nullable().meta(orNobody('Remaining credits of the period')),
    credits_reset_at: timestamp('When.')
      .nullable()
      .meta(orNobody('Time at which the full credits are available again, RFC 3339, offset +08:00')),
    suspension: Suspension,
    visitor: z
      .object({
        plan: PlanName.meta({ description: 'Highest plan whose datasets visitors can read.' }),
        row_limit: count('Maximum number of rows per response.'),
        requests_per_minute: count('Maximum number of requests per minute from one IP address.'),
        rows_per_hour: count('Maximum number of rows per hour for one IP address.'),
      })
      .meta({ id: 'VisitorTerms' })
      .nullable()
      .meta({
        description: 'Limits of the data that the portal shows without an account. Null if all data requires an account.',
      }),
  })
  .meta({ id: 'WhoLooks' })

export const Entitlements = z
  .object({
    account_id: z.string(),
    plan_id: PlanName,
    grant: PlanHeld,
    ...LIMITS,
    credits: Credits,
    formats: z.array(z.string()).meta({ description: 'Formats available for reads.' }),
    features: z.array(z.string()).meta({ description: 'Features of the plan, as snake_case words.' }),
    datasets: z.array(
      z
        .object({
          ...DATASET_NAMES,
          minimum_plan: PlanName,
          credits_per_call: count('Price of a successful read, in credits.'),
          allowed: z.boolean().meta({ description: 'True if the plan of the key includes the dataset.' }),
          reason: z.string().nullable().meta({
            description:
              'Reason why the plan does not include the dataset, as a sentence in the language of `Accept-Language`. Null if the plan includes the dataset.',
          }),
        })
        .meta({ id: 'DatasetEntitlement' }),
    ),
  })
  .meta({ id: 'Entitlements' })
