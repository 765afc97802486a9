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

/** A caller who acts on an account: the holder of a key, or a signed-in user. */
export type AccountCaller = Pick<Grant, 'accountId' | 'plan' | 'limits'>

/** A caller who may pay for an account: its signed-in user, or the holder of one of its keys. */
export interface Payer extends AccountCaller {
  /** State of the account when the request was accepted. The account was active at that time. */
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
