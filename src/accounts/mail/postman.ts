import type { Clock } from '../../core/clock.ts'
import type { Log } from '../../core/log.ts'
import type { Outbox } from './outbox.ts'
import type { Transport } from './transport.ts'

export interface Postman {
  /** Sends everything that is due; one mail's failure does not hold up the others. */
  round(): Promise<void>
  stop(): Promise<void>
}

/** Carries mails from the outbox to the transport, now and then. A mail accepted a moment before a crash may be sent twice, none is lost. */
export function openPostman(outbox: Outbox, transport: Transport, clock: Clock, log: Log, everyMs = 1_000): Postman {
  let walking: Promise<void> = Promise.resolve()
  const walk = async (): Promise<void> => {
    for (const mail of outbox.due(clock())) {
      try {
        await transport.send({ ...mail, body: outbox.bodyOf(mail) })
        outbox.sent(mail.id)
        log('mail sent', { mail: mail.id })
      } catch (error) {
        outbox.failed(mail, error instanceof Error ? error.message : String(error), clock())
        log('mail failed', { mail: mail.id, attempts: mail.attempts + 1 })
      }
    }
  }
  const round = (): Promise<void> => {
    walking = walking.then(walk, walk)
    return walking
  }
  // A state file that does not answer holds mails up; it must not end the process.
  const later = (error: unknown): void => log('failed', { during: 'sending mail', error: String(error) })
  const timer = setInterval(() => void round().catch(later), everyMs)
  timer.unref()
  return {
    round,
    async stop() {
      clearInterval(timer)
      await walking.catch(() => {})
      transport.close()
    },
  }
}
