import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openControl } from '../../src/control/index.ts'
import { claimState } from '../../src/state/claim.ts'
import { backupState, inspectBackup, restoreState } from '../../src/state/index.ts'
import { MIGRATIONS } from '../../src/state/migrations.ts'
import { SECRETS } from '../support.ts'
import { accountsOf, busyState, type Folder, inState, preparedFolder } from './folder.ts'

let folder: Folder
/** A folder for backups, and a backup of three accounts and 500 uses. */
let bench: string
let good: string
beforeAll(async () => {
  folder = await preparedFolder(3)
  bench = join(folder.dir, 'bench')
  mkdirSync(bench)
  const busy = await busyState(folder.stateDb, 500)
  await busy.stop()
  good = join(bench, 'good')
  await backupState(folder.stateDb, good)
})
afterAll(() => folder.remove())

/**
 * Creates an empty folder.
 * @returns the path of a state file in it
 */
function emptyState(name: string): string {
  const dir = join(bench, name)
  mkdirSync(dir)
  return join(dir, 'state.sqlite')
}

describe('R2: backup', () => {
  it('a backup taken while uses are recorded is consistent', async () => {
    const stateDb = emptyState('busy')
    cpSync(good, stateDb)
    const writes = await busyState(stateDb, 0, 1_000_000)
    const file = join(bench, 'busy.backup')
    const { ledgerRows } = await backupState(stateDb, file)
    await expect.poll(writes.made).toBeGreaterThan(1_000_000)
    await writes.stop()
    expect(inspectBackup(file)).toMatchObject({ accounts: 3, activeKeys: 3, ledgerRows, schemaVersion: MIGRATIONS.length })
    const { ledger, daily, period, check } = inState(file, accountsOf)
    expect([ledger, daily, period, check]).toEqual([ledgerRows, ledgerRows, ledgerRows, 'ok'])
  })

  it('a backup is one file of mode 0600, also after it is inspected', async () => {
    const target = dirname(emptyState('alone'))
    await backupState(folder.stateDb, join(target, 'state.backup'))
    inspectBackup(join(target, 'state.backup'))
    expect(readdirSync(target)).toEqual(['state.backup'])
    expect(statSync(join(target, 'state.backup')).mode & 0o777).toBe(0o600)
  })

  it('a backup refuses an existing target and a missing state file', async () => {
    const before = readFileSync(good)
    await expect(backupState(folder.stateDb, good)).rejects.toThrow('already exists')
    expect(readFileSync(good)).toEqual(before)
    const missing = join(bench, 'missing.sqlite')
    await expect(backupState(missing, join(bench, 'none.backup'))).rejects.toThrow('There is no state file')
    expect([existsSync(missing), existsSync(join(bench, 'none.backup'))]).toEqual([false, false])
  })

  it('a backup keeps the schema version of an older state file', async () => {
    const file = emptyState('older')
    cpSync(good, file)
    inState(file, db => db.pragma('user_version = 1'))
    expect(await backupState(file, join(bench, 'older.backup'))).toMatchObject({ schemaVersion: 1, accounts: 3 })
  })
})

describe('R2: restore', () => {
  it('a restored backup has the same row counts, and its keys are valid', async () => {
    const stateDb = emptyState('restored')
    expect(await restoreState(good, stateDb)).toEqual(inspectBackup(good))
    const control = openControl({ stateDb }, SECRETS)
    expect(folder.keys.map(key => control.keys.find(key, new Date()) !== undefined)).toEqual([true, true, true])
    control.close()
  })

  it('restoring keeps the previous state, including its write-ahead log, and can restore it', async () => {
    const stateDb = emptyState('crashed')
    const control = openControl({ stateDb: folder.stateDb }, SECRETS)
    const { id } = control.accounts.byEmail({ address: 'caller0@example.test', key: 'caller0@example.test' }, new Date())!
    control.keys.issue(id, 'only in the log', new Date())
    // The files of a killed service: the last write is only in the log.
    for (const ending of ['', '-wal']) cpSync(folder.stateDb + ending, stateDb + ending)
    control.close()
    await restoreState(good, stateDb)
    expect(inspectBackup(stateDb).activeKeys).toBe(3)
    expect((await restoreState(`${stateDb}.before-restore`, stateDb)).activeKeys).toBe(4)
    expect((await restoreState(`${stateDb}.before-restore`, stateDb)).activeKeys).toBe(3)
  })

  it('restoring is refused while a process uses the state file, and ignores the process id file of a killed service', async () => {
    const stateDb = emptyState('claimed')
    const release = claimState(stateDb)
    await expect(restoreState(good, stateDb)).rejects.toThrow(`${stateDb} is in use by process ${process.pid}. Stop it first.`)
    release()
    writeFileSync(`${stateDb}.pid`, String(process.pid))
    await restoreState(good, stateDb)
    expect(existsSync(`${stateDb}.pid`)).toBe(false)
  })

  it('restoring refuses damaged, truncated, foreign and newer backups and changes nothing', async () => {
    const bytes = readFileSync(good)
    const flipped = (position: number) => Buffer.from(bytes).fill(bytes[position]! ^ (1 << (position % 8)), position, position + 1)
    const newer = join(bench, 'newer.sqlite')
    cpSync(good, newer)
    inState(newer, db => db.pragma('user_version = 99'))
    const stateDb = emptyState('unchanged')
    await restoreState(good, stateDb)
    const before = readFileSync(stateDb)
    const step = Math.floor(bytes.length / 40)
    const damaged: readonly (readonly [what: string, content: Uint8Array | string])[] = [
      ...Array.from({ length: 40 }, (_, index) => [`bit flipped at ${index * step}`, flipped(index * step)] as const),
      ...[1, 20, 43].map(back => [`bit flipped ${back} bytes before the end`, flipped(bytes.length - back)] as const),
      ...[1, 10, 43, 4_096, 5_000, 40_960].map(cut => [`last ${cut} bytes missing`, bytes.subarray(0, bytes.length - cut)] as const),
      ['one byte added', Buffer.concat([bytes, Buffer.from('x')])],
      ['empty', ''],
      ['text', 'not a backup\n'.repeat(1_000)],
      ['newer version', readFileSync(newer)],
    ]
    for (const [what, content] of damaged) {
      const file = join(bench, 'damaged')
      writeFileSync(file, content)
      const outcome = await restoreState(file, stateDb).then(
        () => 'restored',
        () => 'refused',
      )
      expect.soft(outcome, what).toBe('refused')
    }
    expect(readFileSync(stateDb)).toEqual(before)
  })
})
