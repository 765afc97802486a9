import type { PlanId } from '../../../catalog/index.ts'
import { type Account, type AccountFilter, type OwnLimits, readEmail } from '../../accounts/index.ts'
import type { Control } from '../../control/index.ts'
import { type Clock, HOUR_MS, type Log, Refusal, taipei, type Words } from '../../core/index.ts'
import type { AuditAction } from '../../state/index.ts'
import { createCredits, usageWindow } from '../../usage/index.ts'
import { creditsView, keyView, limitsView, standingView, subscriptionView } from '../account/account-views.ts'
import { issueKey } from '../account/manage-keys.ts'

export interface ManageAccountsDeps {
  readonly control: Control
  readonly clock: Clock
  readonly log: Log
}

/** `admin` uses the HTTP API, `operator` the command line. */
export interface OperatorCall {
  readonly actor: 'admin' | 'operator'
  readonly requestId: string
}

/** Null restores the plan's limit. Undefined changes nothing. */
export interface LimitsInput {
  readonly row_limit?: number | null | undefined
  readonly requests_per_minute?: number | null | undefined
  readonly requests_at_once?: number | null | undefined
  readonly credits_per_month?: number | null | undefined
}

export interface AccountSearch extends Omit<AccountFilter, 'standing' | 'plan'> {
  readonly status: AccountFilter['standing']
  readonly plan_id: PlanId | null
}

export const MOST_LIMITS = { row_limit: 100_000, requests_per_minute: 100_000, requests_at_once: 100, credits_per_month: 1_000_000_000 }
export const MAX_REASON_LENGTH = 300
export const MAX_NOTE_LENGTH = 2_000
export const MAX_OVERLAP_HOURS = 168
/** Maximum number of mails and of billed periods in the view of an account. */
const MOST_SHOWN = 50
const USAGE_WINDOW = '30d'

/**
 * Operations on accounts of all customers. A change and the audit entry are written in one
 * transaction. Notes are stored with the account, because the audit log contains no free text.
 */
