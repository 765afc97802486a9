import { type Complain, kindOf } from './complaints.ts'
import type { StoredEvent } from './events.ts'
import type { Subject } from './subject.ts'
import type { BillingWorker, BillingWorkerDeps } from './worker.ts'

/** What billing lends its rounds. */
export interface RoundParts extends BillingWorkerDeps {
  readonly syncSubscription: BillingWorker['syncSubscription']
  readonly complain: Complain
  readonly stopping: AbortSignal
}

/** Rounds over the stored events that are due, one after the other. */
export function openRounds(parts: RoundParts) {
  const { events, subscriptions, clock, complain, stopping } = parts
  const attempt = attempts(parts)
  const walk = async (): Promise<void> => {
    subscriptions.lapse(clock())
    for (let due = events.due(clock()); due.length > 0; due = events.due(clock()))
      for (const event of due) {
        if (stopping.aborted) return
        await attempt(event)
      }
  }
  let walking: Promise<void> = Promise.resolve()
  return {
    /** Begins a round once those before it are over, and resolves when it is. Never rejects. */
    applyDue(): Promise<void> {
      // A state file that does not answer holds events up; it must not end the process.
      walking = walking.then(walk).catch(complain('applying payment events'))
      return walking
    },
    /** Resolves when the last round begun so far is over. */
    ended: (): Promise<void> => walking,
  }
}

/** Tries to apply one event; what could not be applied stays due. */
function attempts({ provider, events, clock, log, syncSubscription, stopping }: RoundParts): (event: StoredEvent) => Promise<void> {
  const apply = async (event: StoredEvent): Promise<void> => {
    const about = (event.livemode === 1) === provider.live ? (JSON.parse(event.payload) as Subject | null) : null
    if (!about) return events.done(event.id, 'ignored')
    events.done(event.id, (await syncSubscription(about.subscription, about.account)) ? 'done' : 'ignored')
  }
  return async event => {
    try {
      await apply(event)
    } catch (error) {
      // A call that was broken off was no failure, and the state file may be closed by now.
      if (stopping.aborted) return
      events.failed(event, kindOf(error), clock())
      log('failed', { during: 'applying a payment event', event: event.id, error: kindOf(error) })
    }
  }
}
