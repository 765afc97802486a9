import type { PlanId } from '../../catalog/index.ts'
import { type Limits, taipei } from '../core/index.ts'
import { type Database, effectivePlan, IS_API_KEY, type PlanSources, planColumns } from '../state/index.ts'

export const STANDINGS = ['active', 'suspended', 'closed'] as const
export type Standing = (typeof STANDINGS)[number]

export type OwnLimits = { readonly [Name in keyof Limits]: number | null }

export interface AccountEntry {
  readonly id: string
  readonly email: string | null
  readonly standing: Standing
  readonly plan: PlanId
  readonly createdAt: string
  readonly activeKeys: number
  /** Null if there was no charged read. */
  readonly lastUsedAt: string | null
}

export interface AccountFilter {
  /** Part of a mail address, the last characters of a key, or an id. */
  readonly text: string | null
  readonly standing: Standing | null
  readonly plan: PlanId | null
  /** Id of an account. Selects accounts that were created earlier. */
  readonly before: string | null
  readonly limit: number
}

export interface AccountNote {
  readonly at: string
  readonly author: string
  readonly text: string
}

export interface AccountMail {
  readonly at: string
  readonly kind: string
  readonly subject: string
  readonly state: 'waiting' | 'sent' | 'given_up'
  readonly lastError: string | null
}

type StoredEntry = Omit<AccountEntry, 'plan'> & PlanSources

const LIST = `SELECT a.id, a.email, a.created_at AS createdAt,
  CASE WHEN a.status = 'closed' THEN 'closed' WHEN s.account_id IS NULL THEN 'active' ELSE 'suspended' END AS standing,
  (SELECT count(*) FROM api_key WHERE account_id = a.id AND ${IS_API_KEY} AND status = 'active'
    AND (expires_at IS NULL OR expires_at > @now)) AS activeKeys,
  (SELECT max(last_used_at) FROM api_key WHERE account_id = a.id) AS lastUsedAt,
  ${planColumns('a.id')}
  FROM account a LEFT JOIN account_suspension s ON s.account_id = a.id
  WHERE (@before IS NULL OR (a.created_at, a.id) < (SELECT created_at, id FROM account WHERE id = @before))
    AND (@standing IS NULL OR @standing = standing)
    AND (@text IS NULL OR a.id = @text OR a.customer_id = @text OR instr(a.email_key, @key) > 0
      OR a.id IN (SELECT account_id FROM api_key WHERE id = @text OR last4 = @text)
      OR a.id IN (SELECT account_id FROM subscription WHERE id = @text OR customer_id = @text))
  ORDER BY a.created_at DESC, a.id DESC`

/** Reads mails of the last day from the outbox, older mails from `account_mail`. */
const MAILS = `SELECT created_at AS at, kind, subject, state, last_error AS lastError FROM mail_outbox
    WHERE lower(to_address) = (SELECT email_key FROM account WHERE id = @accountId)
  UNION ALL SELECT at, kind, subject, state, last_error FROM account_mail WHERE account_id = @accountId
  ORDER BY at DESC LIMIT @limit`

export function createAccountAdministration(db: Database) {
  const list = db.prepare<object, StoredEntry>(LIST)
  const suspend = db.prepare('INSERT INTO account_suspension (account_id, reason, at) VALUES (?, ?, ?) ON CONFLICT DO NOTHING')
  const restore = db.prepare('DELETE FROM account_suspension WHERE account_id = ?')
  const limits = db.prepare<[string], OwnLimits>(
    `SELECT row_limit AS rowLimit, requests_per_minute AS requestsPerMinute, requests_at_once AS requestsAtOnce,
     credits_per_month AS creditsPerMonth FROM account_limit WHERE account_id = ?`,
  )
  const setLimits = db.prepare(
    `INSERT OR REPLACE INTO account_limit (account_id, row_limit, requests_per_minute, requests_at_once, credits_per_month)
     VALUES (@accountId, @rowLimit, @requestsPerMinute, @requestsAtOnce, @creditsPerMonth)`,
  )
  const removeLimits = db.prepare('DELETE FROM account_limit WHERE account_id = ?')
  const addNote = db.prepare('INSERT INTO account_note (account_id, at, author, text) VALUES (?, ?, ?, ?)')
  const notes = db.prepare<[string], AccountNote>('SELECT at, author, text FROM account_note WHERE account_id = ? ORDER BY id DESC')
  const mails = db.prepare<object, AccountMail>(MAILS)
  const lastSignIn = db.prepare<[string], string | null>('SELECT max(created_at) FROM session WHERE account_id = ?').pluck()
  const grantNote = db.prepare<[string], string | null>('SELECT note FROM plan_grant WHERE account_id = ?').pluck()
  return {
    /** Newest first. Also returns whether there are more accounts. */
    list({ plan: planId, limit, ...filter }: AccountFilter, now: Date) {
      const at = taipei(now)
      const entries: AccountEntry[] = []
      for (const stored of list.iterate({ ...filter, key: filter.text?.toLowerCase() ?? null, now: at })) {
        const { id, email, standing, createdAt, activeKeys, lastUsedAt } = stored
        const { plan } = effectivePlan(stored, at)
        if (planId !== null && plan !== planId) continue
        entries.push({ id, email, standing, plan, createdAt, activeKeys, lastUsedAt })
        if (entries.length > limit) break
      }
      return { entries: entries.slice(0, limit), more: entries.length > limit }
    },
    /**
     * @param reason shown to the account's owner
     * @returns false if the account was already suspended
     */
    suspend: (accountId: string, reason: string, now: Date): boolean => suspend.run(accountId, reason, taipei(now)).changes === 1,
    restore: (accountId: string): boolean => restore.run(accountId).changes === 1,
    ownLimits: (accountId: string): OwnLimits => limits.get(accountId) ?? NO_LIMITS,
    setOwnLimits(accountId: string, own: OwnLimits): void {
      if (Object.values(own).every(limit => limit === null)) removeLimits.run(accountId)
      else setLimits.run({ accountId, ...own })
    },
    addNote: (accountId: string, { at, author, text }: AccountNote): void => void addNote.run(accountId, at, author, text),
    notes: (accountId: string): readonly AccountNote[] => notes.all(accountId),
    /** Mails of the last 90 days, newest first. */
    mails: (accountId: string, limit: number): readonly AccountMail[] => mails.all({ accountId, limit }),
    /** Null if there was no sign-in for about 37 days. */
    lastSignInAt: (accountId: string): string | null => lastSignIn.get(accountId) ?? null,
    grantNote: (accountId: string): string | null => grantNote.get(accountId) ?? null,
  }
}

const NO_LIMITS: OwnLimits = { rowLimit: null, requestsPerMinute: null, requestsAtOnce: null, creditsPerMonth: null }

export type AccountAdministration = ReturnType<typeof createAccountAdministration>
