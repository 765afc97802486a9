import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { PLANS } from '../../catalog/index.ts'
import { createGate } from '../../src/access/index.ts'
import { readEmail } from '../../src/accounts/index.ts'
import { createLog, readConfig } from '../../src/core/index.ts'
import { openService } from '../../src/main.ts'
import { type Database, openState } from '../../src/state/db.ts'
import { openLedger } from '../../src/usage/ledger.ts'
import { dataFolder, NOW, SECRETS, service, type TestService } from '../support.ts'
import { balanced, type Holder, holder, spend, usageOf } from './ledger.ts'

let s: TestService
beforeAll(async () => {
  s = await service()
})
afterAll(() => s.close())

const FLOWS = '/v2/datasets/institutional-positioning?symbol=2330'
const ALL = PLANS.pro.creditsPerMonth

/** Starts a write transaction of another process. */
function writeThatLasts(): { end(): void } {
  const other = openState(join(s.dir, 'state.sqlite'))
  other.exec('BEGIN IMMEDIATE')
  return {
    end() {
      other.exec('ROLLBACK')
      other.close()
    },
  }
}

describe('M6: state file busy', () => {
  it('reads succeed while the state file is locked and are recorded once afterwards', async () => {
    const account = holder(s, 'pro', 'busy@example.test', NOW)
    const write = writeThatLasts()
    const ids: string[] = []
    for (let turn = 1; turn <= 100; turn++) {
      const { statusCode, headers } = await s.get(FLOWS, account.key)
      expect([statusCode, headers['x-credits-charged'], headers['x-credits-remaining']]).toEqual([200, '2', String(ALL - 2 * turn)])
      ids.push(String(headers['x-request-id']))
    }
    expect(usageOf(s.dir, account.accountId).entries).toEqual([])
    write.end()
    await vi.waitUntil(() => usageOf(s.dir, account.accountId).ledger.requests > 0, { timeout: 10_000 })
    expect(balanced(s.dir, account.accountId)).toEqual({ requests: 100, credits: 200 })
    expect(
      usageOf(s.dir, account.accountId)
        .entries.map(({ request_id }) => request_id)
        .sort(),
    ).toEqual(ids.sort())
    expect((await s.get(FLOWS, account.key)).headers['x-credits-remaining']).toBe(String(ALL - 202))
  })

  it('the last credits are spent only once while the state file is locked', async () => {
    const account = holder(s, 'pro', 'busy-last@example.test', NOW)
    await spend(s, account, ALL, 10, NOW)
    const write = writeThatLasts()
    const first = await Promise.all(Array.from({ length: 4 }, () => s.get(FLOWS, account.key)))
    const rest = await Promise.all(Array.from({ length: 4 }, () => s.get(FLOWS, account.key)))
    expect([...first, ...rest].map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200, 402, 402, 402])
    write.end()
    await vi.waitUntil(() => usageOf(s.dir, account.accountId).ledger.requests > 1, { timeout: 10_000 })
    expect(balanced(s.dir, account.accountId)).toEqual({ requests: 6, credits: ALL })
  })
})

