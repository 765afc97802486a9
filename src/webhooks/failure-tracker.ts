import type { AccountStore } from '../accounts/index.ts'
import { DAY_MS, taipei } from '../core/index.ts'
import type { Message, Outbox } from '../mail/index.ts'
import type { AuditLog, Database } from '../state/index.ts'
import type { DueDelivery } from './deliveries.ts'
import type { EndpointStore } from './endpoints.ts'

export interface FailureTrackerDeps {
  readonly db: Database
  readonly accounts: AccountStore
  readonly audit: AuditLog
  readonly outbox: Outbox
  readonly endpoints: EndpointStore
}

const NOTIFY_AFTER_MS = 3 * DAY_MS
const DISABLE_AFTER_MS = 5 * DAY_MS
/** Minimum time between the notification and the disabling. */
const MIN_NOTICE_MS = DAY_MS
const MIN_FAILURES = 5
/** After two days without attempts, the history of failures is deleted. */
const QUIET_MS = 2 * DAY_MS

/** A result counts only if the endpoint still has this URL. */
export type Target = Pick<DueDelivery, 'endpointId' | 'url'>

interface FailureHistory {
  readonly accountId: string
  readonly url: string
  readonly failingSince: string | null
  readonly failures: number
  readonly toldAt: string | null
}

/**
 * Notifies owners of failing endpoints, and disables the endpoints later. Call in the transaction
 * that stores the attempt.
 */
export function createFailureTracker({ db, accounts, audit, outbox, endpoints }: FailureTrackerDeps) {
  const historyOf = db.prepare<[string], FailureHistory>(
    'SELECT account_id AS accountId, url, failing_since AS failingSince, failures, told_at AS toldAt FROM webhook_endpoint WHERE id = ?',
  )
  const countFailure = db.prepare(
    `UPDATE webhook_endpoint SET failed_at = @now,
       failing_since = CASE WHEN failed_at > @quiet AND failed_at <= @now THEN failing_since ELSE @now END,
       failures = CASE WHEN failed_at > @quiet AND failed_at <= @now THEN failures + 1 ELSE 1 END,
       told_at = CASE WHEN failed_at > @quiet AND failed_at <= @now THEN told_at END
     WHERE id = @id AND url = @url`,
  )
  const markNotified = db.prepare('UPDATE webhook_endpoint SET told_at = ? WHERE id = ?')
  const clear = db.prepare(
    `UPDATE webhook_endpoint SET failing_since = NULL, failed_at = NULL, failures = 0, told_at = NULL
     WHERE id = ? AND url = ? AND failing_since IS NOT NULL`,
  )
  const mail = (accountId: string, message: Message, now: Date): void => {
    const email = accounts.byId(accountId, now)?.email
    if (email) outbox.put({ to: email, ...message }, now, 'notice')
  }
  const disable = (id: string, reason: 'gone' | 'failing', { accountId, url }: FailureHistory, now: Date): void => {
    if (!endpoints.disable(id, reason)) return
    audit.write({ actor: 'operator', action: 'webhook disabled', accountId, target: id, facts: { reason } }, now)
    mail(accountId, disabledMail(hostOf(url), id, reason), now)
  }
  return {
    recordSuccess: ({ endpointId, url }: Target): void => void clear.run(endpointId, url),
    /**
     * Mails the owner after `NOTIFY_AFTER_MS`, and disables the endpoint after `DISABLE_AFTER_MS`.
     */
    recordFailure({ endpointId: id, url }: Target, now: Date): void {
      const { changes } = countFailure.run({ id, url, now: taipei(now), quiet: taipei(new Date(now.getTime() - QUIET_MS)) })
      if (changes === 0) return
      const history = historyOf.get(id)!
      const since = Date.parse(history.failingSince!)
      const nowMs = now.getTime()
      if (history.toldAt === null) {
        if (nowMs - since < NOTIFY_AFTER_MS) return
        markNotified.run(taipei(now), id)
        mail(history.accountId, failingMail(hostOf(url), id, history.failingSince!), now)
      } else if (
        history.failures >= MIN_FAILURES &&
        nowMs - since >= DISABLE_AFTER_MS &&
        nowMs - Date.parse(history.toldAt) >= MIN_NOTICE_MS
      )
        disable(id, 'failing', history, now)
    },
    recordGone({ endpointId: id, url }: Target, now: Date): void {
      const history = historyOf.get(id)
      if (history?.url === url) disable(id, 'gone', history, now)
    },
  }
}

export type FailureTracker = ReturnType<typeof createFailureTracker>

/** Mails omit the path of a URL, because the path can contain a secret. */
export const hostOf = (url: string): string => new URL(url).host
const minuteOf = (at: string): string => at.slice(0, 16).replace('T', ' ')

function failingMail(host: string, id: string, since: string): Message {
  const from = minuteOf(since)
  return {
    subject: 'Your webhook endpoint does not respond / 您的 Webhook 端點沒有回應',
    body: `The webhook endpoint ${id} at ${host} has accepted no message since ${from} (Taipei time). It will be disabled after five days without success. Your account page lists the attempts, and you can send failed messages again from there.\n\n您位於 ${host} 的 Webhook 端點 ${id} 自臺北時間 ${from} 起未成功接收任何訊息。若持續五天，該端點將停用。您可在帳戶頁面查看每次嘗試，並重新傳送失敗的訊息。\n`,
  }
}

const BY_OWNER = ['you enable it', '您於帳戶頁面重新啟用'] as const
const REASON_TEXTS = {
  gone: ['it responded with 410 Gone', '端點回應 410 Gone', ...BY_OWNER],
  failing: ['it accepted no message for five days', '連續五天未成功接收訊息', ...BY_OWNER],
  operator: ['the operator of the service disabled it', '服務營運者已將其停用', 'the operator enables it', '營運者重新啟用'],
} as const

export function disabledMail(host: string, id: string, reason: keyof typeof REASON_TEXTS): Message {
  const [whyEn, whyZh, untilEn, untilZh] = REASON_TEXTS[reason]
  return {
    subject: 'Your webhook endpoint is disabled / 您的 Webhook 端點已停用',
    body: `The webhook endpoint ${id} at ${host} is disabled: ${whyEn}. It receives no messages until ${untilEn}. Missed messages can then be sent again from your account page.\n\n您位於 ${host} 的 Webhook 端點 ${id} 已停用：${whyZh}。在${untilZh}之前，不會傳送任何訊息；屆時可由帳戶頁面重新傳送遺漏的訊息。\n`,
  }
}
