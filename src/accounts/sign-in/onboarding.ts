import { addressBucket, addressNetwork, newId } from '../../core/index.ts'
import type { Message, Outbox } from '../../mail/index.ts'
import type { Database, Vault } from '../../state/index.ts'
import type { AccountStore } from '../accounts.ts'
import type { Email } from '../email.ts'
import { CODE_LIFETIME_MS, createCodes } from './codes.ts'
import { createFlows, secondsLeft } from './flows.ts'
import { createMailBudget } from './mail-budget.ts'

export type Locale = 'en' | 'zh-TW'

const COOLDOWN_MS = 60_000

/** The result is the same for addresses with and without an account. */
export interface StartedSignIn {
  readonly flowId: string
  readonly expiresIn: number
  readonly resendAfter: number
  /** True while only addresses with an account receive codes. */
  readonly membersOnly: boolean
}

/** Signs users in with a mailed code of eight digits. A code is valid once and for ten minutes. */
export function createOnboarding(db: Database, vault: Vault, outbox: Outbox, accounts: Pick<AccountStore, 'byEmail'>) {
  const codes = createCodes(db, vault)
  const flows = createFlows(db, vault)
  const budget = createMailBudget(outbox)
  /** Creates a code even if no mail is sent, so that responses are always the same. */
  const send = (email: Email, locale: Locale | null, address: string, now: Date): Omit<StartedSignIn, 'flowId'> => {
    const opensInSeconds = budget.take(addressNetwork(address), now)
    codes.deleteOld(now)
    flows.deleteOld(now)
    const mail = mailOf(locale, codes.create(email, now))
    if (opensInSeconds === 0 || accounts.byEmail(email, now)) outbox.put({ to: email.address, ...mail }, now)
    return timesOf(0, Math.max(COOLDOWN_MS, codes.hourlyLimitWaitMs(email.key, now)), opensInSeconds)
  }
  const start = db.transaction((email: Email, locale: Locale | null, address: string, now: Date): StartedSignIn => {
    const liveCode = codes.live(email.key, now)
    const age = liveCode ? now.getTime() - Date.parse(liveCode.createdAt) : Number.POSITIVE_INFINITY
    const hourlyWaitMs = codes.hourlyLimitWaitMs(email.key, now)
    const waitMs = Math.max(COOLDOWN_MS - age, hourlyWaitMs)
    if (!liveCode && hourlyWaitMs > 0) return { flowId: newId('flow'), ...timesOf(0, waitMs, budget.opensInSeconds(now)) }
    const times = liveCode && waitMs > 0 ? timesOf(age, waitMs, budget.opensInSeconds(now)) : send(email, locale, address, now)
    return { flowId: flows.begin(email, addressBucket(address), now), ...times }
  })
  return {
    /**
     * Mails a code, at most once per minute and address.
     *
     * @param locale language of the mail. Null for all languages
     * @param address network address of the caller
     * @throws Refusal rate_limited if the network has used its attempts or mails, overloaded if all
     * mails of the hour are used
     */
    start: (email: Email, locale: Locale | null, address: string, now: Date): StartedSignIn => start.immediate(email, locale, address, now),
    /**
     * Accepts a correct code once. The fifth wrong code ends the sign-in.
     *
     * @returns the mail address, or undefined after a failure
     */
    complete(flowId: string, entered: string, now: Date): string | undefined {
      const flow = flows.countAttempt(flowId, now)
      const code = flow && codes.live(flow.emailKey, now)
      return code && codes.use(code, entered, now)
    },
  }
}

const timesOf = (ageMs: number, waitMs: number, opensInSeconds: number): Omit<StartedSignIn, 'flowId'> => ({
  expiresIn: secondsLeft(CODE_LIFETIME_MS - ageMs),
  resendAfter: Math.max(secondsLeft(waitMs), opensInSeconds),
  membersOnly: opensInSeconds > 0,
})

const MAILS: Readonly<Record<Locale, (code: string) => Message>> = {
  en: code => ({
    subject: 'Your sign-in code',
    body: `Your code is ${code}.\n\nIt works once, within ten minutes. If you did not request it, ignore this mail. Nothing happens without the code.\n`,
  }),
  'zh-TW': code => ({
    subject: '您的登入驗證碼',
    body: `您的驗證碼是 ${code}。\n\n驗證碼限用一次，十分鐘內有效。若非您本人申請，請忽略此信；未輸入驗證碼不會有任何變更。\n`,
  }),
}

function mailOf(locale: Locale | null, code: string): Message {
  if (locale !== null) return MAILS[locale](code)
  const en = MAILS.en(code)
  const zh = MAILS['zh-TW'](code)
  return { subject: `${en.subject} / ${zh.subject}`, body: `${en.body}\n${zh.body}` }
}
