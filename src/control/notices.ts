import { PLANS } from '../../catalog/index.ts'
import type { Account, AccountStore } from '../accounts/index.ts'
import { DAY_MS, nextMonth, taipei } from '../core/index.ts'
import type { Message, Outbox } from '../mail/index.ts'
import type { Database } from '../state/index.ts'
import type { Ledger } from '../usage/index.ts'

export interface NoticeDeps {
  readonly db: Database
  readonly accounts: AccountStore
  readonly outbox: Outbox
  readonly ledger: Pick<Ledger, 'used' | 'takeCharged'>
}

/** Mails to customers about their own account. */
export interface Notices {
  /** Puts everything into the outbox that is to be told by now: a plan that ends within a week, credits that run out. Each once, also after a crash. */
  putDue(now: Date): void
}

/** How long before its end a granted plan is said to end. */
const AHEAD_MS = 7 * DAY_MS
/** Percent of a period's credits that are told, the highest first. */
const LEVELS = [100, 80] as const
/** Notices an hour: what is beyond waits, so that they never hold up codes. */
const HOURLY = 100

interface Ending {
  readonly accountId: string
  readonly planId: Account['plan']
  readonly expiresAt: string
}

/**
 * Tells customers by mail what they would otherwise learn from a refusal. Which accounts are to be looked at comes from the ledger: those
 * that were charged since, and at the first call every account that was charged this month.
 */
export function createNotices({ db, accounts, outbox, ledger }: NoticeDeps): Notices {
  const ending = db.prepare<[string, string, number], Ending>(
    `SELECT account_id AS accountId, plan_id AS planId, expires_at AS expiresAt FROM plan_grant
     WHERE expires_at > ? AND expires_at <= ? AND told_end IS NOT expires_at ORDER BY expires_at LIMIT ?`,
  )
  const told = db.prepare('UPDATE plan_grant SET told_end = expires_at WHERE account_id = ?')
  const ofMonth = db.prepare<[string], string>('SELECT account_id FROM account_period WHERE period = ?').pluck()
  const note = db.prepare('INSERT INTO credit_notice (account_id, period, percent, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
  let waiting: Set<string> | undefined
  const roomAt = (now: Date): number => HOURLY - outbox.countLastHour(now, 'notice')
  const tellEnd = ({ accountId, planId, expiresAt }: Ending, now: Date): void => {
    told.run(accountId)
    const email = accounts.byId(accountId, now)?.email
    if (email) outbox.put({ to: email, ...endMail(planId, expiresAt) }, now, 'notice')
  }
  const tellCredits = (accountId: string, now: Date): void => {
    const account = accounts.byId(accountId, now)
    if (!account?.email || !account.creditMails) return
    const [period, included] = [taipei(now).slice(0, 7), PLANS[account.plan].creditsPerMonth]
    const used = ledger.used(accountId, period)
    // Whoever reached both at once is told the higher one alone.
    const reached = LEVELS.filter(percent => used * 100 >= included * percent)
    const fresh = reached.filter(percent => note.run(accountId, period, percent, taipei(now)).changes === 1)
    if (fresh[0] && fresh[0] === reached[0]) outbox.put({ to: account.email, ...creditMail(fresh[0], used, included, now) }, now, 'notice')
  }
  const put = db.transaction((ends: readonly Ending[], charged: readonly string[], now: Date): void => {
    for (const end of ends) tellEnd(end, now)
    for (const accountId of charged) tellCredits(accountId, now)
  })
  return {
    putDue(now) {
      waiting ??= new Set(ofMonth.all(taipei(now).slice(0, 7)))
      for (const accountId of ledger.takeCharged()) waiting.add(accountId)
      const room = roomAt(now)
      if (room <= 0) return
      const ends = ending.all(taipei(now), taipei(new Date(now.getTime() + AHEAD_MS)), room)
      const charged = [...waiting].slice(0, room)
      if (ends.length + charged.length > 0) put.immediate(ends, charged, now)
      for (const accountId of charged) waiting.delete(accountId)
    },
  }
}

const written = new Intl.NumberFormat('en')
const minuteOf = (at: string): string => at.slice(0, 16).replace('T', ' ')

function endMail(plan: Account['plan'], expiresAt: string): Message {
  const [name, end] = [PLANS[plan].name, minuteOf(expiresAt)]
  return {
    subject: `Your ${name} plan ends soon / ${name} 方案即將到期`,
    body: `The ${name} plan that was granted to you ends on ${end} in Taipei. From then on the plan you pay for applies, or the free one; your keys keep working.\n\n您獲贈的 ${name} 方案將於台北時間 ${end} 到期。到期後將改用您付費的方案，若無則為免費方案；金鑰仍可繼續使用。\n`,
  }
}

function creditMail(percent: (typeof LEVELS)[number], credits: number, limit: number, now: Date): Message {
  const [used, included, reset] = [written.format(credits), written.format(limit), minuteOf(taipei(nextMonth(now)))]
  const off = 'POST /v2/self-serve/settings {"credit_mails": false}'
  const [after, afterZh] =
    percent === 100
      ? ['Reads are refused until then, or until you move to a higher plan.', '在此之前讀取將被拒絕，升級方案即可繼續使用。']
      : [
          'Once they are used up, reads are refused until then, or until you move to a higher plan.',
          '點數用完後，重置前的讀取將被拒絕，升級方案即可繼續使用。',
        ]
  return {
    subject: `${percent} % of this month’s credits are used / 本月點數已使用 ${percent}%`,
    body: `Your account has used ${used} of ${included} credits this month. They return on ${reset} in Taipei. ${after}\nNo more of these mails: ${off}\n\n您的帳戶本月已使用 ${used} 點，方案內含 ${included} 點，將於台北時間 ${reset} 重置。${afterZh}\n不再接收此類通知：${off}\n`,
  }
}
