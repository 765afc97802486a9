import type { BillingWorker, BillingWorkerDeps } from './worker.ts'

/**
 * Takes over the present state of a subscription, for the account it belongs to. Questions may be asked side by side; the latest one counts.
 *
 * @returns `syncSubscription` as billing offers it; it rejects when the provider does not answer
 */
export function openSync({ provider, subscriptions, accounts, clock, log }: BillingWorkerDeps): BillingWorker['syncSubscription'] {
  let asked = 0
  /** By subscription, the number of the question whose answer was taken over. */
  const answered = new Map<string, number>()
  return async (id, owner) => {
    const turn = ++asked
    const found = await provider.subscription(id)
    const accountId = owner ?? subscriptions.get(id)?.accountId ?? (found && (found.accountId ?? accounts.byCustomer(found.customerId)))
    if (!found || !accountId || !accounts.byId(accountId, clock())) return false
    // Answers may overtake each other; one to an earlier question is out of date.
    if (turn < (answered.get(id) ?? 0)) return true
    answered.set(id, turn)
    if (accounts.byCustomer(found.customerId) === undefined) accounts.bindCustomer(accountId, found.customerId)
    const plan = provider.planOf(found.priceId)
    subscriptions.sync(accountId, found, plan, clock())
    log('paid', { account: accountId, subscription: id, status: found.status, plan })
    return true
  }
}