export function createManageAccounts({ control, clock, log }: ManageAccountsDeps) {
  const { accounts, administration, audit, keys, subscriptions, usage } = control
  const credits = createCredits(control.ledger, control.creditEntries, clock)
  const byId = (id: string): Account => {
    const account = accounts.byId(id, clock())
    if (!account) throw new Refusal('unknown_id')
    return account
  }
  const open = (id: string): Account => {
    const account = byId(id)
    if (account.status === 'closed') throw new Refusal('conflict', { account_status: 'closed' }, CLOSED)
    return account
  }
  /** Runs a change and writes an audit entry, unless `change` returns false. */
  const audited = (
    action: AuditAction,
    { id: accountId }: Account,
    { actor, requestId }: OperatorCall,
    change: () => unknown,
    facts: Readonly<Record<string, unknown>> = {},
  ): void => {
    const changed = control.transaction(() => {
      if (change() === false) return false
      audit.write({ actor, action, accountId, requestId, facts }, clock())
      return true
    })
    if (changed) log('account changed', { account: accountId, change: action })
  }
  const show = (id: string) => {
    const [account, now] = [byId(id), clock()]
    const window = usageWindow(USAGE_WINDOW, now)
    const { totals, by_dataset, by_key } = usage.report(id, window, null)
    const ownKeys = keys.list(id, now).map(key => keyView(key, account.plan))
    return {
      account_id: id,
      email: account.email,
      ...standingView(account),
      created_at: account.createdAt,
      closed_at: account.closedAt,
      last_sign_in_at: administration.lastSignInAt(id),
      plan_id: account.plan,
      plan_source: account.planSource,
      grant: account.grant && {
        plan_id: account.grant.planId,
        expires_at: account.grant.expiresAt,
        note: administration.grantNote(id),
      },
      ...limitsView(account.limits),
      own_limits: ownLimitsView(administration.ownLimits(id)),
      credits: creditsView(credits.balance({ accountId: id, limits: account.limits })),
      keys: ownKeys,
      usage: {
        window,
        totals: { ...totals, ...control.creditEntries.between(id, window, null) },
        by_dataset: by_dataset.map(({ dataset: slug, ...sums }) => ({ slug, ...sums })),
        by_key: [...by_key],
      },
      payments: {
        customer_id: account.customerId,
        subscriptions: subscriptions.byAccount(id).map(subscriptionView),
        billed_periods: subscriptions
          .billedPeriods(id, MOST_SHOWN)
          .map(({ id: subscription_id, fromAt, untilAt, amount }) => ({ subscription_id, from: fromAt, until: untilAt, amount })),
      },
      mails: administration.mails(id, MOST_SHOWN).map(({ lastError, ...mail }) => ({ ...mail, last_error: lastError })),
      notes: [...administration.notes(id)],
    }
  }
  return {
    /** Finds an account by id or mail address. @throws Refusal unknown_id */
    find(name: string): Account {
      const email = name.includes('@') ? readEmail(name) : undefined
      const account = email ? accounts.byEmail(email, clock()) : accounts.byId(name, clock())
      if (!account) throw new Refusal('unknown_id')
      return account
    },
    list({ status, plan_id: plan, ...filter }: AccountSearch) {
      const { entries, more } = administration.list({ ...filter, standing: status, plan }, clock())
      const data = entries.map(({ id, standing, plan, createdAt, activeKeys, lastUsedAt, email }) => ({
        account_id: id,
        email,
        account_status: standing,
        plan_id: plan,
        created_at: createdAt,
        active_keys: activeKeys,
        last_used_at: lastUsedAt,
      }))
      return { data_count: data.length, data, next_before: more ? data.at(-1)!.account_id : null }
    },
    show,
    /**
     * Suspends an account. The next read is refused.
     * @param reason shown to the owner
     * @throws Refusal unknown_id; conflict for a closed account
     */
    suspend(id: string, reason: string, call: OperatorCall) {
      audited('account suspended', open(id), call, () => {
        const isNew = administration.suspend(id, reason, clock())
        if (isNew) administration.addNote(id, { at: taipei(clock()), author: call.actor, text: `Suspended: ${reason}` })
        return isNew
      })
      return show(id)
    },
    /** @throws Refusal unknown_id; conflict for a closed account */
    restore(id: string, call: OperatorCall) {
      audited('account restored', open(id), call, () => administration.restore(id))
      return show(id)
    },
    /** @throws Refusal unknown_id; conflict for a closed account */
    setLimits(id: string, input: LimitsInput, call: OperatorCall) {
      const account = open(id)
      const own = withInput(administration.ownLimits(id), input)
      audited('account limits set', account, call, () => administration.setOwnLimits(id, own), ownLimitsView(own))
      return show(id)
    },
    /**
     * Adds a note that only operators see.
     * @throws Refusal unknown_id; conflict for a closed account
     */
    addNote(id: string, text: string, call: OperatorCall) {
      const note = { at: taipei(clock()), author: call.actor, text }
      audited('account note added', open(id), call, () => administration.addNote(id, note))
      return show(id)
    },
    /** Revokes a key. The next request with the key is refused. @throws Refusal unknown_id */
    revokeKey(id: string, keyId: string, { actor, requestId }: OperatorCall) {
      const account = byId(id)
      if (!keys.get(id, keyId, clock())) throw new Refusal('unknown_id')
      const revoked = control.transaction(() => {
        const changed = keys.revoke(id, keyId, clock())
        if (changed) audit.write({ actor, action: 'key revoked', accountId: id, target: keyId, requestId }, clock())
        return changed
      })
      if (revoked) log('key revoked', { account: id, key: keyId })
      return keyView(keys.get(id, keyId, clock())!, account.plan)
    },
    /**
     * Replaces an active key by a new key with the same name and expiry time. A subscription of the
     * old key gets the new key.
     * @param overlapHours hours until the old key expires; 0 revokes the old key now
     * @returns the new key with the secret
     * @throws Refusal unknown_id; conflict if the key is not active or the account is closed
     */
    rotateKey(id: string, keyId: string, overlapHours: number, { actor, requestId }: OperatorCall) {
      const [account, now] = [open(id), clock()]
      const former = keys.get(id, keyId, now)
      if (!former) throw new Refusal('unknown_id')
      if (former.status !== 'active') throw new Refusal('conflict', { status: former.status }, NOT_ACTIVE)
      const key = control.transaction(() => {
        const { name, expiresAt } = former
        const created = issueKey(control, account, { name, expiresAt, actor, requestId }, now)
        if (overlapHours === 0) keys.revoke(id, keyId, now)
        else keys.expire(id, keyId, taipei(new Date(now.getTime() + overlapHours * HOUR_MS)))
        subscriptions.replaceKey(keyId, created.key_id)
        const facts = { replaced_by: created.key_id, overlap_hours: overlapHours }
        audit.write({ actor, action: 'key rotated', accountId: id, target: keyId, requestId, facts }, now)
        return created
      })
      log('account changed', { account: id, change: 'key rotated', key: keyId, replaced_by: key.key_id })
      return { key, former_key: keyView(keys.get(id, keyId, now)!, account.plan) }
    },
  }
}

export type ManageAccounts = ReturnType<typeof createManageAccounts>

const ownLimitsView = ({ rowLimit, requestsPerMinute, requestsAtOnce, creditsPerMonth }: OwnLimits) => ({
  row_limit: rowLimit,
  requests_per_minute: requestsPerMinute,
  requests_at_once: requestsAtOnce,
  credits_per_month: creditsPerMonth,
})

function withInput(own: OwnLimits, input: LimitsInput): OwnLimits {
  const changed = (current: number | null, sent: number | null | undefined): number | null => (sent === undefined ? current : sent)
  return {
    rowLimit: changed(own.rowLimit, input.row_limit),
    requestsPerMinute: changed(own.requestsPerMinute, input.requests_per_minute),
    requestsAtOnce: changed(own.requestsAtOnce, input.requests_at_once),
    creditsPerMonth: changed(own.creditsPerMonth, input.credits_per_month),
  }
}

const CLOSED: Words = {
  en: 'The account is closed and cannot be changed. The next sign-in with its e-mail address creates a new account.',
  zh: '此帳戶已關閉，無法變更。以原電子郵件地址登入時將建立新帳戶。',
}
const NOT_ACTIVE: Words = {
  en: 'Only an active key can be rotated. Choose another key.',
  zh: '僅能更換有效的金鑰。請改選另一把。',
}
