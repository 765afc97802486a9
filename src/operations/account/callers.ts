import type { Gate } from '../../access/index.ts'
import type { Account, Session } from '../../accounts/index.ts'
import type { Control } from '../../control/index.ts'
import type { Clock, Grant, Log, Words } from '../../core/index.ts'

/** What operations on accounts are built from. */
export interface AccountDeps {
  readonly control: Control
  readonly gate: Gate
  readonly clock: Clock
  readonly log: Log
}

/** Whose account an operation is about: the holder of a key (a `Grant` is one), or a signed-in customer. */
export type AccountCaller = Pick<Grant, 'accountId' | 'plan'>

/** Whoever may pay for an account: its customer, or the holder of one of its keys. */
export interface Payer extends AccountCaller {
  /** As it was when the caller was admitted: active. */
  readonly account: Account
}

/** A customer who signed in with a mailed code, and the account that is theirs. */
export interface SignedInCaller extends Payer {
  readonly session: Session
}

/** A call that may leave an entry in the audit log. */
export interface AuditedCall {
  /** Names the call in the log and in the audit log. */
  readonly requestId: string
}

/** A call whose answer has a sentence in it. */
export interface WordedCall extends AuditedCall {
  /** What the caller reads. */
  readonly language: keyof Words
}
