import type { Complain } from './complaints.ts'
import { EVENT_TYPES } from './subject.ts'
import { hasEnded, type Subscription } from './subscription.ts'
import type { BillingWorker, BillingWorkerDeps, Reconciled } from './worker.ts'

/** What billing lends its comparison with the provider. */
export interface ReconciliationParts extends BillingWorkerDeps {
  readonly syncSubscription: BillingWorker['syncSubscription']
  readonly applyDue: BillingWorker['applyDue']
  readonly complain: Complain
}

/** Comparison with the provider, which is asked for what its webhooks did not bring. */
export function openReconciliation(parts: ReconciliationParts) {
  const { provider, events, subscriptions, clock, applyDue, complain } = parts
  const reconcile = async (since: number): Promise<Reconciled> => {
    const found = await provider.events(since, EVENT_TYPES)
    const eventsFound = found.filter(event => events.store(event, clock())).length
    const known = subscriptions.all().filter(subscription => !hasEnded(subscription))
    const unread = await reread(known, parts)
    await applyDue()
    return { eventsFound, subscriptionsRead: known.length - unread, subscriptionsUnread: unread, eventsWaiting: events.waiting() }
  }
  return {
    reconcile,
    /** From a little before the last time nothing was missed, since events of one second may arrive apart. Never rejects. */
    async catchUp(): Promise<void> {
      const began = Math.floor(clock().getTime() / 1_000)
      try {
        await reconcile((events.caughtUpAt() ?? began) - 3_600)
        events.caughtUp(began)
      } catch (error) {
        complain('asking the provider what was missed')(error)
      }
    },
  }
}

/** @returns how many of the subscriptions the provider did not answer for */
async function reread(known: readonly Subscription[], { syncSubscription, complain }: ReconciliationParts): Promise<number> {
  let unread = 0
  for (const { id } of known)
    await syncSubscription(id).catch(error => {
      unread += 1
      complain('reading a subscription again')(error)
    })
  return unread
}
