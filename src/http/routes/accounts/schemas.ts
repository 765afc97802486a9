import { z } from 'zod'
import { count, DATASET_NAMES, LIMITS, PlanName, timestamp } from '../../kernel/index.ts'

const Credits = z
  .object({
    period: z.string().meta({ description: 'The calendar month in Taipei, YYYY-MM.', example: '2026-07' }),
    included: count('Credits of the plan for the period.'),
    used: count('Credits charged in the period so far.'),
    remaining: count('Credits that can still be spent; never below 0.'),
    resets_at: timestamp('When the next period begins and the credits return.'),
  })
  .meta({ id: 'Credits', description: 'Credits of the running period.' })

/** What every view of a subscription says. */
export const SUBSCRIPTION = {
  subscription_id: z.string().meta({ description: 'Id at the payment provider.' }),
  status: z.string().meta({ description: 'In the payment provider’s words: active, trialing, past_due, unpaid, canceled and others.' }),
  plan_id: PlanName,
  cancel_at_period_end: z.boolean().meta({ description: 'True when it ends with the period paid for and is not billed again.' }),
}

const Subscription = z
  .object({
    ...SUBSCRIPTION,
    current_period_end: timestamp('End of the period paid for.').nullable().meta({
      description:
        'End of the period paid for, RFC 3339, offset +08:00; null where the payment provider names none, and once it has ended.',
    }),
    grace_ends_at: timestamp('When the plan ends unless the bill is paid.')
      .nullable()
      .meta({ description: 'When the plan ends unless the unpaid bill is paid, RFC 3339, offset +08:00; null while bills are paid.' }),
  })
  .meta({ id: 'Subscription' })

const AccountStatus = z.enum(['active', 'closed']).meta({ id: 'AccountStatus' })

/** A granted plan. */
const PlanHeld = z
  .object({
    plan_id: PlanName,
    expires_at: timestamp('When it ends.')
      .nullable()
      .meta({ description: 'When it ends, RFC 3339, offset +08:00; null where it does not.' }),
  })
  .meta({ id: 'PlanHeld' })
  .nullable()
  .meta({ description: 'A plan that was granted, while it lasts, also beside a higher one that is paid for; null where there is none.' })

const SETTINGS = {
  credit_mails: z
    .boolean()
    .meta({ description: 'A mail when 80 % of a period’s credits are used and one when all are, each once a period.', example: false }),
}

export const Settings = z.object(SETTINGS).meta({ id: 'Settings' })

/** What a customer sends to change settings. */
export const SettingsInput = z.strictObject(SETTINGS)

export const Account = z
  .object({
    account_id: z.string(),
    email: z.string(),
    account_status: AccountStatus,
    plan_id: PlanName,
    plan_source: z.enum(['free', 'grant', 'subscription']).meta({ description: 'Where the plan in force comes from.' }),
    grant: PlanHeld,
    created_at: timestamp('When the account began.'),
    ...LIMITS,
    credits: Credits,
    settings: Settings,
    subscription: Subscription.nullable().meta({
      description: 'The live subscription of the highest plan, else the last there was; null where there never was one.',
    }),
    subscriptions: z.array(Subscription).meta({
      description:
        'Every subscription that goes on at the payment provider and may be billed again. More than one is billed more than once.',
    }),
  })
  .meta({ id: 'Account' })

export const AccountSummary = z
  .object({
    email: z.string().meta({ description: 'The address asked about; as it was sent where it is none.' }),
    plan_id: PlanName,
    account_status: AccountStatus.meta({
      description: '`closed` where the address had an account and has none now; `active` for any other.',
    }),
    source: z.enum(['account', 'default']).meta({ description: '`default` where no account has the address.' }),
    row_limit: LIMITS.row_limit,
    credits: Credits,
  })
  .meta({ id: 'AccountSummary' })

const kept = (doc: string) => z.literal(true).meta({ description: doc })

