import type { AccountStore } from '../accounts/index.ts'
import { DAY_MS, taipei } from '../core/index.ts'
import type { Message, Outbox } from '../mail/index.ts'
import type { AuditLog, Database } from '../state/index.ts'
import type { DueDelivery } from './deliveries.ts'
import type { EndpointStore } from './endpoints.ts'

export interface FailingDeps {
  readonly db: Database
  readonly accounts: AccountStore
  readonly audit: AuditLog
  readonly outbox: Outbox
  readonly endpoints: EndpointStore
}

/** After how long without a message taken the owner is told, and the endpoint disabled. */
const [TELL_MS, DISABLE_MS] = [3 * DAY_MS, 5 * DAY_MS]
/** From the mail to the end at least, where no message was sent in between. */
const NOTICE_MS = DAY_MS
/** Failures that disable an endpoint at least. */
const FEWEST_FAILURES = 5
/**
 * After how long without an attempt it begins to fail anew: what happened in between is not known. Longer than any wait for the next attempt.
 * The same where the last attempt lies ahead, since the clock was put back.
 */
const QUIET_MS = 2 * DAY_MS

/** Whom a message was sent to. What came of it counts only while the endpoint has that URL. */
export type Target = Pick<DueDelivery, 'endpointId' | 'url'>

interface Standing {
  readonly accountId: string
  readonly url: string
  readonly failingSince: string | null
  readonly failures: number
  readonly toldAt: string | null
}

/** Endpoints that take no messages: what is known of them, their owners told by mail, and in the end disabled. Each call belongs in the transaction that settles an attempt. */
export function createFailing({ db, accounts, audit, outbox, endpoints }: FailingDeps) {
  const standing = db.prepare<[string], Standing>(
    'SELECT account_id AS accountId, url, failing_since AS failingSince, failures, told_at AS toldAt FROM webhook_endpoint WHERE id = ?',
  )
  const count = db.prepare(
    `UPDATE webhook_endpoint SET failed_at = @now,
       failing_since = CASE WHEN failed_at > @quiet AND failed_at <= @now THEN failing_since ELSE @now END,
       failures = CASE WHEN failed_at > @quiet AND failed_at <= @now THEN failures + 1 ELSE 1 END,
       told_at = CASE WHEN failed_at > @quiet AND failed_at <= @now THEN told_at END
     WHERE id = @id AND url = @url`,
  )
  const told = db.prepare('UPDATE webhook_endpoint SET told_at = ? WHERE id = ?')
  const clear = db.prepare(
    `UPDATE webhook_endpoint SET failing_since = NULL, failed_at = NULL, failures = 0, told_at = NULL
     WHERE id = ? AND url = ? AND failing_since IS NOT NULL`,
  )
  const mail = (accountId: string, message: Message, now: Date): void => {
    const email = accounts.byId(accountId, now)?.email
    if (email) outbox.put({ to: email, ...message }, now, 'notice')
  }
  const disable = (id: string, reason: 'gone' | 'failing', { accountId, url }: Standing, now: Date): void => {
    if (!endpoints.disable(id, reason)) return
    audit.write({ actor: 'operator', action: 'webhook disabled', accountId, target: id, facts: { reason } }, now)
    mail(accountId, disabledMail(hostOf(url), id, reason), now)
  }
  return {
    /** It took a message. */
    took: ({ endpointId, url }: Target): void => void clear.run(endpointId, url),
    /** It did not take one. */
    failed({ endpointId: id, url }: Target, now: Date): void {
      const { changes } = count.run({ id, url, now: taipei(now), quiet: taipei(new Date(now.getTime() - QUIET_MS)) })
      if (changes === 0) return
      const found = standing.get(id)!
      const [since, at] = [Date.parse(found.failingSince!), now.getTime()]
      if (found.toldAt === null) {
        if (at - since < TELL_MS) return
        told.run(taipei(now), id)
        mail(found.accountId, failingMail(hostOf(url), id, found.failingSince!), now)
      } else if (found.failures >= FEWEST_FAILURES && at - since >= DISABLE_MS && at - Date.parse(found.toldAt) >= NOTICE_MS)
        disable(id, 'failing', found, now)
    },
    /** It answered that it wants no more. */
    gone({ endpointId: id, url }: Target, now: Date): void {
      const found = standing.get(id)
      if (found?.url === url) disable(id, 'gone', found, now)
    },
  }
}

export type Failing = ReturnType<typeof createFailing>

/** A path may be a secret of the receiver: mail names the host alone. */
export const hostOf = (url: string): string => new URL(url).host
const minuteOf = (at: string): string => at.slice(0, 16).replace('T', ' ')

function failingMail(host: string, id: string, since: string): Message {
  const from = minuteOf(since)
  return {
    subject: 'Your webhook endpoint does not answer / 您的 Webhook 端點沒有回應',
    body: `The webhook endpoint ${id} at ${host} has taken no message since ${from} in Taipei. If that goes on, it will be disabled after five days. Its attempts are listed on your account page; messages that were given up can be sent again from there.\n\n您位於 ${host} 的 Webhook 端點 ${id} 自台北時間 ${from} 起未成功接收任何訊息。若持續五天，該端點將停用。您可在帳戶頁面查看每次嘗試，並重新傳送已放棄的訊息。\n`,
  }
}

const YOU = ['you enable it', '您於帳戶頁面重新啟用'] as const
const WHY = {
  gone: ['it answered 410 Gone', '端點回應 410 Gone', ...YOU],
  failing: ['it took no message for five days', '連續五天未成功接收訊息', ...YOU],
  operator: ['the operator of the service turned it off', '服務營運者已將其停用', 'the operator enables it', '營運者重新啟用'],
} as const

/** Tells an owner that an endpoint is sent nothing any more, and why. */
export function disabledMail(host: string, id: string, reason: keyof typeof WHY): Message {
  const [why, whyZh, until, untilZh] = WHY[reason]
  return {
    subject: 'Your webhook endpoint is disabled / 您的 Webhook 端點已停用',
    body: `The webhook endpoint ${id} at ${host} is disabled: ${why}. Nothing is sent to it until ${until}; what it missed can be sent again then from your account page.\n\n您位於 ${host} 的 Webhook 端點 ${id} 已停用：${whyZh}。在${untilZh}之前，不會再傳送任何訊息；遺漏的訊息屆時可由帳戶頁面重新傳送。\n`,
  }
}
