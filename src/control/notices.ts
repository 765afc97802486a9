import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { PLANS } from '../../catalog/index.ts'
import type { Account, AccountStore } from '../accounts/index.ts'
import { DAY_MS, nextMonth, taipei } from '../core/index.ts'
import type { Message, Outbox } from '../mail/index.ts'
import type { Database } from '../state/index.ts'
import type { CreditEntries, Ledger } from '../usage/index.ts'

export interface NoticeDeps {
  readonly db: Database
  readonly accounts: AccountStore
  readonly outbox: Outbox
  readonly ledger: Pick<Ledger, 'used' | 'takeCharged'>
  readonly creditEntries: Pick<CreditEntries, 'ofPeriod'>
}

/** Warns customers by mail about ending plans and low credits. */
export interface Notices {
  /** Queues notices that are due. Sends each notice only once, even after a crash. */
  putDue(now: Date): Promise<void>
}

const NOTICE_PERIOD_MS = 7 * DAY_MS
/** Percentages of used credits at which a mail is sent, highest first. */
const PERCENT_LEVELS = [100, 80] as const
/** Limits notices, so that mails with sign-in codes are not delayed. */
const MAX_PER_HOUR = 100
/** Checking this many accounts takes less than 1 ms. */
const ACCOUNTS_PER_YIELD = 8

interface EndingGrant {
  readonly accountId: string
  readonly planId: Account['plan']
  readonly expiresAt: string
}

interface CreditUse {
  readonly accountId: string
  readonly email: string
  readonly period: string
  readonly used: number
  readonly included: number
  readonly reached: readonly number[]
}

/** Each call of `putDue` checks accounts that were charged since the previous call. */
export function createNotices({ db, accounts, outbox, ledger, creditEntries }: NoticeDeps): Notices {
  const endingGrants = db.prepare<[string, string, number], EndingGrant>(
    `SELECT account_id AS accountId, plan_id AS planId, expires_at AS expiresAt FROM plan_grant
     WHERE expires_at > ? AND expires_at <= ? AND told_end IS NOT expires_at ORDER BY expires_at LIMIT ?`,
  )
  const markNotified = db.prepare('UPDATE plan_grant SET told_end = expires_at WHERE account_id = ?')
  const ofMonth = db.prepare<[string], string>('SELECT account_id FROM account_period WHERE period = ?').pluck()
  const insertNotice = db.prepare('INSERT INTO credit_notice (account_id, period, percent, at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING')
  let pending: Set<string> | undefined
  const remainingNotices = (now: Date): number => MAX_PER_HOUR - outbox.countLastHour(now, 'notice')
  const notifyGrantEnd = ({ accountId, planId, expiresAt }: EndingGrant, now: Date): void => {
    markNotified.run(accountId)
    const email = accounts.byId(accountId, now)?.email
    if (email) outbox.put({ to: email, ...endMail(planId, expiresAt) }, now, 'notice')
  }
  const notifyGrantEnds = db.transaction((grants: readonly EndingGrant[], now: Date): void => {
    for (const grant of grants) notifyGrantEnd(grant, now)
  })
  const putNew = db.transaction((use: CreditUse, now: Date): void => {
    const { accountId, email, period, used, included, reached } = use
    const newLevels = reached.filter(percent => insertNotice.run(accountId, period, percent, taipei(now)).changes === 1)
    // If an account reaches both percentages, mails only the higher one.
    if (newLevels[0] && newLevels[0] === reached[0])
      outbox.put({ to: email, ...creditMail(newLevels[0], used, included, now) }, now, 'notice')
  })
  const notifyCredits = (accountId: string, now: Date): void => {
    const account = accounts.byId(accountId, now)
    if (!account?.email || !account.creditMails) return
    const period = taipei(now).slice(0, 7)
    const { granted, refunded } = creditEntries.ofPeriod(accountId, period)
    const included = account.limits.creditsPerMonth + granted + refunded
    const used = ledger.used(accountId, period)
    const reached = PERCENT_LEVELS.filter(percent => used * 100 >= included * percent)
    if (reached.length > 0) putNew.immediate({ accountId, email: account.email, period, used, included, reached }, now)
  }
  return {
    async putDue(now) {
      pending ??= new Set(ofMonth.all(taipei(now).slice(0, 7)))
      for (const accountId of ledger.takeCharged()) pending.add(accountId)
      const remaining = remainingNotices(now)
      if (remaining <= 0) return
      const grants = endingGrants.all(taipei(now), taipei(new Date(now.getTime() + NOTICE_PERIOD_MS)), remaining)
      if (grants.length > 0) notifyGrantEnds.immediate(grants, now)
      for (const [index, accountId] of [...pending].slice(0, remaining).entries()) {
        if (index > 0 && index % ACCOUNTS_PER_YIELD === 0) await yieldToEventLoop()
        notifyCredits(accountId, now)
        pending.delete(accountId)
      }
    },
  }
}

const numberFormat = new Intl.NumberFormat('en')
const minuteOf = (at: string): string => at.slice(0, 16).replace('T', ' ')

function endMail(plan: Account['plan'], expiresAt: string): Message {
  const name = PLANS[plan].name
  const end = minuteOf(expiresAt)
  return {
    subject: `Your ${name} plan ends soon / ${name} 方案即將到期`,
    body: `The ${name} plan that was granted to you ends on ${end} (Taipei time). After that, your paid plan applies, or the free plan if you have none. Your keys keep working.\n\n您獲贈的 ${name} 方案將於臺北時間 ${end} 到期。到期後將改用您付費的方案，若無則為免費方案；金鑰仍可繼續使用。\n`,
  }
}

function creditMail(percent: number, credits: number, limit: number, now: Date): Message {
  const used = numberFormat.format(credits)
  const included = numberFormat.format(limit)
  const reset = minuteOf(taipei(nextMonth(now)))
  const off = 'POST /v2/self-serve/settings {"credit_mails": false}'
  const [textAfter, afterZh] =
    percent === 100
      ? ['Until then, reads are refused unless you move to a higher plan.', '在此之前無法讀取；升級方案即可繼續使用。']
      : [
          'If you use all credits before then, reads are refused unless you move to a higher plan.',
          '若在重置前用完點數，將無法讀取；升級方案即可繼續使用。',
        ]
  return {
    subject: `${percent} % of this month’s credits are used / 本月點數已使用 ${percent}%`,
    body: `Your account has used ${used} of ${included} credits this month. Credits reset on ${reset} (Taipei time). ${textAfter}\nTo stop these mails: ${off}\n\n您的帳戶本月已使用 ${used} 點，方案內含 ${included} 點，將於臺北時間 ${reset} 重置。${afterZh}\n不再接收此類通知：${off}\n`,
  }
}
