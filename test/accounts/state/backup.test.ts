import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backupState, inspectBackup, openControl, type StateFacts } from '../../../src/accounts/index.ts'
import { MIGRATIONS } from '../../../src/accounts/state/migrations.ts'
import { callers } from '../../behaviour/restarts/callers.ts'
import { serving, startTwmd } from '../../fixtures/cli/twmd.ts'
import { SECRETS } from '../../support.ts'
import { accountsOf, created, FIRMS, type Folder, inState, preparedFolder } from './folder.ts'

let folder: Folder
beforeAll(async () => {
  folder = await preparedFolder(8)
})
afterAll(() => folder.remove())

const factsFrom = (stdout: string): StateFacts => JSON.parse(stdout) as StateFacts

/** A state file of some thousand pages, and uses recorded in it turn after turn until `stop`. */
async function busyState(stateDb: string) {
  const control = openControl({ stateDb }, SECRETS)
  const { id: keyId, accountId } = control.db.prepare('SELECT id, account_id AS accountId FROM api_key').get() as {
    id: string
    accountId: string
  }
  let made = 0
  const record = () =>
    control.ledger.record({
      requestId: `req_${String(made++).padStart(26, '0')}`,
      ...{ accountId, keyId, dataset: 'events', at: '2026-07-01T20:00:00.000+08:00', credits: 1, rows: 0 },
    })
  await Promise.all(Array.from({ length: 30_000 }, record))
  let over = false
  const writing = (async () => {
    while (!over) await record()
  })()
  return {
    made: () => made,
    async stop() {
      over = true
      await writing
      control.close()
    },
  }
}

describe('R2 a backup', () => {
  it('of a service under load is one moment of it; restored on an empty folder it holds the same, and its keys work', async () => {
    const { url, stop } = await serving(folder.dir, 'serve', SECRETS)
    const load = callers(8, `${url}${FIRMS}`, folder.keys)
    await load.more(200)
    const file = join(folder.dir, 'live.backup')
    const backup = await folder.run(['backup', file, '--json'])
    expect(backup).toMatchObject({ code: 0, stderr: '' })
    await load.more(50)
    await load.stop()
    expect(await stop()).toBe(0)

    const facts = factsFrom(backup.stdout)
    expect(facts).toMatchObject({ accounts: 8, activeKeys: 8, schemaVersion: MIGRATIONS.length })
    expect(facts.ledgerRows).toBeGreaterThanOrEqual(200)
    const empty = join(folder.dir, 'new', 'machine')
    const restored = await folder.run(['restore', file, '--json'], {}, empty)
    expect(restored).toMatchObject({ code: 0, stderr: '' })
    expect(factsFrom(restored.stdout)).toEqual(facts)
    const { ledgerRows: ledger } = facts
    expect(inState(join(empty, 'state.sqlite'), accountsOf)).toEqual({
      ...{ check: 'ok', ledger, daily: ledger, period: ledger, credits: ledger, dailyCredits: ledger, periodCredits: ledger },
    })
    const again = await serving(empty, 'serve', SECRETS)
    const answer = await fetch(`${again.url}/v2/account/entitlements`, { headers: { 'x-api-key': folder.keys[0]! } })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ plan_id: 'max' })
    expect(await again.stop()).toBe(0)
  })

  it('comes to an end although something is written at every turn', async () => {
    const busy = await preparedFolder()
    const writes = await busyState(busy.stateDb)
    const before = writes.made()
    const file = join(busy.dir, 'busy.backup')
    const { ledgerRows } = await backupState(busy.stateDb, file)
    expect(ledgerRows).toBeGreaterThanOrEqual(before - 1)
    await expect.poll(writes.made).toBeGreaterThan(ledgerRows)
    await writes.stop()
    expect(inspectBackup(file).ledgerRows).toBe(ledgerRows)
    await busy.remove()
  })

  it('is one file that only its owner may read, with nothing left beside it', async () => {
    const to = join(folder.dir, 'alone')
    mkdirSync(to)
    expect((await folder.run(['backup', join(to, 'state.backup')])).code).toBe(0)
    expect(readdirSync(to)).toEqual(['state.backup'])
    expect(statSync(join(to, 'state.backup')).mode & 0o777).toBe(0o600)
    expect((await folder.run(['restore', join(to, 'state.backup'), '--verify'])).code).toBe(0)
    expect(readdirSync(to)).toEqual(['state.backup'])
  })

  it('never takes the place of a file, and needs a state file to be of', async () => {
    const file = join(folder.dir, 'kept.backup')
    expect((await folder.run(['backup', file])).code).toBe(0)
    const before = statSync(file)
    const again = await folder.run(['backup', file])
    expect(again.code).not.toBe(0)
    expect(again.stderr).toContain('exists already')
    expect(statSync(file)).toEqual(before)
    const none = await folder.run(['backup', join(folder.dir, 'none.backup')], {}, join(folder.dir, 'nowhere'))
    expect(none.code).not.toBe(0)
    expect(none.stderr).toContain('There is no state file')
    expect(existsSync(join(folder.dir, 'none.backup'))).toBe(false)
    expect(existsSync(join(folder.dir, 'nowhere'))).toBe(false)
  })

  it('killed midway is whole or not there, and the next one of that name is whole', async () => {
    const busy = await preparedFolder()
    const writes = await busyState(busy.stateDb)
    await writes.stop()
    const file = join(busy.dir, 'killed.backup')
    const whole = async () => {
      const { code, stdout } = await busy.run(['restore', file, '--verify', '--json'])
      expect([code, factsFrom(stdout).ledgerRows]).toEqual([0, writes.made()])
      rmSync(file)
    }
    for (const wait of [0, 0, 5, 10, 20]) {
      const child = startTwmd(busy.dir, ['backup', file], SECRETS)
      const gone = once(child, 'exit')
      await created(`${file}.part`, child)
      // The moment of the kill: immediately, and while the copy grows.
      await sleep(wait)
      child.kill('SIGKILL')
      await gone
      if (existsSync(file)) await whole()
    }
    expect((await busy.run(['backup', file])).code).toBe(0)
    await whole()
    expect(readdirSync(busy.dir).filter(name => name.includes('.part'))).toEqual([])
    await busy.remove()
  })

  it('of a file written by an older version is of that version: taking it changes nothing', async () => {
    const file = join(folder.dir, 'old.sqlite')
    inState(file, db => db.exec("INSERT INTO account (id, email_hash, status, created_at) VALUES ('acct_1', x'00', 'active', '2026')"))
    inState(file, db => db.pragma('user_version = 1'))
    const { code, stdout } = await folder.run(['backup', `${file}.backup`, '--json'], { STATE_DB: file })
    expect([code, factsFrom(stdout)]).toEqual([0, expect.objectContaining({ schemaVersion: 1, accounts: 1 })])
  })
})
