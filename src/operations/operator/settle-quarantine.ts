import { afterRunning, createSerial, inputRefusal, Refusal, type Words } from '../../core/index.ts'
import type { AccountDeps, AuditedCall } from '../account/callers.ts'
import type { Intake, IntakeAccepted, IntakeFile, IntakeSettled } from './intake.ts'

export interface SettleDeps extends Pick<AccountDeps, 'control' | 'clock' | 'log'> {
  readonly intake: Intake
  /**
   * Maximum time in ms to wait for a publication. The publication continues afterwards. Default: 20
   * s.
   */
  readonly acceptWaitMs?: number
}

export interface AcceptInput {
  readonly rules: readonly string[]
  readonly date: string | null
  readonly note: string | null
}

/** `running` means that the publication continues. */
export type AcceptAnswer = IntakeAccepted | { readonly id: string; readonly outcome: 'running' }

export interface FileView {
  readonly file: IntakeFile | null
  readonly settled: IntakeSettled | null
  /** Null if this process has not tried to publish the file. */
  readonly attempt: AcceptAnswer | null
}

const WAIT_MS = 20_000
const MAX_ATTEMPTS = 100

/** Writes an audit entry before it carries out a decision. Only one publication runs at a time. */
export function createSettleFiles({ control, clock, log, intake, acceptWaitMs = WAIT_MS }: SettleDeps) {
  const attempts = new Map<string, AcceptAnswer>()
  const running = new Map<string, Promise<IntakeAccepted>>()
  const serialize = createSerial()
  const requireFile = async (id: string) => {
    const match = await intake.find(id)
    if (!match) throw new Refusal('unknown_id', {}, UNKNOWN)
    return match
  }
  const record = (action: 'quarantine accept' | 'quarantine discard', id: string, facts: object, { requestId }: AuditedCall): void =>
    control.audit.write({ actor: 'admin', action, accountId: null, target: id, requestId, facts: { ...facts } }, clock())
  const remember = (id: string, answer: AcceptAnswer): void => {
    attempts.delete(id)
    attempts.set(id, answer)
    for (const old of [...attempts.keys()].slice(0, -MAX_ATTEMPTS)) attempts.delete(old)
  }
  const begin = (id: string, { rules, date }: AcceptInput): Promise<IntakeAccepted> => {
    remember(id, { id, outcome: 'running' })
    const work = serialize(() => intake.accept(id, rules, date)).then(answer => {
      running.delete(id)
      remember(id, answer)
      log('quarantine settled', { file: id, action: 'accept', outcome: answer.outcome })
      return answer
    })
    running.set(id, work)
    return work
  }
  return {
    /** @throws Refusal unknown_id */
    async find(id: string): Promise<FileView> {
      return { ...(await requireFile(id)), attempt: attempts.get(id) ?? null }
    },
    /**
     * Publishes a refused file. Accepts violations of the rules in `input`. Safe to call twice.
     * @throws Refusal unknown_id; conflict if the file was discarded; invalid_parameter if a
     * violation cannot be accepted
     */
    async accept(id: string, input: AcceptInput, call: AuditedCall): Promise<AcceptAnswer> {
      const { file, settled } = await requireFile(id)
      if (settled?.action === 'discard') throw new Refusal('conflict', {}, DISCARDED)
      if (settled) return settled
      const notAllowed = input.rules.filter(rule => !file!.acceptable.includes(rule))
      if (notAllowed.length > 0)
        throw inputRefusal([{ loc: ['body', 'accept'], words: onlyThese(notAllowed, file!.acceptable), type: 'enum' }])
      if (!running.has(id)) record('quarantine accept', id, { for: file!.for, ...input }, call)
      const work = running.get(id) ?? begin(id, input)
      const { promise: timeout, resolve } = Promise.withResolvers<AcceptAnswer>()
      const cancel = afterRunning(acceptWaitMs, () => resolve({ id, outcome: 'running' }))
      try {
        return await Promise.race([work, timeout])
      } finally {
        cancel()
      }
    },
    /**
     * Deletes a refused file.
     * @throws Refusal unknown_id; conflict if the file was published or is being published
     */
    async discard(id: string, note: string | null, call: AuditedCall): Promise<IntakeSettled> {
      const { file, settled } = await requireFile(id)
      if (settled?.action === 'accept' || running.has(id)) throw new Refusal('conflict', {}, ACCEPTED)
      if (settled) return settled
      record('quarantine discard', id, { for: file!.for, note }, call)
      const discarded = await intake.discard(id)
      if (!discarded) throw new Refusal('unknown_id', {}, UNKNOWN)
      log('quarantine settled', { file: id, action: 'discard', outcome: discarded.outcome })
      return discarded
    },
  }
}

const UNKNOWN: Words = {
  en: 'The id is not in the quarantine. GET /v2/admin/quarantine lists its files.',
  zh: '隔離區沒有此識別碼的檔案。請以 GET /v2/admin/quarantine 列出現有檔案。',
}
const DISCARDED: Words = {
  en: 'The file was discarded. To publish its rows, fetch or import the file again.',
  zh: '此檔案已捨棄。若要發布，請重新取得。',
}
const ACCEPTED: Words = {
  en: 'The file was accepted, or is being published. To undo this, serve an earlier release.',
  zh: '此檔案已接受或正在發布。若要撤回，請改為提供較早的版本。',
}

const onlyThese = (wrong: readonly string[], allowed: readonly string[]): Words => ({
  en: `accept may not contain ${wrong.join(', ')}. It may contain ${allowed.join(', ')}`,
  zh: `accept 含有 ${wrong.join('、')}；僅可接受 ${allowed.join('、')}`,
})
