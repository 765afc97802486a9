import { type Account, type AccountStore, readEmail } from '../accounts/index.ts'
import { Refusal, taipei, type Words } from '../core/index.ts'
import type { AuditLog, Database } from '../state/index.ts'
import type { CreditEntries, CreditEntry } from '../usage/index.ts'

export interface CreditAdjusterDeps {
  readonly db: Database
  readonly accounts: AccountStore
  readonly creditEntries: CreditEntries
  readonly audit: AuditLog
}

export interface CreditCall {
  /** `admin` or `operator`. */
  readonly actor: string
  readonly entryId: string
  /** Absent for requests from the command line. */
  readonly requestId?: string
  /** Shown to the customer. */
  readonly reason: string
}

export type GivenCredits = CreditEntry & { readonly accountId: string }

/** Grants and refunds credits. Writes an audit entry in the same transaction. */
export function createCreditAdjuster({ db, accounts, creditEntries, audit }: CreditAdjusterDeps) {
  const inTransaction = <T>(work: () => T): T => db.transaction(work).immediate()
  const add = (
    account: Account | undefined,
    { actor, entryId, requestId, reason }: CreditCall,
    credits: number,
    useId: string | null,
    now: Date,
  ): GivenCredits => {
    if (!account) throw new Refusal('unknown_id', {}, UNKNOWN_ACCOUNT)
    if (account.status === 'closed') throw new Refusal('conflict', {}, CLOSED)
    const kind = useId === null ? 'grant' : 'refund'
    const entry = { id: entryId, kind, at: taipei(now), credits, reason, useId } as const
    creditEntries.add(account.id, entry)
    const action = kind === 'grant' ? 'credits granted' : 'credits refunded'
    const facts = { credits, reason, ...(useId !== null && { refunded_request_id: useId }) }
    audit.write({ actor, action, accountId: account.id, target: entryId, ...(requestId !== undefined && { requestId }), facts }, now)
    return { ...entry, accountId: account.id }
  }
  return {
    /**
     * @param account id or mail address
     * @throws Refusal unknown_id; conflict for a closed account
     */
    grant: (account: string, credits: number, call: CreditCall, now: Date): GivenCredits =>
      inTransaction(() => {
        const email = readEmail(account)
        return add(email ? accounts.byEmail(email, now) : accounts.byId(account, now), call, credits, null, now)
      }),
    /**
     * Refunds a charged read as credits of the current month.
     *
     * @throws Refusal unknown_id; already_refunded; conflict for a closed account or a free read
     */
    refund: (useId: string, call: CreditCall, now: Date): GivenCredits =>
      inTransaction(() => {
        const use = creditEntries.findUse(useId)
        if (!use) throw new Refusal('unknown_id', {}, UNKNOWN_USE)
        const refund = creditEntries.findRefund(useId)
        if (refund) throw new Refusal('already_refunded', { refund_id: refund.id, refunded_at: refund.at })
        if (use.credits === 0) throw new Refusal('conflict', {}, FREE)
        return add(accounts.byId(use.accountId, now), call, use.credits, useId, now)
      }),
  }
}

export type CreditAdjuster = ReturnType<typeof createCreditAdjuster>

const UNKNOWN_ACCOUNT: Words = {
  en: 'No active account has this id or e-mail address. Check it, or ask the owner to sign in first.',
  zh: '沒有此識別碼或電子郵件地址的有效帳戶。請檢查，或請其擁有者先登入。',
}
const UNKNOWN_USE: Words = {
  en: 'No charged read has this request id. Copy it from the usage ledger or the header X-Request-Id.',
  zh: '查無此請求編號的計費讀取。請由用量明細或 X-Request-Id 標頭複製。',
}
const CLOSED: Words = {
  en: 'The account is closed. Credits can be given to active accounts only.',
  zh: '此帳戶已關閉。僅能對有效帳戶贈點或退點。',
}
const FREE: Words = { en: 'The read cost no credits. There is nothing to refund.', zh: '此次讀取未扣點數，無需退點。' }
