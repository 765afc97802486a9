import type { Gate } from '../../access/index.ts'
import type { Account, Session } from '../../accounts/index.ts'
import type { Control } from '../../control/index.ts'
import type { Clock, Grant, Log, Words } from '../../core/index.ts'

export interface AccountDeps {
  readonly control: Control
  readonly gate: Gate
  readonly clock: Clock
  readonly log: Log
}

/** The holder of a key, or a signed-in user. */
export type AccountCaller = Pick<Grant, 'accountId' | 'plan' | 'limits'>

/** A signed-in user or a holder of a key. Both may pay for the account. */
export interface Payer extends AccountCaller {
  /** Account at the start of the request. Always active. */
  readonly account: Account
}

export interface SignedInCaller extends Payer {
  readonly session: Session
}

export interface AuditedCall {
  readonly requestId: string
}

export interface WordedCall extends AuditedCall {
  readonly language: keyof Words
}
