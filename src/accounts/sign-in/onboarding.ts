import { addressBucket, addressNetwork, newId } from '../../core/index.ts'
import type { Message, Outbox } from '../../mail/index.ts'
import type { Database, Vault } from '../../state/index.ts'
import type { AccountStore } from '../accounts.ts'
import type { Email } from '../email.ts'
import { CODE_LIFE_MS, createCodes } from './codes.ts'
import { createFlows, secondsLeft } from './flows.ts'
import { createMailBudget } from './mail-budget.ts'

export type Locale = 'en' | 'zh-TW'

/** A code is mailed to one address at most this often. */
const COOL_DOWN_MS = 60_000

/** The answer to a start, the same for known and unknown addresses. */
export interface Started {
  readonly flowId: string
  /** Seconds until the code expires. */
  readonly expiresIn: number
  /** Seconds until another code can be mailed. */
  readonly resendAfter: number
  /** Codes are mailed only to addresses that have an account at the moment, to others after `resendAfter`. Said to everyone, whether their address has one or not. */
  readonly membersOnly: boolean
}

/**
 * Sign-in by a code mailed to an address: eight digits, ten minutes, once. Every start is a flow with five attempts of its own, in which
 * the newest code of the address works: whoever starts a flow for somebody else's address and enters wrong codes ends only their own
 * flow. A code ends after its fiftieth wrong attempt, over all flows.
 */
export function createOnboarding(db: Database, vault: Vault, outbox: Outbox, accounts: Pick<AccountStore, 'byEmail'>) {
  const codes = createCodes(db, vault)
  const flows = createFlows(db, vault)
  const budget = createMailBudget(outbox)
  /** Makes a code and mails it. One that may not be mailed is made all the same, so that later answers are alike for every address. */
  const send = (email: Email, locale: Locale | null, from: string, now: Date): Omit<Started, 'flowId'> => {
    const opensIn = budget.take(addressNetwork(from), now)
    codes.forget(now)
    flows.forget(now)
    const mail = mailOf(locale, codes.make(email, now))
    if (opensIn === 0 || accounts.byEmail(email, now)) outbox.put({ to: email.address, ...mail }, now)
    return timesOf(0, Math.max(COOL_DOWN_MS, codes.fullFor(email.key, now)), opensIn)
  }
  const start = db.transaction((email: Email, locale: Locale | null, from: string, now: Date): Started => {
    const running = codes.live(email.key, now)
    const age = running ? now.getTime() - Date.parse(running.createdAt) : Number.POSITIVE_INFINITY
    const full = codes.fullFor(email.key, now)
    const waits = Math.max(COOL_DOWN_MS - age, full)
    if (!running && full > 0) return { flowId: newId('flow'), ...timesOf(0, waits, budget.opensIn(now)) }
    const times = running && waits > 0 ? timesOf(age, waits, budget.opensIn(now)) : send(email, locale, from, now)
    return { flowId: flows.begin(email, addressBucket(from), now), ...times }
  })
  return {
    /**
     * Mails a code, unless one was mailed a moment ago or too many within the hour: the code already sent still works then.
     *
     * @param locale of the mail; null for one in every language
     * @param from the caller's network address
     * @throws Refusal rate_limited when that address has used up the attempts of as many flows as it may begin, or its network its share of
     * the hour's mails; overloaded when these are used up
     */
    start: (email: Email, locale: Locale | null, from: string, now: Date): Started => start.immediate(email, locale, from, now),
    /**
     * The address whose code it is, or undefined for any reason at all. The right code works once; the fifth wrong one ends the flow, the
     * fiftieth the code.
     */
    complete(flowId: string, given: string, now: Date): string | undefined {
      const flow = flows.take(flowId, now)
      const code = flow && codes.live(flow.emailKey, now)
      return code && codes.use(code, given, now)
    },
  }
}

/**
 * Times of a code that is so many milliseconds old.
 *
 * @param waits milliseconds until its address may be sent another
 * @param opensIn seconds until addresses without an account are written to again
 */
const timesOf = (age: number, waits: number, opensIn: number): Omit<Started, 'flowId'> => ({
  expiresIn: secondsLeft(CODE_LIFE_MS - age),
  resendAfter: Math.max(secondsLeft(waits), opensIn),
  membersOnly: opensIn > 0,
})

/** The mail that carries a code. */
const MAILS: Readonly<Record<Locale, (code: string) => Message>> = {
  en: code => ({
    subject: 'Your sign-in code',
    body: `Your code is ${code}.\n\nIt works once, within ten minutes. If you did not ask for it, ignore this mail: nothing happens without the code.\n`,
  }),
  'zh-TW': code => ({
    subject: '您的登入驗證碼',
    body: `您的驗證碼是 ${code}。\n\n驗證碼限用一次，十分鐘內有效。若非您本人申請，請忽略此信：沒有驗證碼不會有任何變更。\n`,
  }),
}

function mailOf(locale: Locale | null, code: string): Message {
  if (locale !== null) return MAILS[locale](code)
  const [en, zh] = [MAILS.en(code), MAILS['zh-TW'](code)]
  return { subject: `${en.subject} / ${zh.subject}`, body: `${en.body}\n${zh.body}` }
}
