import type { Gate } from '../../access/index.ts'
import type { Account, Session } from '../../accounts/index.ts'
import type { Control } from '../../control/index.ts'
import type { Clock, Grant, Log, Words } from '../../core/index.ts'

/** Dependencies of account operations. */
export interface AccountDeps {
  readonly control: Control
  readonly gate: Gate
  readonly clock: Clock
  readonly log: Log
}

/** An account that is used: by the holder of a key (a `Grant`) or by a signed-in user. */
export type AccountCaller = Pick<Grant, 'accountId' | 'plan' | 'limits'>

/** A caller who may pay for an account: its signed-in user, or the holder of one of its keys. */
export interface Payer extends AccountCaller {
  /** State at admission: active. */
  readonly account: Account
}

/** A signed-in user and their account. */
export interface SignedInCaller extends Payer {
  readonly session: Session
}

export interface AuditedCall {
  /** Appears in the log and in the audit log. */
  readonly requestId: string
}

/** A call whose answer contains text. */
export interface WordedCall extends AuditedCall {
  readonly language: keyof Words
}
