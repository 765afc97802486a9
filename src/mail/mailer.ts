import { type Clock, createSerial, type Log } from '../core/index.ts'
import type { Outbox, WaitingMail } from './outbox.ts'
import type { Transport } from './transport.ts'

export interface Mailer {
  /** One failed mail does not delay other mails. */
  sendDue(): Promise<void>
  close(): Promise<void>
}

/**
 * Number of sending rounds between two searches for due notices. More frequent searches would delay
 * other reads of the state file.
 */
const NOTICE_ROUNDS = 10
const STOP_MS = 3_000

/**
 * Sends due mails. A crash loses no mail, but one mail may be sent twice.
 *
 * @param everyMs time between two rounds
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
      // Counts the attempt before sending. Otherwise, a write error would repeat the mail in every
      // round.
      outbox.countAttempt(mail, clock())
      await deliver(mail)
    }
  }
  /** Logs the error, because an error must not end the process. */
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
      // A slow mail server must not delay the shutdown.
      await Promise.race([serial(async () => {}), new Promise(resolve => setTimeout(resolve, STOP_MS).unref())])
    },
  }
}

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
