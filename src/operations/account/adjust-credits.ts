import type { GivenCredits } from '../../control/index.ts'
import { creditsView } from './account-views.ts'
import type { AccountDeps, AuditedCall } from './callers.ts'

export interface GrantCreditsInput {
  /** Account id or mail address. */
  readonly account: string
  readonly credits: number
  readonly reason: string
}

export interface RefundInput {
  /** Request id of the charged read. */
  readonly request_id: string
  readonly reason: string
}

export const givenCreditsView = ({ id, kind, accountId, at, credits, reason, useId }: GivenCredits) => ({
  entry_id: id,
  kind,
  account_id: accountId,
  at,
  credited: credits,
  reason,
  refunded_request_id: useId,
})

/**
 * Creates the operations that grant and refund credits. Changes and their audit entries are written
 * in one transaction.
 */
export function createAdjustCredits({ control, gate, clock, log }: AccountDeps) {
  const answer = (given: GivenCredits) => {
    const { id, kind, accountId, credits } = given
    const { limits } = control.accounts.byId(accountId, clock())!
    log('credits given', { account: accountId, kind, credits, entry: id })
    return { ...givenCreditsView(given), credits: creditsView(gate.sessionQuotaStatus({ accountId, limits }).balance) }
  }
  return {
    /** @throws Refusal unknown_id; conflict for a closed account */
    grant: (actor: 'admin', { account, credits, reason }: GrantCreditsInput, { requestId }: AuditedCall) =>
      answer(control.creditAdjuster.grant(account, credits, { actor, entryId: requestId, requestId, reason }, clock())),
    /**
     * @throws Refusal unknown_id, already_refunded; conflict for a closed account or a free read
     */
    refund: (actor: 'admin', { request_id: useId, reason }: RefundInput, { requestId }: AuditedCall) =>
      answer(control.creditAdjuster.refund(useId, { actor, entryId: requestId, requestId, reason }, clock())),
  }
}
