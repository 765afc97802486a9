import type { VisitorTerms } from '../../access/index.ts'
import type { AccountDeps, SignedInCaller } from './callers.ts'

/** Sessions of browsers: opened with a token, looked at by every page, and ended. */
export function createBrowserSessions({ control, gate, clock }: Pick<AccountDeps, 'control' | 'gate' | 'clock'>) {
  const visitor = gate.visitorTerms && viewOf(gate.visitorTerms)
  const view = ({ account, accountId, plan }: SignedInCaller) => {
    const { balance } = gate.quotaStatus({ accountId, plan })
    return {
      signed_in: true,
      email: account.email!,
      plan,
      credits_left: balance.remaining,
      credits_reset_at: balance.resetsAt,
      visitor,
    }
  }
  const nobody = { signed_in: false, email: null, plan: null, credits_left: null, credits_reset_at: null, visitor }
  return {
    /** Who looks: the account of the session, or nobody; and what is shown without one. @param caller null where nobody is signed in */
    view: (caller: SignedInCaller | null) => (caller ? view(caller) : nobody),
    /** Lets a browser keep the session. @returns who looks from now on, and for how many seconds at most */
    open(caller: SignedInCaller) {
      const now = clock()
      // Made here, since what a full disk refuses must be a sign-in and not a read.
      control.keys.ofBrowser(caller.accountId, now)
      return { view: view(caller), seconds: Math.floor((Date.parse(caller.session.expiresAt) - now.getTime()) / 1_000) }
    },
    /** Ends the session, effective on the next request, wherever else its token is. */
    end({ session }: SignedInCaller) {
      control.sessions.revoke(session.id, clock())
      return nobody
    },
  }
}

const viewOf = ({ plan, rowLimit, requestsPerMinute, rowsPerHour }: VisitorTerms) => ({
  plan,
  row_limit: rowLimit,
  requests_per_minute: requestsPerMinute,
  rows_per_hour: rowsPerHour,
})

export type BrowserSessions = ReturnType<typeof createBrowserSessions>
