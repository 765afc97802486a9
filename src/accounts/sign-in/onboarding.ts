import { newId } from '../../core/index.ts'
import type { Email } from '../email.ts'
import type { Vault } from '../keys/vault.ts'
import { codeMail, type Locale } from '../mail/code-mail.ts'
import type { Outbox } from '../mail/outbox.ts'
import type { Database } from '../state/db.ts'
import { createCodes } from './codes.ts'
import { createFlows } from './flows.ts'
import { LIFE_MS, seconds } from './life.ts'

const COOL_DOWN_MS = 60_000

/** A code on its way, said in the same words to known and unknown addresses. */
export interface Started {
  readonly flowId: string
  /** Seconds. */
  readonly expiresIn: number
  readonly resendAfter: number
}

/**
 * Sign-in by a code sent to an address: eight digits, ten minutes, once. Every start is a flow with five tries of its own, in which the
 * newest code of the address works: whoever starts one for somebody else's address and tries wrong codes ends only their own flow. A code
 * ends with its fiftieth wrong try, in whatever flows.
 */
export function createOnboarding(db: Database, vault: Vault, outbox: Outbox) {
  const codes = createCodes(db, vault)
  const flows = createFlows(db, vault)
  const mail = (email: Email, locale: Locale, now: Date): void => {
    codes.forget(now)
    flows.forget(now)
    outbox.put({ to: email.address, ...codeMail(codes.make(email, now), locale) }, now)
  }
  const start = db.transaction((email: Email, locale: Locale, from: string, now: Date): Started => {
    const running = codes.live(email.key, now)
    const age = running ? now.getTime() - Date.parse(running.createdAt) : Number.POSITIVE_INFINITY
    const many = codes.tooMany(email.key, now)
    if (!running && many) return { flowId: newId('flow'), ...left(0) }
    if (running && (age < COOL_DOWN_MS || many)) return { flowId: flows.begin(email, from, now), ...left(age) }
    mail(email, locale, now)
    return { flowId: flows.begin(email, from, now), ...left(0) }
  })
  return {
    /**
     * Mails a code, unless one was mailed a moment ago or too many within the hour: then the code on its way still holds.
     *
     * @param from the caller's network address, as limiters count it
     * @throws Refusal rate_limited when that place has tried in as many flows as it may
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

/** What is left of a code so many milliseconds old. */
const left = (age: number): Omit<Started, 'flowId'> => ({ expiresIn: seconds(LIFE_MS - age), resendAfter: seconds(COOL_DOWN_MS - age) })

export type Onboarding = ReturnType<typeof createOnboarding>
