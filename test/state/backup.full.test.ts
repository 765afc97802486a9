import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { backupState, inspectBackup, type StateFacts } from '../../src/state/index.ts'
import { MIGRATIONS } from '../../src/state/migrations.ts'
import { callers } from '../behaviour/restarts/callers.ts'
import { serving, startTwmd } from '../fixtures/cli/twmd.ts'
import { SECRETS } from '../support.ts'
import { accountsOf, busyState, created, FIRMS, type Folder, inState, preparedFolder } from './folder.ts'

let folder: Folder
beforeAll(async () => {
  folder = await preparedFolder(8)
})
afterAll(() => folder.remove())

const factsFrom = (stdout: string): StateFacts => JSON.parse(stdout) as StateFacts

describe('R2: backup', () => {
  it('a backup made under load is consistent, and after its restore in an empty folder the keys work', async () => {
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
      check: 'ok',
      ledger,
      daily: ledger,
      period: ledger,
      credits: ledger,
      dailyCredits: ledger,
      periodCredits: ledger,
    })
    const again = await serving(empty, 'serve', SECRETS)
    const answer = await fetch(`${again.url}/v2/account/entitlements`, { headers: { 'x-api-key': folder.keys[0]! } })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ plan_id: 'max' })
    expect(await again.stop()).toBe(0)
  })

  it('a backup of 30,000 ledger rows completes while uses are recorded without pause', async () => {
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

  it('twmd backup and twmd restore --verify leave one file, with mode 0600', async () => {
    const target = join(folder.dir, 'alone')
    mkdirSync(target)
    expect((await folder.run(['backup', join(target, 'state.backup')])).code).toBe(0)
    expect(readdirSync(target)).toEqual(['state.backup'])
    expect(statSync(join(target, 'state.backup')).mode & 0o777).toBe(0o600)
    expect((await folder.run(['restore', join(target, 'state.backup'), '--verify'])).code).toBe(0)
    expect(readdirSync(target)).toEqual(['state.backup'])
  })

  it('twmd backup refuses an existing file and a folder without a state file', async () => {
    const file = join(folder.dir, 'kept.backup')
    expect((await folder.run(['backup', file])).code).toBe(0)
    const before = statSync(file)
    const again = await folder.run(['backup', file])
    expect(again.code).not.toBe(0)
    expect(again.stderr).toContain('already exists')
    expect(statSync(file)).toEqual(before)
    const none = await folder.run(['backup', join(folder.dir, 'none.backup')], {}, join(folder.dir, 'nowhere'))
    expect(none.code).not.toBe(0)
    expect(none.stderr).toContain('There is no state file')
    expect(existsSync(join(folder.dir, 'none.backup'))).toBe(false)
    expect(existsSync(join(folder.dir, 'nowhere'))).toBe(false)
  })

  it('if a backup is killed at any moment, its file is complete or absent, and the next backup succeeds', async () => {
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
      // Kills at different times: immediately, and while the copy grows.
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

  it('twmd backup keeps the schema version of an older state file', async () => {
    const file = join(folder.dir, 'old.sqlite')
    inState(file, db => db.exec("INSERT INTO account (id, email_hash, status, created_at) VALUES ('acct_1', x'00', 'active', '2026')"))
    inState(file, db => db.pragma('user_version = 1'))
    const { code, stdout } = await folder.run(['backup', `${file}.backup`, '--json'], { STATE_DB: file })
    expect([code, factsFrom(stdout)]).toEqual([0, expect.objectContaining({ schemaVersion: 1, accounts: 1 })])
  })
})
