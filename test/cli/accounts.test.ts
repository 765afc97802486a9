import { readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { twmd } from '../fixtures/cli/in-process.ts'

const EMAIL = 'wang.ming@example.com'

let dir: string
let id: string
let keyId: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twmd-'))
  const made = JSON.parse((await twmd(dir, 'keys', 'create', '--email', EMAIL, '--plan', 'pro', '--json')).stdout)
  id = made.account_id
  keyId = made.key_id
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const state = () => join(dir, 'state.sqlite')
const accounts = (...args: readonly string[]) => twmd(dir, 'accounts', ...args)
/** The JSON that a command prints. */
const json = async (...args: readonly string[]) => {
  const { code, stdout, stderr } = await accounts(...args, '--json')
  expect([code, stderr], args.join(' ')).toEqual([0, ''])
  return JSON.parse(stdout)
}

function within<T>(work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(state())
  try {
    return work(db)
  } finally {
    db.close()
  }
}
const rows = (sql: string): readonly unknown[] =>
  within(db =>
    db
      .prepare(sql)
      .all()
      .map(row => ({ ...row })),
  )
/** Every value of every table, as one text. */
const everything = (): string =>
  JSON.stringify(
    rows("SELECT name FROM sqlite_schema WHERE type = 'table'").map(table => rows(`SELECT * FROM ${(table as { name: string }).name}`)),
  )

/** Adds the rows that reads and payments of an account create. */
function use(): void {
  within(db => {
    db.exec(`INSERT INTO usage_ledger VALUES ('req_1', '${id}', '${keyId}', 'daily-prices', '2026-07-01T20:00:00.000+08:00', 2, 50);
      INSERT INTO usage_daily VALUES ('${id}', '2026-07-01', '${keyId}', 'daily-prices', 1, 2, 50, 0);
      INSERT INTO account_period VALUES ('${id}', '2026-07', 2, 1);
      INSERT INTO subscription (id, account_id, customer_id, status, plan_id, cancel_at_period_end, synced_at)
        VALUES ('sub_1', '${id}', 'cus_1', 'active', 'pro', 0, '2026-07-01T20:00:00.000+08:00');
      INSERT INTO billed_period VALUES ('sub_1', '2026-06-01', '2026-07-01', '2026-06-01', '2026-07-01', 99000);
      UPDATE account SET customer_id = 'cus_1' WHERE id = '${id}'`)
  })
}

it('twmd accounts list prints matching accounts, and twmd accounts show prints the account of an address', async () => {
  await twmd(dir, 'keys', 'create', '--email', 'other@example.com', '--plan', 'free')
  expect((await json('list', '--search', 'WANG')).data).toMatchObject([{ account_id: id, email: EMAIL, plan_id: 'pro', active_keys: 1 }])
  expect((await json('list', '--plan', 'free')).data).toMatchObject([{ email: 'other@example.com' }])
  expect((await accounts('list')).stdout).toMatch(/account +address +status[\s\S]*wang\.ming@example\.com +active +pro/)
  const { stdout } = await accounts('show', EMAIL)
  expect(stdout).toContain(`${id}  ${EMAIL}  active\n`)
  expect(stdout).toContain(keyId)
  expect(await accounts('show', 'missing@example.com')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'There is no account missing@example.com. Find it with twmd accounts list --search.\n',
  })
})

it('twmd accounts creates no state file in a folder without a state file', async () => {
  const empty = await mkdtemp(join(tmpdir(), 'twmd-'))
  const { code, stderr } = await twmd(empty, 'accounts', 'list')
  expect([code, stderr]).toEqual([2, expect.stringContaining('State file not found')])
  expect(() => statSync(join(empty, 'state.sqlite'))).toThrow('ENOENT')
  await rm(empty, { recursive: true })
})

