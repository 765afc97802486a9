import { newId } from '../../core/index.ts'
import type { Email } from '../email.ts'
import type { Vault } from '../keys/vault.ts'
import type { Outbox } from '../mail/outbox.ts'
import type { Message } from '../mail/transport.ts'
import type { Database } from '../state/db.ts'
import { CODE_LIFE_MS, createCodes } from './codes.ts'
import { createFlows, secondsLeft } from './flows.ts'

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
}

/**
 * Sign-in by a code mailed to an address: eight digits, ten minutes, once. Every start is a flow with five attempts of its own, in which
 * the newest code of the address works: whoever starts a flow for somebody else's address and enters wrong codes ends only their own
 * flow. A code ends after its fiftieth wrong attempt, over all flows.
 */
export function createOnboarding(db: Database, vault: Vault, outbox: Outbox) {
  const codes = createCodes(db, vault)
  const flows = createFlows(db, vault)
  const mail = (email: Email, locale: Locale, now: Date): void => {
    codes.forget(now)
    flows.forget(now)
    outbox.put({ to: email.address, ...MAILS[locale](codes.make(email, now)) }, now)
  }
  const start = db.transaction((email: Email, locale: Locale, from: string, now: Date): Started => {
    const running = codes.live(email.key, now)
    const age = running ? now.getTime() - Date.parse(running.createdAt) : Number.POSITIVE_INFINITY
    const many = codes.tooMany(email.key, now)
    if (!running && many) return { flowId: newId('flow'), ...timesOf(0) }
    if (running && (age < COOL_DOWN_MS || many)) return { flowId: flows.begin(email, from, now), ...timesOf(age) }
    mail(email, locale, now)
    return { flowId: flows.begin(email, from, now), ...timesOf(0) }
  })
  return {
    /**
     * Mails a code, unless one was mailed a moment ago or too many within the hour: the code already sent still works then.
     *
     * @param from the caller's network address, as limiters count it
     * @throws Refusal rate_limited when that address has used up the attempts of as many flows as it may begin
     */
    start: (email: Email, locale: Locale, from: string, now: Date): Started => start.immediate(email, locale, from, now),
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

/** Times of a code that is so many milliseconds old. */
const timesOf = (age: number): Omit<Started, 'flowId'> => ({
  expiresIn: secondsLeft(CODE_LIFE_MS - age),
  resendAfter: secondsLeft(COOL_DOWN_MS - age),
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
