import { type Clock, createSerial, type Log } from '../core/index.ts'
import type { Outbox, WaitingMail } from './outbox.ts'
import type { Transport } from './transport.ts'

/** Sends the mails of the outbox. */
export interface Mailer {
  /** Sends everything that is due. A mail that fails does not delay the others. */
  sendDue(): Promise<void>
  close(): Promise<void>
}

/** How long `close` waits for the mail being sent. */
const STOP_MS = 3_000

/**
 * Sends the outbox's mail over the transport at an interval. A mail accepted just before a crash may be sent twice; none is lost.
 *
 * @param notices puts in what is to be told by now, before each round
 */
export function openMailer(
  outbox: Outbox,
  transport: Transport,
  clock: Clock,
  log: Log,
  everyMs = 1_000,
  notices: { putDue(now: Date): void } = { putDue: () => {} },
): Mailer {
  const serial = createSerial()
  const stopping = new AbortController()
  const deliver = delivery(outbox, transport, log, stopping.signal)
  const sendAll = async (): Promise<void> => {
    for (const mail of outbox.due(clock())) {
      if (stopping.signal.aborted) return
      // The next attempt is scheduled before this one: a state file that takes no more writes must not have one mail sent over and over.
      outbox.tried(mail, clock())
      await deliver(mail)
    }
  }
  // A state file that does not answer delays mail; it must not end the process.
  const report = (error: unknown): void => log('failed', { during: 'sending mail', error: String(error) })
  const putDue = (): void => {
    try {
      notices.putDue(clock())
    } catch (error) {
      report(error)
    }
  }
  const sendDue = (): Promise<void> =>
    serial(async () => {
      putDue()
      await sendAll()
    })
  const timer = setInterval(() => void sendDue().catch(report), everyMs)
  timer.unref()
  return {
    sendDue,
    async close() {
      stopping.abort()
      clearInterval(timer)
      transport.close()
      // A server that does not answer must not delay the stop; its mail is still in the outbox.
      await Promise.race([serial(async () => {}), new Promise(resolve => setTimeout(resolve, STOP_MS).unref())])
    },
  }
}

/** Sends one mail. A mail that is not accepted stays in the outbox with the reason. */
const delivery =
  (outbox: Outbox, transport: Transport, log: Log, stopping: AbortSignal) =>
  async (mail: WaitingMail): Promise<void> => {
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