it('twmd accounts suspends, restores, limits and annotates accounts, and records each change in the audit log', async () => {
  expect(await json('suspend', EMAIL, '--reason', 'unpaid invoice')).toMatchObject({ suspension: { reason: 'unpaid invoice' } })
  expect((await accounts('suspend', EMAIL, '--reason', 'a\nb')).stderr).toBe(
    '--reason must not contain invisible characters, for example line breaks.\n',
  )
  expect((await json('list', '--status', 'suspended')).data_count).toBe(1)
  expect(await json('restore', id)).toEqual({ account_id: id, account_status: 'active' })
  const own = { row_limit: 5, requests_per_minute: null, requests_at_once: null, credits_per_month: 0 }
  expect(await json('limits', id, '--rows', '5', '--credits', '0')).toEqual({ account_id: id, own_limits: own })
  expect((await accounts('limits', id, '--rows', 'plan', '--credits', 'plan')).stdout).toBe(`${id} has the limits of its plan.\n`)
  expect((await accounts('limits', id, '--rows', '0')).code).toBe(2)
  expect((await json('note', id, 'called about an invoice')).notes).toMatchObject([
    { author: 'operator', text: 'called about an invoice' },
    { author: 'operator', text: 'Suspended: unpaid invoice' },
  ])
  expect(rows('SELECT actor, action FROM audit_log ORDER BY id').slice(2)).toEqual(
    ['account suspended', 'account restored', 'account limits set', 'account limits set', 'account note added'].map(action => ({
      actor: 'operator',
      action,
    })),
  )
})

it('twmd accounts rotate-key prints the new secret once, and revoke-key revokes a key', async () => {
  const rotated = await json('rotate-key', id, keyId, '--overlap-hours', '2')
  expect(rotated).toMatchObject({ key: { api_key: expect.stringMatching(/^sk_live_/) }, former_key: { status: 'active' } })
  expect((await accounts('show', id)).stdout).not.toContain(rotated.key.api_key)
  expect(await json('revoke-key', id, rotated.key.key_id)).toMatchObject({ status: 'revoked' })
  expect((await accounts('rotate-key', id, rotated.key.key_id)).code).toBe(1)
})

it('twmd accounts close requires --yes and names subscriptions to cancel', async () => {
  use()
  expect((await accounts('close', id)).code).toBe(2)
  expect((await accounts('close', id, '--yes')).stdout).toBe(
    `${id} is closed; 1 key is revoked.\nCancel subscription sub_1 at the payment provider.\n`,
  )
})

