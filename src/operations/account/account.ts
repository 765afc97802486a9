import { type Catalog, FORMATS, meets, PLANS, type PlanId, served } from '../../../catalog/index.ts'
import { readEmail } from '../../accounts/index.ts'
import type { Words } from '../../core/index.ts'
import { accountView, creditsView, grantView, limitsView, settingsView, standingView } from './account-views.ts'
import type { AccountCaller, AccountDeps, SignedInCaller, WordedCall } from './callers.ts'

const needs = (plan: PlanId): Words => ({ en: `requires the ${plan} plan`, zh: `至少需要 ${plan} 方案` })

export function createAccountOperations({ catalog, control, gate, clock }: AccountDeps & { readonly catalog: Catalog }) {
  return {
    view: ({ account, accountId, limits }: SignedInCaller) =>
      accountView(account, gate.quotaStatus({ accountId, limits }).balance, control.subscriptions.byAccount(accountId)),

    updateSettings({ accountId }: SignedInCaller, { credit_mails: creditMails }: { readonly credit_mails: boolean }) {
      control.accounts.setCreditMails(accountId, creditMails)
      return settingsView({ creditMails })
    },

    /** Returns all served datasets with price and availability. */
    entitlements({ accountId, plan, limits }: AccountCaller, { language }: Pick<WordedCall, 'language'>) {
      const datasets = served(catalog).map(({ id, slug, access }) => {
        const allowed = meets(plan, access!.plan)
        const reason = allowed ? null : needs(access!.plan)[language]
        return { dataset: id, slug, minimum_plan: access!.plan, credits_per_call: access!.credits, allowed, reason }
      })
      return {
        account_id: accountId,
        plan_id: plan,
        grant: grantView(control.grantOf(accountId, clock())),
        ...limitsView(limits),
        credits: creditsView(gate.quotaStatus({ accountId, limits }).balance),
        formats: FORMATS,
        features: PLANS[plan].features,
        datasets,
      }
    },

    /**
     * Returns the plan of a mail address. An unknown address returns the free plan, so that the
     * answer does not reveal accounts.
     */
    summaryByEmail(text: string) {
      const email = readEmail(text)
      const account = email && control.accounts.byEmail(email, clock())
      const plan = account?.plan ?? 'free'
      const limits = account?.limits ?? PLANS.free
      const { balance } = gate.quotaStatus({ accountId: account?.id ?? '', limits })
      const closedUse = email && !account ? control.accounts.closedUse(email, balance.period) : undefined
      const remaining = Math.max(0, balance.limit - (closedUse ?? 0))
      return {
        email: email?.address ?? text,
        plan_id: plan,
        account_status: account
          ? standingView(account).account_status
          : closedUse === undefined
            ? ('active' as const)
            : ('closed' as const),
        source: account ? ('account' as const) : ('default' as const),
        row_limit: limits.rowLimit,
        credits: creditsView(closedUse === undefined ? balance : { ...balance, used: closedUse, remaining: remaining }),
      }
    },
  }
}

export type AccountOperations = ReturnType<typeof createAccountOperations>
