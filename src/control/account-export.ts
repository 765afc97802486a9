import { taipei } from '../core/index.ts'
import type { Database } from '../state/index.ts'

type Row = Readonly<Record<string, unknown>>

/** One query per member of the exported JSON. Never select digests, secrets and tokens. */
const QUERIES: Readonly<Record<string, string>> = {
  account: 'SELECT id, email, status, created_at, closed_at, customer_id, credit_mails FROM account WHERE id = @id',
  suspension: 'SELECT reason, at FROM account_suspension WHERE account_id = @id',
  own_limits: 'SELECT row_limit, requests_per_minute, requests_at_once, credits_per_month FROM account_limit WHERE account_id = @id',
  notes: 'SELECT at, author, text FROM account_note WHERE account_id = @id ORDER BY id',
  plan_grant: 'SELECT plan_id, note, granted_at, expires_at FROM plan_grant WHERE account_id = @id',
  keys: `SELECT id, name, last4, status, created_at, expires_at, revoked_at, last_used_at FROM api_key
    WHERE account_id = @id ORDER BY created_at, id`,
  sessions: 'SELECT created_at, last_used_at, expires_at, revoked_at FROM session WHERE account_id = @id ORDER BY created_at',
  sign_in_codes: `SELECT created_at, expires_at, ended_at, guesses FROM onboarding_code
    WHERE email_key = (SELECT email_key FROM account WHERE id = @id) ORDER BY created_at`,
  subscriptions: `SELECT id, customer_id, status, plan_id, current_period_end, cancel_at_period_end, past_due_since, key_id, synced_at
    FROM subscription WHERE account_id = @id ORDER BY id`,
  billed_periods: `SELECT subscription_id, from_at, until_at, starts_at, ends_at, amount FROM billed_period
    WHERE subscription_id IN (SELECT id FROM subscription WHERE account_id = @id) ORDER BY from_at`,
  payment_events: `SELECT id, type, created, received_at, state FROM payment_event WHERE payload ->> 'account' = @id
    OR payload ->> 'subscription' IN (SELECT id FROM subscription WHERE account_id = @id) ORDER BY created, id`,
  mails: `SELECT created_at AS at, kind, to_address, subject, state, last_error FROM mail_outbox
      WHERE lower(to_address) = (SELECT email_key FROM account WHERE id = @id)
    UNION ALL SELECT at, kind, NULL, subject, state, last_error FROM account_mail WHERE account_id = @id ORDER BY at`,
  credit_notices: 'SELECT period, percent, at FROM credit_notice WHERE account_id = @id ORDER BY at',
  webhook_endpoints: `SELECT id, url, description, events, datasets, symbols, state, reason, created_at FROM webhook_endpoint
    WHERE account_id = @id ORDER BY created_at, id`,
  webhook_messages: `SELECT d.endpoint_id, d.event_id, d.state, d.attempts, d.created_at FROM webhook_delivery d
    JOIN webhook_endpoint w ON w.id = d.endpoint_id WHERE w.account_id = @id ORDER BY d.id`,
  usage_by_month: 'SELECT period, requests, credits FROM account_period WHERE account_id = @id ORDER BY period',
  usage_by_day: 'SELECT day, key_id, dataset, requests, credits, rows, errors FROM usage_daily WHERE account_id = @id ORDER BY day',
  audit_log: `SELECT at, actor, action, target, request_id, facts FROM audit_log
    WHERE account_id = @id OR actor = @id ORDER BY id`,
  credit_entries: `SELECT id, kind, at, credits, reason, use_id AS refunded_request_id FROM credit_entry
    WHERE account_id = @id ORDER BY id`,
  usage_ledger: 'SELECT request_id, at, key_id, dataset, credits, rows FROM usage_ledger WHERE account_id = @id ORDER BY request_id',
}

const JSON_COLUMNS: ReadonlySet<string> = new Set(['facts', 'events', 'datasets', 'symbols'])

/** Exports all data of an account as pieces of one JSON document. */
export function createAccountExport(db: Database) {
  const statements = Object.entries(QUERIES).map(([name, sql]) => [name, db.prepare<object, Row>(sql)] as const)
  return function* exportAccount(id: string, now: Date): Generator<string> {
    yield `{"exported_at":${JSON.stringify(taipei(now))}`
    for (const [name, statement] of statements) {
      yield `,\n"${name}":[`
      let isFirst = true
      for (const row of statement.iterate({ id })) {
        yield `${isFirst ? '' : ','}\n${JSON.stringify(withJson(row))}`
        isFirst = false
      }
      yield ']'
    }
    yield '}\n'
  }
}

const withJson = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [name, JSON_COLUMNS.has(name) && typeof value === 'string' ? JSON.parse(value) : value]),
  )
