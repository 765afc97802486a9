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
    /** @param caller null if the browser is not signed in */
    view: (caller: SignedInCaller | null) => (caller ? view(caller) : signedOut),
    /** @returns the session and the maximum duration in seconds */
    open(caller: SignedInCaller) {
      const now = clock()
      // Creates the session's key before the first read, so that the sign-in fails on a full disk.
      control.keys.ofBrowser(caller.accountId, now)
      return { view: view(caller), seconds: Math.floor((Date.parse(caller.session.expiresAt) - now.getTime()) / 1_000) }
    },
    /** Ends the session. The next request is refused. */
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
