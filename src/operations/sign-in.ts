import { type Email, type Locale, readEmail } from '../accounts/index.ts'
import { addressBucket, Refusal } from '../core/index.ts'
import { accountView } from './account-views.ts'
import type { AccountDeps, AuditedCall } from './callers.ts'
import { issueKey } from './manage-keys.ts'

/** A caller without a credential, identified by their network address. */
export interface AnonymousCaller {
  readonly address: string
}

/** Mails the whole service sends in an hour; further sign-ins are refused. */
const MAX_MAILS_PER_HOUR = 300

/** Sign-in with a code sent by mail. No answer before the code is given tells whether the address has an account. */
export function createSignIn({ control, gate, clock, log }: AccountDeps) {
  return {
    /**
     * Mails a code to the address, unless one is on its way already.
     *
     * @returns the flow the code has to be given in; both durations in seconds
     * @throws Refusal overloaded once the service has sent as many mails this hour as it may; rate_limited
     */
    start({ address }: AnonymousCaller, { email, locale }: { readonly email: Email; readonly locale: Locale }) {
      if (control.outbox.lastHour(clock()) >= MAX_MAILS_PER_HOUR) throw new Refusal('overloaded', { retry_after: 600 })
      const { flowId, expiresIn, resendAfter } = control.onboarding.start(email, locale, addressBucket(address), clock())
      return { flow_id: flowId, status: 'code_sent' as const, expires_in: expiresIn, resend_after: resendAfter }
    },
    /**
     * Exchanges a code for a session. The account is made when there is none; an account that never had a key gets its first one, so that
     * the next call can be a read.
     *
     * @throws Refusal invalid_or_expired_code, for whatever reason the code does not work
     */
    complete(_caller: AnonymousCaller, { flow_id, code }: { readonly flow_id: string; readonly code: string }, { requestId }: AuditedCall) {
      const email = readEmail(control.onboarding.complete(flow_id, code, clock()))
      if (!email) throw new Refusal('invalid_or_expired_code')
      const now = clock()
      const account = control.accounts.ensure(email, now)
      const { token, expiresAt } = control.sessions.open(account.id, now)
      const { balance } = gate.quotaStatus({ accountId: account.id, plan: account.plan })
      const first = control.keys.list(account.id, now).length === 0
      const key = first && issueKey(control, account, { name: 'first key', actor: account.id, requestId }, now)
      if (key) log('key issued', { account: account.id, key: key.key_id })
      return {
        self_serve_token: token,
        expires_at: expiresAt,
        account: accountView(account, balance, control.subscriptions.byAccount(account.id)),
        ...(key && { api_key: key }),
      }
    },
  }
}

export type SignIn = ReturnType<typeof createSignIn>
