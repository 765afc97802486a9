import { type Email, type Locale, readEmail } from '../../accounts/index.ts'
import { Refusal } from '../../core/index.ts'
import { accountView } from './account-views.ts'
import type { AccountDeps, AuditedCall } from './callers.ts'
import { issueKey } from './manage-keys.ts'

export interface AnonymousCaller {
  readonly address: string
}

const MEMBERS_ONLY: Readonly<Record<Locale, string>> = {
  en: 'Too many codes are being requested, so codes are sent to addresses with an account only. For a new address, try again after resend_after seconds.',
  'zh-TW': '目前索取驗證碼的請求過多，僅寄送至已有帳戶的電子郵件地址。若為新地址，請於 resend_after 秒後再試。',
}

/** Only the holder of a valid code learns whether an address has an account. */
export function createSignIn({ control, gate, clock, log }: AccountDeps) {
  return {
    /**
     * Mails a code, unless a recent code is still valid.
     * @param input request; null as `locale` means a mail in both languages
     * @returns the id of the sign-in, and durations in seconds
     * @throws Refusal overloaded if the service has sent the maximum number of mails in this hour;
     * rate_limited if the caller's network has used its share
     */
    start({ address }: AnonymousCaller, { email, locale }: { readonly email: Email; readonly locale: Locale | null }) {
      const { flowId, expiresIn, resendAfter, membersOnly } = control.onboarding.start(email, locale, address, clock())
      if (membersOnly) log('mails short', { resend_after: resendAfter })
      return {
        flow_id: flowId,
        status: 'code_sent' as const,
        expires_in: expiresIn,
        resend_after: resendAfter,
        ...(membersOnly && { notice: MEMBERS_ONLY[locale ?? 'en'] }),
      }
    },
    /**
     * Exchanges a code for a session. If necessary, opens an account with a first key.
     * @throws Refusal invalid_or_expired_code for every kind of failure
     */
    complete(_caller: AnonymousCaller, { flow_id, code }: { readonly flow_id: string; readonly code: string }, { requestId }: AuditedCall) {
      // A wrong code is counted in the same transaction.
      const signedIn = control.transaction(() => {
        const now = clock()
        const email = readEmail(control.onboarding.complete(flow_id, code, now))
        if (!email) return undefined
        const account = control.accounts.ensure(email, now)
        const session = control.sessions.open(account.id, now)
        const first = !control.keys.hasAny(account.id)
        const key = first && issueKey(control, account, { name: 'first key', actor: account.id, requestId }, now)
        return { account, ...session, key }
      })
      if (!signedIn) throw new Refusal('invalid_or_expired_code')
      const { account, token, expiresAt, key } = signedIn
      const { balance } = gate.quotaStatus({ accountId: account.id, limits: account.limits })
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
