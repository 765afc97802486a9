import { inputRefusal, Refusal, type Words } from '../../core/index.ts'
import type { AnswerOwner } from '../../state/index.ts'
import type { AccountDeps, AuditedCall, SignedInCaller } from './callers.ts'
import { guardSecret } from './manage-keys.ts'

export interface IdempotentRequest extends AuditedCall {
  /** Value of the `Idempotency-Key` header. If undefined, the answer is not stored. */
  readonly idempotencyKey: string | undefined
  /** Account id or `admin`. Each actor has separate idempotency keys. */
  readonly actor: string
  /** Absent for the operator, who can see a secret again without limits. */
  readonly caller?: SignedInCaller
  readonly path: string
  readonly input: unknown
}

/**
 * Runs a creating request only once per Idempotency-Key and day. Repetitions return the stored
 * answer. Refusals are not stored. After a crash, the payment provider's own idempotency key
 * prevents a second order.
 * @returns a function that calls `create`, or `validate` if an answer is stored
 * @throws Refusal conflict while the first request runs; invalid_parameter if the key was used with
 * another body; key_not_revealable if the secret was erased; reauth_required or rate_limited if the
 * secret cannot be shown now; errors of `create` and `validate`
 */
export function createIdempotentCall({ control, gate, clock }: Pick<AccountDeps, 'control' | 'gate' | 'clock'>) {
  const running = new Set<string>()
  return async <T extends object>(
    { idempotencyKey, actor, caller, path, input, requestId }: IdempotentRequest,
    ownerOf: (answer: T) => AnswerOwner,
    create: () => T | Promise<T>,
    validate: (answer: T) => void | Promise<void> = () => {},
  ): Promise<T> => {
    if (idempotencyKey === undefined) return create()
    const storedName = control.idempotency.nameOf(actor, path, idempotencyKey)
    const body = JSON.stringify(input)
    const key = storedName.toString('hex')
    if (running.has(key)) throw new Refusal('conflict', { retry_after: 1 }, IN_PROGRESS)
    const stored = control.idempotency.find(storedName, clock())
    if (stored === null) throw new Refusal('key_not_revealable', {}, SECRET_ERASED)
    if (stored && stored.input !== body)
      throw inputRefusal([{ loc: ['header', 'idempotency-key'], words: OTHER_CALL, type: 'reused_name' }])
    if (stored) {
      const answer = JSON.parse(stored.answer) as T
      await validate(answer)
      const { accountId, keyId, endpointId } = ownerOf(answer)
      const target = keyId ?? endpointId
      if (target && caller) guardSecret(gate, caller, clock())
      const facts = { repeated: path }
      const action = keyId ? 'key revealed' : 'webhook secret revealed'
      if (target) control.audit.write({ actor, action, accountId, target, requestId, facts }, clock())
      return answer
    }
    const store = (answer: T): T => {
      control.idempotency.put(storedName, ownerOf(answer), { input: body, answer: JSON.stringify(answer) }, clock())
      return answer
    }
    running.add(key)
    try {
      // The object is necessary, because better-sqlite3 rejects transactions that return a promise.
      const { result } = control.transaction(() => {
        const created = create()
        return { result: created instanceof Promise ? created : store(created) }
      })
      return result instanceof Promise ? store(await result) : result
    } finally {
      running.delete(key)
    }
  }
}

export type IdempotentCall = ReturnType<typeof createIdempotentCall>

const IN_PROGRESS: Words = {
  en: 'A request with this Idempotency-Key is in progress. Try again after retry_after seconds.',
  zh: '使用此 Idempotency-Key 的請求仍在處理中。請於 retry_after 秒後再試。',
}
const SECRET_ERASED: Words = {
  en: 'The item that this request created was revoked, deleted or rotated, so its secret no longer exists. To create another item, send another Idempotency-Key.',
  zh: '此請求建立的項目已撤銷、刪除或更換密鑰，原密鑰已不存在。若要另外建立，請使用另一個 Idempotency-Key。',
}
const OTHER_CALL: Words = {
  en: 'idempotency-key was already used with another body: send a new one for another request',
  zh: 'idempotency-key 先前已用於不同內容的請求；不同的請求請使用新的值',
}
