import { inputRefusal, Refusal, type Words } from '../../core/index.ts'
import type { AnswerOwner } from '../../state/index.ts'
import type { AccountDeps, AuditedCall, SignedInCaller } from './callers.ts'
import { guardSecret } from './manage-keys.ts'

/** A call that makes something, and what its caller names it. */
export interface NamedCall extends AuditedCall {
  /** The caller’s `Idempotency-Key`; the call is made in any case where it is undefined. */
  readonly name: string | undefined
  /** Who calls, within whose calls names are looked up. */
  readonly actor: string
  /** The customer whose session it is; absent for the operator, to whom secrets are shown again without a limit. */
  readonly caller?: SignedInCaller
  /** What is called. */
  readonly path: string
  readonly input: unknown
}

/**
 * Makes a thing once for every name a caller gives to a call, within a day: the same call again is answered as before, nothing is made, and
 * the audit log holds that a secret was shown again. A customer is shown it under the rules of `revealKey`. A refusal is not kept: the call may
 * be repeated under its name.
 *
 * What is made at once is made and kept in one transaction. What the payment provider is asked for is kept after its answer: a crash in
 * between leaves it to the provider, which is given a name of its own for the order, to make nothing twice.
 *
 * @returns a function that runs `make` or answers as before, once `stillHolds` has let the kept answer pass. @throws Refusal conflict while the first such call runs; invalid_parameter where
 * the name was given to another call; key_not_revealable where the secret of what was made is no more; reauth_required, rate_limited
 * where a secret is not shown again now; what `make` and `stillHolds` throw
 */
export function createAnswerOnce({ control, gate, clock }: Pick<AccountDeps, 'control' | 'gate' | 'clock'>) {
  const running = new Set<string>()
  return async <T extends object>(
    { name: given, actor, caller, path, input, requestId }: NamedCall,
    ownerOf: (answer: T) => AnswerOwner,
    make: () => T | Promise<T>,
    stillHolds: (answer: T) => void | Promise<void> = () => {},
  ): Promise<T> => {
    if (given === undefined) return make()
    const name = control.idempotency.nameOf(actor, path, given)
    const sent = JSON.stringify(input)
    const key = name.toString('hex')
    if (running.has(key)) throw new Refusal('conflict', { retry_after: 1 }, IN_PROGRESS)
    const kept = control.idempotency.find(name, clock())
    if (kept === null) throw new Refusal('key_not_revealable', {}, REVOKED)
    if (kept && kept.input !== sent) throw inputRefusal([{ loc: ['header', 'idempotency-key'], words: OTHER_CALL, type: 'reused_name' }])
    if (kept) {
      const answer = JSON.parse(kept.answer) as T
      await stillHolds(answer)
      const { accountId, keyId, endpointId } = ownerOf(answer)
      const target = keyId ?? endpointId
      if (target && caller) guardSecret(gate, caller, clock())
      const facts = { repeated: path }
      const action = keyId ? 'key revealed' : 'webhook secret revealed'
      if (target) control.audit.write({ actor, action, accountId, target, requestId, facts }, clock())
      return answer
    }
    const keep = (answer: T): T => {
      control.idempotency.put(name, ownerOf(answer), { input: sent, answer: JSON.stringify(answer) }, clock())
      return answer
    }
    running.add(key)
    try {
      // In an object, since the database takes no transaction that returns a promise.
      const { made } = control.transaction(() => {
        const begun = make()
        return { made: begun instanceof Promise ? begun : keep(begun) }
      })
      return made instanceof Promise ? keep(await made) : made
    } finally {
      running.delete(key)
    }
  }
}

export type AnswerOnce = ReturnType<typeof createAnswerOnce>

const IN_PROGRESS: Words = {
  en: 'A call with this Idempotency-Key is in progress; ask again after retry_after seconds.',
  zh: '使用此 Idempotency-Key 的請求仍在處理中；請於 retry_after 秒後再試。',
}
const REVOKED: Words = {
  en: 'What this call made was revoked, deleted or given another secret, and the secret in the answer was erased; to create another, send another Idempotency-Key.',
  zh: '此請求建立的項目已撤銷、刪除或更換密鑰，回覆中的內容已刪除；若要另外建立，請使用另一個 Idempotency-Key。',
}
const OTHER_CALL: Words = {
  en: 'idempotency-key was sent with another body before; send a new one for another call',
  zh: 'idempotency-key 先前已用於不同內容的請求；不同的請求請使用新的值',
}