describe('personal data', () => {
  it('twmd accounts export writes everything about an account without secrets, readable by its owner only', async () => {
    use()
    await accounts('note', id, 'called about an invoice')
    await twmd(dir, 'credits', 'grant', EMAIL, '50', '--reason', 'course of July')
    const out = join(dir, 'export.json')
    expect((await accounts('export', EMAIL, '--out', out)).code).toBe(0)
    expect(statSync(out).mode & 0o777).toBe(0o600)
    const text = readFileSync(out, 'utf8')
    const document = JSON.parse(text)
    expect(document).toMatchObject({
      account: [{ id, email: EMAIL, customer_id: 'cus_1' }],
      notes: [{ text: 'called about an invoice' }],
      plan_grant: [{ plan_id: 'pro', note: 'operator' }],
      keys: [{ id: keyId }],
      subscriptions: [{ id: 'sub_1' }],
      billed_periods: [{ amount: 99_000 }],
      usage_by_month: [{ credits: 2 }],
      usage_ledger: [{ request_id: 'req_1', credits: 2 }],
      credit_entries: [{ kind: 'grant', credits: 50, reason: 'course of July', refunded_request_id: null }],
    })
    expect(document.audit_log.at(-1)).toMatchObject({ action: 'account exported', facts: {} })
    expect(text).not.toMatch(/sk_live_\w|sealed|lookup|hash/)
    // Each table with an account_id is exported, or listed here because the export needs nothing
    // from it.
    const tables = rows(
      "SELECT DISTINCT m.name FROM sqlite_schema m, pragma_table_info(m.name) c WHERE m.type = 'table' AND c.name = 'account_id'",
    )
    expect(tables.map(table => (table as { name: string }).name).sort()).toEqual([
      ...[
        'account_erasure',
        'account_limit',
        'account_mail',
        'account_note',
        'account_period',
        'account_suspension',
        'api_key',
        'audit_log',
      ],
      ...[
        'credit_entry',
        'credit_notice',
        'kept_answer',
        'paid_plan',
        'plan_grant',
        'session',
        'subscription',
        'usage_daily',
        'usage_ledger',
      ],
      'webhook_credits_low',
      'webhook_endpoint',
    ])
    expect((await accounts('export', EMAIL, '--out', out)).code).not.toBe(0)
  })

  it('twmd accounts erase keeps the ledger under the account id and removes all data that identifies the person', async () => {
    use()
    await accounts('note', id, 'called about an invoice')
    await accounts('suspend', id, '--reason', 'unpaid invoice')
    await twmd(dir, 'credits', 'refund', 'req_1', '--reason', 'sorry, Wang Ming')
    within(db =>
      db.exec(`INSERT INTO audit_log (at, actor, action, account_id, facts)
        VALUES ('2026-07-01T20:00:00.000+08:00', 'admin', 'plan granted', '${id}', '{"plan_id":"pro","note":"for Wang Ming"}')`),
    )
    expect((await accounts('erase', id, '--yes')).stderr).toContain('Cancel them at the payment provider')
    within(db => db.exec("UPDATE subscription SET status = 'canceled'"))
    const [digest] = rows(`SELECT hex(email_hash) AS digest FROM account`) as readonly [{ digest: string }]
    expect(await json('erase', id, '--yes')).toMatchObject({ account_id: id, copies: [] })
    const text = everything()
    for (const trace of [EMAIL, 'wang', 'Wang', 'invoice']) expect.soft(text, trace).not.toContain(trace)
    expect(rows('SELECT status, customer_id, email FROM account')).toEqual([{ status: 'closed', customer_id: null, email: null }])
    expect(rows('SELECT hex(email_hash) AS digest FROM account')).not.toEqual([digest])
    expect(rows('SELECT account_id, key_id, credits FROM usage_ledger')).toEqual([{ account_id: id, key_id: keyId, credits: 2 }])
    expect(rows('SELECT kind, credits, reason, use_id FROM credit_entry')).toEqual([
      { kind: 'refund', credits: 2, reason: '', use_id: 'req_1' },
    ])
    const doctor = JSON.parse((await twmd(dir, 'doctor', '--json')).stdout)
    expect(doctor).toContainEqual(expect.objectContaining({ check: 'state', ok: true }))
    expect(rows('SELECT amount FROM billed_period')).toEqual([{ amount: 99_000 }])
    expect(rows("SELECT facts FROM audit_log WHERE action = 'plan granted'")).toContainEqual({ facts: '{"plan_id":"pro"}' })
    expect(rows("SELECT count(*) AS n FROM api_key WHERE status = 'active'")).toEqual([{ n: 0 }])
    for (const bytes of ['', '-wal'].map(ending => readBytes(`${state()}${ending}`))) expect.soft(bytes).not.toContain('wang.ming')
  })

  it('the audit log refuses every later change to the entries of an erased account', async () => {
    await accounts('erase', id, '--yes')
    for (const sql of ["UPDATE audit_log SET facts = '{}'", "UPDATE audit_log SET actor = 'nobody'", 'DELETE FROM audit_log'])
      expect.soft(() => within(db => db.exec(sql)), sql).toThrow('the audit log is append-only')
  })

  it('credit entries allow one change only: removing the reason when an account is erased', async () => {
    await twmd(dir, 'credits', 'grant', EMAIL, '50', '--reason', 'course of July')
    const refuses = (...changes: readonly string[]) => {
      for (const sql of changes) expect.soft(() => within(db => db.exec(sql)), sql).toThrow('credit entries are append-only')
    }
    refuses("UPDATE credit_entry SET reason = ''")
    await accounts('erase', id, '--yes')
    refuses("UPDATE credit_entry SET reason = 'changed'", 'UPDATE credit_entry SET credits = 1', 'DELETE FROM credit_entry')
  })

  it('a new account with the address of an erased account is not linked to the erased account', async () => {
    use()
    within(db => db.exec("UPDATE subscription SET status = 'canceled'"))
    await accounts('erase', id, '--yes')
    const made = JSON.parse((await twmd(dir, 'keys', 'create', '--email', EMAIL, '--plan', 'free', '--json')).stdout)
    expect(made.account_id).not.toBe(id)
    expect(await json('show', made.account_id)).toMatchObject({ payments: { customer_id: null, subscriptions: [] }, credits: { used: 0 } })
  })

  it('restoring a backup erases again the accounts that were erased after the backup', async () => {
    const backup = join(dir, 'backup.sqlite')
    await twmd(dir, 'backup', backup)
    await accounts('erase', id, '--yes')
    const { code, stderr } = await twmd(dir, 'restore', backup)
    expect([code, stderr]).toEqual([0, 'Erased 1 account of the backup again, because erasures also apply to restored data.\n'])
    expect(everything()).not.toContain(EMAIL)
    expect((await json('erase', id, '--yes')).copies).toEqual([`${state()}.before-restore`])
  })
})

function readBytes(path: string): string {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return ''
  }
}
