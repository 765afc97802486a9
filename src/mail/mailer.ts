import { type Clock, createSerial, type Log } from '../core/index.ts'
import type { Outbox, WaitingMail } from './outbox.ts'
import type { Transport } from './transport.ts'

/** Sends the mail in the outbox. */
export interface Mailer {
  /** Adds due notices, then sends all due mail. A failed mail does not delay the others. */
  sendDue(): Promise<void>
  close(): Promise<void>
}

/**
 * Number of sending rounds between two searches for due notices. A search reads every account that
 * was charged since the previous search, so a search in each round would delay other reads.
 */
const NOTICE_ROUNDS = 10
/** Maximum time that `close` waits for a running send. */
const STOP_MS = 3_000

/**
 * Sends due mails at an interval. A mail that was accepted just before a crash can be sent twice;
 * none is lost.
 *
 * @param everyMs time between two rounds of sending
 * @param noticeSource adds due notices to the outbox
 */
export function openMailer(
  outbox: Outbox,
  transport: Transport,
  clock: Clock,
  log: Log,
  everyMs = 1_000,
  noticeSource: { putDue(now: Date): Promise<void> } = { putDue: async () => {} },
): Mailer {
  const serial = createSerial()
  const stopping = new AbortController()
  const deliver = createDelivery(outbox, transport, log, stopping.signal)
  const sendAll = async (): Promise<void> => {
    for (const mail of outbox.due(clock())) {
      if (stopping.signal.aborted) return
      // Schedules the next attempt first. If the state file accepts no writes, the mail would
      // otherwise be sent repeatedly.
      outbox.countAttempt(mail, clock())
      await deliver(mail)
    }
  }
  // A locked state file only delays mails, so the error must not end the process.
  const report = (error: unknown): void => log('failed', { during: 'sending mail', error: String(error) })
  const sendDue = (withNotices = true): Promise<void> =>
    serial(async () => {
      if (withNotices) await noticeSource.putDue(clock()).catch(report)
      await sendAll()
    })
  let rounds = 0
  const timer = setInterval(() => void sendDue(rounds++ % NOTICE_ROUNDS === 0).catch(report), everyMs)
  timer.unref()
  return {
    sendDue: () => sendDue(),
    async close() {
      stopping.abort()
      clearInterval(timer)
      transport.close()
      // A server that does not respond must not delay the shutdown. Its mail stays in the outbox.
      await Promise.race([serial(async () => {}), new Promise(resolve => setTimeout(resolve, STOP_MS).unref())])
    },
  }
}

/** Sends one mail. A rejected mail stays in the outbox with the reason. */
const createDelivery =
  (outbox: Outbox, transport: Transport, log: Log, stopping: AbortSignal) =>
  async (mail: WaitingMail): Promise<void> => {
    try {
      await transport.send({ ...mail, body: outbox.bodyOf(mail) })
      outbox.markSent(mail.id)
      log('mail sent', { mail: mail.id })
    } catch (error) {
      if (stopping.aborted) return
      outbox.markFailed(mail, error instanceof Error ? error.message : String(error))
      log('mail failed', { mail: mail.id, attempts: mail.attempts + 1 })
    }
  }