export const ClosedAccount = z
  .object({
    account_id: z.string(),
    account_status: z.literal('closed'),
    closed_at: timestamp('When it was closed.'),
    api_keys_revoked: count('Keys this call revoked; they are refused from the next request on.'),
    portal_access_invalidated: kept('All sessions of the account have ended.'),
    profile_redacted: kept('The address and the names of keys are erased.'),
    billing_records_retained: kept('What was paid stays on record, under the account’s id alone.'),
    usage_records_retained: kept('What was used stays on record, under the account’s id alone.'),
    billing: z
      .object({
        action_required: z.boolean().meta({
          description:
            'True while a subscription is live at the payment provider, also one that is set to end with its period: closing does not cancel it.',
        }),
        reason: z.enum(['subscription_still_live']).nullable().meta({ description: 'Null where nothing is left to do.' }),
        portal_path: z.string().nullable().meta({
          description:
            'Answers a link into the portal to a POST with the token of a new sign-in with the same address; the token of this call has ended. Null where no subscription goes on.',
        }),
        portal_url: z.string().nullable().meta({
          description:
            'The payment provider’s page for cancelling the subscription. It opens without signing in until the provider expires it. Null without an active subscription, or if the provider did not respond: sign in again then.',
        }),
        subscriptions: z
          .array(
            Subscription.extend({
              portal_url: z
                .string()
                .nullable()
                .meta({ description: 'The page where this one is cancelled; null where the provider did not answer.' }),
            }).meta({ id: 'SubscriptionLeft' }),
          )
          .meta({ description: 'Every subscription that goes on, also one that is set to end with the period paid for.' }),
        sign_in_path: z
          .string()
          .nullable()
          .meta({ description: 'Where a new sign-in begins, with POST; null where no subscription goes on.' }),
        next_step: z.string().nullable().meta({
          description:
            'What to do now, in a sentence, in the language of Accept-Language: also that there is nothing to cancel where the subscription is set to end. Null where no subscription goes on.',
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
  plan_id: PlanName.meta({ description: 'Plan of the account; every key of it has the same.' }),
  created_at: timestamp('When it was issued.'),
  last_used_at: timestamp('When the last charged read was admitted.')
    .nullable()
    .meta({ description: 'When the last charged read was admitted, RFC 3339, offset +08:00; null for a key that has not been used.' }),
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

export const ShareProfile = z
  .object({
    shareCredentialsVersion: z.literal(1),
    endpoint: z.string().meta({ description: 'Where the shares are.', example: 'https://twmd.example/delta-sharing' }),
    bearerToken: SECRET.meta({ description: 'The secret of the key.' }),
    expirationTime: z.iso.datetime().optional().meta({ description: 'When the key expires, in UTC; absent for one that does not.' }),
  })
  .meta({ id: 'ShareProfile', description: 'As the Delta Sharing protocol has it.' })

export const CodeSent = z
  .object({
    flow_id: z.string().meta({ description: 'Names this sign-in; send it back with the code.' }),
    status: z.literal('code_sent').meta({ description: 'The same for every address, whether it has an account or not.' }),
    expires_in: count('Seconds the code on its way works.'),
    resend_after: count('Seconds until another code can be mailed.'),
    notice: z.string().optional().meta({
      description: 'While so many codes are asked for that they are mailed only to addresses that have an account: says so, to everyone.',
    }),
  })
  .meta({ id: 'CodeSent' })

export const SignedIn = z
  .object({
    self_serve_token: z.string().meta({ description: '`sst_` and 43 characters; send it in x-self-serve-token.' }),
    expires_at: timestamp('When the session ends at the latest; 12 hours without use end it sooner.'),
    account: Account,
    api_key: IssuedKey.optional().meta({ description: 'The first key, with its secret; only when the account had none.' }),
  })
  .meta({ id: 'SignedIn' })

/** Of who is signed in. */
const orNobody = (doc: string): { readonly description: string } => ({ description: `${doc}; null where nobody is signed in.` })

export const WhoLooks = z
  .object({
    signed_in: z.boolean(),
    email: z.string().nullable().meta(orNobody('Address of the account')),
    plan: PlanName.nullable().meta(orNobody('Its plan')),
    credits_left: count('Credits.').nullable().meta(orNobody('Credits that can still be spent in the period')),
    credits_reset_at: timestamp('When.').nullable().meta(orNobody('When the credits return, RFC 3339, offset +08:00')),
    visitor: z
      .object({
        plan: PlanName.meta({ description: 'Datasets up to this plan are shown.' }),
        row_limit: count('Most rows of one answer.'),
        requests_per_minute: count('Requests of one address.'),
        rows_per_hour: count('Rows of one address.'),
      })
      .meta({ id: 'VisitorTerms' })
      .nullable()
      .meta({
        description: 'Plan whose datasets the portal shows without an account; null if data requires an account.',
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
    formats: z.array(z.string()).meta({ description: 'Formats a read can be asked for.' }),
    features: z.array(z.string()).meta({ description: 'What the plan lets one do, as snake_case words.' }),
    datasets: z.array(
      z
        .object({
          ...DATASET_NAMES,
          minimum_plan: PlanName,
          credits_per_call: count('Credits an answered read costs.'),
          allowed: z.boolean().meta({ description: 'True when the plan of the key includes the dataset.' }),
          reason: z
            .string()
            .nullable()
            .meta({ description: 'What is missing, in a sentence in the language of Accept-Language; null when the dataset is allowed.' }),
        })
        .meta({ id: 'DatasetEntitlement' }),
    ),
  })
  .meta({ id: 'Entitlements' })
