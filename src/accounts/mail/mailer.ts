import type { Clock, Log } from '../../core/index.ts'
import type { Outbox, Waiting } from './outbox.ts'
import type { Transport } from './transport.ts'

export interface Mailer {
  /** Sends everything that is due; one mail's failure does not hold up the others. */
  sendDue(): Promise<void>
  close(): Promise<void>
}

/** How long a stop waits for the mail being sent. */
const STOP_MS = 3_000

/** Carries mails from the outbox to the transport, now and then. A mail accepted a moment before a crash may be sent twice, none is lost. */
export function openMailer(outbox: Outbox, transport: Transport, clock: Clock, log: Log, everyMs = 1_000): Mailer {
  let walking: Promise<void> = Promise.resolve()
  const stopping = new AbortController()
  const deliver = delivery(outbox, transport, log, stopping.signal)
  const walk = async (): Promise<void> => {
    for (const mail of outbox.due(clock())) {
      if (stopping.signal.aborted) return
      // The next try is set before this one: a state file that takes no more writes must not have one mail sent again and again.
      outbox.tried(mail, clock())
      await deliver(mail)
    }
  }
  const sendDue = (): Promise<void> => {
    walking = walking.then(walk, walk)
    return walking
  }
  // A state file that does not answer holds mails up; it must not end the process.
  const later = (error: unknown): void => log('failed', { during: 'sending mail', error: String(error) })
  const timer = setInterval(() => void sendDue().catch(later), everyMs)
  timer.unref()
  return {
    sendDue,
    async close() {
      stopping.abort()
      clearInterval(timer)
      transport.close()
      // A server that does not answer must not hold up the end; its mail is still in the outbox.
      await Promise.race([walking.catch(() => {}), new Promise(resolve => setTimeout(resolve, STOP_MS).unref())])
    },
  }
}

/** Tries one mail. One that is not accepted stays in the outbox, with the reason. */
const delivery =
  (outbox: Outbox, transport: Transport, log: Log, stopping: AbortSignal) =>
  async (mail: Waiting): Promise<void> => {
    try {
      await transport.send({ ...mail, body: outbox.bodyOf(mail) })
      outbox.sent(mail.id)
      log('mail sent', { mail: mail.id })
    } catch (error) {
      if (stopping.aborted) return
      outbox.failed(mail, error instanceof Error ? error.message : String(error))
      log('mail failed', { mail: mail.id, attempts: mail.attempts + 1 })
    }
  }
