import { z } from 'zod'
import { count, DATASET_NAMES, LIMITS, PlanName, timestamp } from '../../kernel/index.ts'

export const Credits = z
  .object({
    period: z.string().meta({ description: 'Calendar month in Taipei, YYYY-MM.', example: '2026-07' }),
    included: count('Included credits of the plan for the period.'),
    granted: count('Credits granted by the operator, in addition to the included ones.'),
    refunded: count('Credits of refunded reads. They can be used again.'),
    used: count('Credits charged so far in the period.'),
    remaining: count('Remaining credits, at least 0.'),
    resets_at: timestamp('Start of the next period, when the full credits are available again.'),
  })
  .meta({ id: 'Credits', description: 'Credits of the current period.' })

/** Fields of a subscription in every response. */
export const SUBSCRIPTION = {
  subscription_id: z.string().meta({ description: 'Id at the payment provider.' }),
  status: z
    .string()
    .meta({ description: 'Status as reported by the payment provider: active, trialing, past_due, unpaid, canceled and others.' }),
  plan_id: PlanName,
  cancel_at_period_end: z.boolean().meta({ description: 'True if the subscription ends with the paid period and is not billed again.' }),
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

/** Reason why the operator suspended an account. */
export const Suspension = z
  .object({
    reason: z.string().meta({ description: 'Reason, in the words of the operator.', example: 'unpaid invoice of June' }),
    suspended_at: timestamp('Start of the suspension.'),
  })
  .meta({ id: 'Suspension' })
  .nullable()
  .meta({ description: 'Present while the account is suspended: reads are refused with 403 `account_suspended`. Null otherwise.' })

/** A plan that the operator granted to the account. */
const PlanHeld = z
  .object({
    plan_id: PlanName,
    expires_at: timestamp('End of the grant.')
      .nullable()
      .meta({ description: 'End of the grant, RFC 3339, offset +08:00. Null if it has no end.' }),
  })
  .meta({ id: 'PlanHeld' })
  .nullable()
  .meta({ description: 'Granted plan, even if a higher plan is paid for. Null if there is none or it has ended.' })

const SETTINGS = {
  credit_mails: z.boolean().meta({
    description: 'True to send a mail when 80 % of the period’s credits are used, and another when 100 % are used.',
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
    plan_source: z.enum(['free', 'grant', 'subscription']).meta({ description: 'Origin of the current plan.' }),
    grant: PlanHeld,
    created_at: timestamp('Creation time of the account.'),
    ...LIMITS,
    credits: Credits,
    settings: Settings,
    subscription: Subscription.nullable().meta({
      description:
        'Live subscription with the highest plan. Without a live subscription, the last one. Null if the account never had a subscription.',
    }),
    subscriptions: z.array(Subscription).meta({
      description: 'All live subscriptions at the payment provider that may be billed again. Each one is billed separately.',
    }),
  })
  .meta({ id: 'Account' })

export const AccountSummary = z
  .object({
    email: z.string().meta({ description: 'Requested address. Invalid addresses are returned unchanged.' }),
    plan_id: PlanName,
    account_status: AccountStatus.meta({
      description: '`closed` if the address had an account and has none now; `suspended` if the operator suspended it; otherwise `active`.',
    }),
    source: z.enum(['account', 'default']).meta({ description: '`default` if no account has the address.' }),
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
    api_keys_revoked: count('Number of keys revoked by this call. They are refused from the next request.'),
    portal_access_invalidated: kept('All sessions of the account have ended.'),
    profile_redacted: kept('The address and the names of keys are deleted.'),
    billing_records_retained: kept('Payment records are kept, without personal data, under the account id.'),
    usage_records_retained: kept('Usage records are kept, without personal data, under the account id.'),
    billing: z
      .object({
        action_required: z.boolean().meta({
          description:
            'True while a subscription is live at the payment provider, even if it ends with the period. Closing the account does not cancel it.',
        }),
        reason: z.enum(['subscription_still_live']).nullable().meta({ description: 'Null if no action is required.' }),
        portal_path: z.string().nullable().meta({
          description:
            'Path for POST that returns a portal link. Requires a new sign-in with the same address, because the token of this call has ended. Null if no subscription is live.',
        }),
        portal_url: z.string().nullable().meta({
          description:
            'Payment provider’s page for cancelling the subscription. It opens without sign-in until it expires. Null if no subscription is live. Null also if the provider did not respond; in that case, sign in again.',
        }),
        subscriptions: z
          .array(
            Subscription.extend({
              portal_url: z
                .string()
                .nullable()
                .meta({ description: 'Payment provider’s page for cancelling this subscription. Null if the provider did not respond.' }),
            }).meta({ id: 'SubscriptionLeft' }),
          )
          .meta({ description: 'All live subscriptions, including those that end with the paid period.' }),
        sign_in_path: z
          .string()
          .nullable()
          .meta({ description: 'Path for POST that starts a new sign-in. Null if no subscription is live.' }),
        next_step: z.string().nullable().meta({
          description: 'Next step, as a sentence in the language of `Accept-Language`. Null if no subscription is live.',
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
    .meta({ description: 'Expiry time of the key, RFC 3339, offset +08:00. Null if it does not expire.' }),
  revoked_at: timestamp('Revocation time of the key.')
    .nullable()
    .meta({ description: 'Revocation time of the key, RFC 3339, offset +08:00. Null if it is not revoked.' }),
}
const SECRET = z.string().meta({ description: 'Secret: `sk_live_` and 38 characters. Send it in the `X-API-Key` header.' })

export const Key = z.object(KEY).meta({ id: 'Key' })

export const IssuedKey = z.object({ ...KEY, api_key: SECRET }).meta({ id: 'IssuedKey' })

export const SubscriptionKey = z
  .object({ subscription_id: z.string().meta({ description: 'Subscription of the key.' }), ...KEY, api_key: SECRET })
  .meta({ id: 'SubscriptionKey' })

export const Keys = z
  .object({ data: z.array(Key).meta({ description: 'Newest first.' }), data_count: count('Number of keys.') })
  .meta({ id: 'Keys' })

export const RevealedKey = z
  .object({
    key_id: z.string(),
    api_key: SECRET,
    last4: KEY.last4,
    revealed_at: timestamp('Time of this call, as logged.'),
  })
  .meta({ id: 'RevealedKey' })

export const ShareProfile = z
  .object({
    shareCredentialsVersion: z.literal(1),
    endpoint: z.string().meta({ description: 'Endpoint of the shares.', example: 'https://twmd.example/delta-sharing' }),
    bearerToken: SECRET.meta({ description: 'Secret of the key.' }),
    expirationTime: z.iso.datetime().optional().meta({ description: 'Expiry time of the key, in UTC. Absent if it does not expire.' }),
  })
  .meta({ id: 'ShareProfile', description: 'Profile file as defined by the Delta Sharing protocol.' })

export const CodeSent = z
  .object({
    flow_id: z.string().meta({ description: 'Id of this sign-in. Send it back with the code.' }),
    status: z.literal('code_sent').meta({ description: 'Always the same, whether or not the address has an account.' }),
    expires_in: count('Seconds until the code expires.'),
    resend_after: count('Seconds until another code can be sent.'),
    notice: z.string().optional().meta({
      description:
        'Present while the service receives too many requests for codes, and so sends codes only to addresses that have an account. Shown to all callers.',
    }),
  })
  .meta({ id: 'CodeSent' })

export const SignedIn = z
  .object({
    self_serve_token: z.string().meta({ description: '`sst_` and 43 characters. Send it in the `x-self-serve-token` header.' }),
    expires_at: timestamp('Time at which the session ends. It ends earlier after 12 hours without use.'),
    account: Account,
    api_key: IssuedKey.optional().meta({ description: 'First key, with its secret. Present if the account had no key.' }),
  })
  .meta({ id: 'SignedIn' })

/** Describes a field that is null if no user is signed in. */
const orNobody = (doc: string): { readonly description: string } => ({ description: `${doc}; null if not signed in.` })

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
        plan: PlanName.meta({ description: 'Highest plan whose datasets are shown.' }),
        row_limit: count('Maximum number of rows per response.'),
        requests_per_minute: count('Maximum number of requests per address.'),
        rows_per_hour: count('Maximum number of rows per address.'),
      })
      .meta({ id: 'VisitorTerms' })
      .nullable()
      .meta({
        description: 'Data that the portal shows without an account. Null if all data requires an account.',
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
          credits_per_call: count('Credits per successful read.'),
          allowed: z.boolean().meta({ description: 'True if the plan of the key includes the dataset.' }),
          reason: z.string().nullable().meta({
            description:
              'Reason if the plan does not include the dataset, as a sentence in the language of `Accept-Language`. Null if it is included.',
          }),
        })
        .meta({ id: 'DatasetEntitlement' }),
    ),
  })
  .meta({ id: 'Entitlements' })