/** Limits the state file to its size and the given number of pages; 0 simulates a full disk. */
const leaveRoom = (db: Database, pages: number): unknown =>
  db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true })) + pages}`)

describe('M6: disk full', () => {
  it('uses on a full disk count in the balance, raise an alert and are recorded when space is available', async () => {
    const account = holder(s, 'pro', 'full@example.test', NOW)
    const db = openState(join(s.dir, 'state.sqlite'), 'NORMAL')
    const alerts: [code: unknown, owed: number][] = []
    const ledger = openLedger(db, (error, owed) => alerts.push([(error as { code: unknown }).code, owed]))
    const gate = createGate({
      fileSecrets: ['signs'],
      keys: s.control.keys,
      ledger,
      creditEntries: s.control.creditEntries,
      clock: () => NOW,
      monotonicNow: () => 0,
    })
    const [grant, flows] = [gate.authenticate(account.key, '192.0.2.1'), s.dataset('institutional-positioning')]
    let read = 0
    const use = () => gate.reserveCredits(grant, flows).settle({ requestId: `req_full_${String(read++).padStart(6, '0')}`, rows: 1 })
    leaveRoom(db, 0)
    for (let turn = 1; turn <= 500; turn++) {
      await Promise.all([use(), use()])
      expect(gate.quotaStatus(grant).balance.used).toBe(4 * turn)
    }
    expect(alerts[0]).toEqual(['SQLITE_FULL', expect.any(Number)])
    expect(alerts[0]![1]).toBeGreaterThan(0)
    // A commit may block the process, so it is not retried with every read.
    expect(alerts.length).toBeLessThan(50)
    expect(balanced(s.dir, account.accountId).requests).toBeLessThan(1_000)
    leaveRoom(db, 1_000_000)
    await vi.waitUntil(() => usageOf(s.dir, account.accountId).ledger.requests >= 1_000, { timeout: 10_000 })
    expect(balanced(s.dir, account.accountId)).toEqual({ requests: 1_000, credits: 2_000 })
    await use()
    expect(balanced(s.dir, account.accountId)).toEqual({ requests: 1_001, credits: 2_002 })
    ledger.close()
    db.close()
  })

  it('the backlog of uses is recorded when the ledger closes, if space is available', async () => {
    const account = holder(s, 'pro', 'stopping@example.test', NOW)
    const db = openState(join(s.dir, 'state.sqlite'), 'NORMAL')
    const ledger = openLedger(db)
    const { accountId, keyId } = account
    const use = { accountId, keyId, dataset: 'events', at: '2026-07-01T20:00:00.000+08:00', credits: 1, rows: 0 }
    leaveRoom(db, 0)
    await Promise.all(Array.from({ length: 500 }, (_, index) => ledger.record({ ...use, requestId: `req_stopping_${index}` })))
    expect(balanced(s.dir, accountId)).toEqual({ requests: 0, credits: 0 })
    leaveRoom(db, 1_000_000)
    ledger.close()
    expect(balanced(s.dir, accountId)).toEqual({ requests: 500, credits: 500 })
    db.close()
  })
})

describe('M6: stop while the disk is full', () => {
  const owedFile = () => join(s.dir, 'state.sqlite.owed')
  const useOf = ({ accountId, keyId }: Holder) => ({
    accountId,
    keyId,
    dataset: 'events',
    at: '2026-07-01T20:00:00.000+08:00',
    credits: 2,
    rows: 0,
  })

  /**
   * Closes a ledger with unrecorded uses while the disk is full.
   * @returns the alerts of `close`
   */
  async function stoppedOwing(account: Holder, ids: readonly string[], before: () => void = () => {}) {
    const db = openState(join(s.dir, 'state.sqlite'), 'NORMAL')
    const alerts: (readonly unknown[])[] = []
    const ledger = openLedger(db, (...alert) => alerts.push(alert))
    leaveRoom(db, 0)
    await Promise.all(ids.map(requestId => ledger.record({ ...useOf(account), requestId })))
    before()
    alerts.length = 0
    ledger.close()
    db.close()
    return alerts
  }
  const idsOf = (name: string, count: number): readonly string[] => Array.from({ length: count }, (_, index) => `req_${name}_${index}`)

  /**
   * Opens and closes a ledger on the state file as a service does.
   * @returns the used credits right after the start
   */
  async function started(account: Holder, room = 1_000_000): Promise<number> {
    const db = openState(join(s.dir, 'state.sqlite'), 'NORMAL')
    const ledger = openLedger(db)
    leaveRoom(db, room)
    ledger.bookSpilled()
    const used = ledger.used(account.accountId, '2026-07')
    ledger.close()
    db.close()
    return used
  }

  it('unrecorded uses are spilled to a file of mode 0600 and booked once at the next start', async () => {
    const account = holder(s, 'pro', 'spilled@example.test', NOW)
    expect((await stoppedOwing(account, idsOf('spilled', 2_830))).every(([, , lost]) => lost === undefined)).toBe(true)
    expect(balanced(s.dir, account.accountId).requests).toBe(0)
    expect(statSync(owedFile()).mode & 0o777).toBe(0o600)
    expect(await started(account)).toBe(5_660)
    expect(balanced(s.dir, account.accountId)).toEqual({ requests: 2_830, credits: 5_660 })
    expect(existsSync(owedFile())).toBe(false)
  })

  it('if uses were not recorded when the process was killed, they are booked once at the next start', async () => {
    const account = holder(s, 'pro', 'killed@example.test', NOW)
    const db = openState(join(s.dir, 'state.sqlite'), 'NORMAL')
    const ledger = openLedger(db)
    leaveRoom(db, 0)
    await Promise.all(idsOf('killed', 600).map(requestId => ledger.record({ ...useOf(account), requestId })))
    expect([ledger.backlogSize(), ledger.unstoredUses()]).toEqual([600, 0])
    // The killed process writes nothing after this.
    db.close()
    expect(await started(account)).toBe(1_200)
    expect(balanced(s.dir, account.accountId)).toEqual({ requests: 600, credits: 1_200 })
  })

  it('uses wait while the state file is read-only, and are recorded when the file is writable', async () => {
    const account = holder(s, 'pro', 'read-only@example.test', NOW)
    const db = openState(join(s.dir, 'state.sqlite'), 'NORMAL')
    const ledger = openLedger(db)
    db.pragma('query_only = ON')
    await ledger.record({ ...useOf(account), requestId: 'req_read_only' })
    expect(balanced(s.dir, account.accountId).requests).toBe(0)
    db.pragma('query_only = OFF')
    expect(ledger.close()).toBe(0)
    db.close()
    expect(balanced(s.dir, account.accountId)).toEqual({ requests: 1, credits: 2 })
  })

  it('after a start on a full disk, spilled uses count in the balance, and the spill file remains until they are recorded', async () => {
    const account = holder(s, 'pro', 'still-full@example.test', NOW)
    await stoppedOwing(account, idsOf('still', 1_000))
    const { size } = statSync(owedFile())
    expect(await started(account, 0)).toBe(2_000)
    expect(statSync(owedFile()).size).toBe(size)
    expect(await started(account)).toBe(2_000)
    expect(balanced(s.dir, account.accountId)).toEqual({ requests: 1_000, credits: 2_000 })
  })

  it('after a crash before the spill file is deleted, no use is recorded twice; a truncated line hides no other use', async () => {
    const account = holder(s, 'pro', 'twice@example.test', NOW)
    await stoppedOwing(account, idsOf('twice', 600))
    const file = readFileSync(owedFile())
    await started(account)
    writeFileSync(owedFile(), Buffer.concat([file, file.subarray(0, 120)]))
    await stoppedOwing(account, idsOf('after', 600))
    expect(await started(account)).toBe(2_400)
    expect(balanced(s.dir, account.accountId)).toEqual({ requests: 1_200, credits: 2_400 })
    expect(existsSync(owedFile())).toBe(false)
    rmSync(`${owedFile()}.refused`)
  })

  it('spilled uses of an unknown key are reported and their file is set aside', async () => {
    const account = holder(s, 'pro', 'unknown@example.test', NOW)
    const uses = idsOf('unknown', 2).map(requestId => ({ ...useOf(account), keyId: 'key_gone', requestId }))
    writeFileSync(owedFile(), uses.map(use => `${JSON.stringify(use)}\n`).join(''))
    const db = openState(join(s.dir, 'state.sqlite'), 'NORMAL')
    const alerts: (readonly unknown[])[] = []
    const ledger = openLedger(db, (...alert) => alerts.push(alert))
    ledger.bookSpilled()
    ledger.close()
    db.close()
    expect(alerts).toEqual([[expect.anything(), 0, 2]])
    expect([existsSync(owedFile()), existsSync(`${owedFile()}.refused`)]).toEqual([false, true])
    rmSync(`${owedFile()}.refused`)
  })

  it('the service books spilled uses before it serves requests', async () => {
    const { dir, remove } = await dataFolder()
    const open = () =>
      openService({
        config: readConfig({ DATA_DIR: dir }),
        secrets: SECRETS,
        log: createLog('info', { write: () => {} }),
        clock: () => NOW,
      })
    const first = await open()
    const { id: accountId } = first.control.accounts.ensure(readEmail('served@example.test')!, NOW)
    const { secret } = first.control.keys.issue(accountId, 'test', NOW)
    const { keyId } = first.control.keys.find(secret, NOW)!
    await first.close()
    const use = { accountId, keyId, dataset: 'events', at: '2026-07-01T20:00:00.000+08:00', credits: 2, rows: 0 }
    writeFileSync(
      join(dir, 'state.sqlite.owed'),
      idsOf('served', 3)
        .map(requestId => `${JSON.stringify({ ...use, requestId })}\n`)
        .join(''),
    )
    const second = await open()
    expect(balanced(dir, accountId)).toEqual({ requests: 3, credits: 6 })
    await second.close()
    await remove()
  })
})

/** A state file whose next commit succeeds but is reported as failed. */
function liesOnce(path: string): Database {
  const db = openState(path, 'NORMAL')
  const transaction = db.transaction.bind(db)
  let lies = 1
  const lying: typeof db.transaction = work => {
    const real = transaction(work)
    const immediate: typeof real.immediate = (...sent) => {
      const result = real.immediate(...sent)
      if (lies-- > 0) throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' })
      return result
    }
    return Object.assign(real.bind(undefined), { ...real, immediate }) as typeof real
  }
  return Object.assign(db, { transaction: lying })
}

describe('M6: commit reported as failed', () => {
  it('if a commit succeeds but is reported as failed, its uses are recorded once', async () => {
    const account = holder(s, 'pro', 'unsure@example.test', NOW)
    const db = liesOnce(join(s.dir, 'state.sqlite'))
    const alerts: unknown[] = []
    const ledger = openLedger(db, error => alerts.push((error as { code: unknown }).code))
    const { accountId, keyId } = account
    const use = { accountId, keyId, dataset: 'events', at: '2026-07-01T20:00:00.000+08:00', credits: 5, rows: 0 }
    expect(ledger.used(accountId, '2026-07')).toBe(0)
    await ledger.record({ ...use, requestId: 'req_unsure_1' })
    await ledger.record({ ...use, requestId: 'req_unsure_2' })
    ledger.close()
    expect(alerts).toEqual(['SQLITE_IOERR_WRITE'])
    expect(balanced(s.dir, accountId)).toEqual({ requests: 2, credits: 10 })
    expect(ledger.used(accountId, '2026-07')).toBe(10)
    db.close()
  })
})
