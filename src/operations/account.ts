import { type Catalog, FORMATS, meets, PLANS, served } from '../../catalog/index.ts'
import { hasEnded, readEmail } from '../accounts/index.ts'
import { accountView, creditsView, limitsView, PORTAL_PATH } from './account-views.ts'
import type { AccountCaller, AccountDeps, AuditedCall, SignedInCaller } from './callers.ts'

/** An account's own view, what it may do, and its end. */
export function createAccountOperations({ catalog, control, gate, clock, log }: AccountDeps & { readonly catalog: Catalog }) {
  return {
    /** The account, its plan, limits and credits. */
    view: ({ account, accountId, plan }: SignedInCaller) =>
      accountView(account, gate.quotaStatus({ accountId, plan }).balance, control.subscriptions.byAccount(accountId)),

    /** Every served dataset with what a read costs, and whether the plan includes it. */
    entitlements({ accountId, plan }: AccountCaller) {
      const datasets = served(catalog).map(({ id, access }) => {
        const allowed = meets(plan, access!.plan)
        const reason = allowed ? null : `needs plan ${access!.plan}`
        return { dataset: id, minimum_plan: access!.plan, credits_per_call: access!.credits, allowed, reason }
      })
      return {
        account_id: accountId,
        plan_id: plan,
        ...limitsView(plan),
        credits: creditsView(gate.quotaStatus({ accountId, plan }).balance),
        formats: FORMATS,
        features: PLANS[plan].features,
        datasets,
      }
    },

    /** The plan behind an e-mail address: the free default where no account has it or it is no address, in the same shape. */
    summaryByEmail(text: string) {
      const email = readEmail(text)
      const account = email && control.accounts.byEmail(email, clock())
      const plan = account?.plan ?? 'free'
      const { balance } = gate.quotaStatus({ accountId: account?.id ?? '', plan })
      return {
        email: email?.address ?? text,
        plan_id: plan,
        account_status: account?.status ?? 'active',
        source: account ? ('account' as const) : ('default' as const),
        row_limit: PLANS[plan].rowLimit,
        credits: creditsView(balance),
      }
    },

    /** Revokes every key and session, erases the profile and ends a granted plan, all or nothing. Subscriptions go on: only their owner ends them, in the portal. */
    close({ accountId }: SignedInCaller, { requestId }: AuditedCall) {
      const live = control.subscriptions.byAccount(accountId).some(subscription => !hasEnded(subscription))
      const { closedAt, keysRevoked } = control.closeAccount(accountId, requestId, clock())
      log('account closed', { account: accountId, keys: keysRevoked })
      const done = true as const
      return {
        account_id: accountId,
        account_status: 'closed' as const,
        closed_at: closedAt,
        api_keys_revoked: keysRevoked,
        portal_access_invalidated: done,
        profile_redacted: done,
        billing_records_retained: done,
        usage_records_retained: done,
        billing: live
          ? { action_required: true, reason: 'subscription_still_live' as const, portal_path: PORTAL_PATH }
          : { action_required: false, reason: null, portal_path: null },
      }
    },
  }
}

export type AccountOperations = ReturnType<typeof createAccountOperations>
