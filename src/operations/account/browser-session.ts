import type { VisitorTerms } from '../../access/index.ts'
import { suspensionView } from './account-views.ts'
import type { AccountDeps, SignedInCaller } from './callers.ts'

export function createBrowserSessions({ control, gate, clock }: Pick<AccountDeps, 'control' | 'gate' | 'clock'>) {
  const visitor = gate.visitorTerms && viewOf(gate.visitorTerms)
  const view = ({ account, accountId, plan, limits }: SignedInCaller) => {
    const { balance } = gate.quotaStatus({ accountId, limits })
    return {
      signed_in: true,
      email: account.email!,
      plan,
      credits_left: balance.remaining,
      credits_reset_at: balance.resetsAt,
      suspension: suspensionView(account.suspension),
      visitor,
    }
  }
  const signedOut = { signed_in: false, email: null, plan: null, credits_left: null, credits_reset_at: null, suspension: null, visitor }
  return {
    /**
     * Returns the account that the browser is signed in to, and the limits for visitors.
     *
     * @param caller null if the browser is not signed in
     */
    view: (caller: SignedInCaller | null) => (caller ? view(caller) : signedOut),
    /**
     * Opens a browser session.
     * @returns its form in the API, and its maximum duration in seconds
     */
    open(caller: SignedInCaller) {
      const now = clock()
      // The key of the session is created here. If the disk is full, the sign-in fails now, instead
      // of a
      // later read.
      control.keys.ofBrowser(caller.accountId, now)
      return { view: view(caller), seconds: Math.floor((Date.parse(caller.session.expiresAt) - now.getTime()) / 1_000) }
    },
    /** Ends the session on the server. The next request of the browser is refused. */
    end({ session }: SignedInCaller) {
      control.sessions.revoke(session.id, clock())
      return signedOut
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
