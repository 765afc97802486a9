import { appendFileSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readEmail } from '../../../src/accounts/index.ts'
import { openControl } from '../../../src/control/index.ts'
import { taipei } from '../../../src/core/index.ts'
import { runTwmd } from '../../fixtures/cli/in-process.ts'
import { type Folder, inState, preparedFolder } from '../../state/folder.ts'
import { SECRETS } from '../../support.ts'

let folder: Folder
let backups: string
beforeEach(async () => {
  folder = await preparedFolder(2)
  backups = join(folder.dir, 'backups')
  mkdirSync(backups)
  await uses(3)
})
afterEach(() => folder.remove())

let made = 0
/** Records uses of one credit each, which are one hour old. */
async function uses(count: number): Promise<void> {
  const control = openControl(folder, SECRETS)
  const { keyId, accountId } = control.db.prepare('SELECT id AS keyId, account_id AS accountId FROM api_key').get() as Record<
    'keyId' | 'accountId',
    string
  >
  const occurredAt = new Date(Date.now() - 3_600_000 + made * 1_000).toISOString()
  for (let n = 0; n < count; n++)
    await control.ledger.record({
      requestId: `req_${String(made++).padStart(26, '0')}`,
      accountId,
      keyId,
      dataset: 'events',
      at: occurredAt,
      credits: 1,
      rows: 1,
    })
  control.close()
}
const run = (args: readonly string[], secrets: Readonly<Record<string, string>> = {}) =>
  runTwmd(folder.dir, args, { ...SECRETS, ...secrets })
const backup = () => run(['backup', backups, '--json'])
const drill = async (folder = backups, secrets = {}) => {
  const { code, stdout, stderr } = await run(['drill', folder, '--json'], secrets)
  return { code, stderr, report: stdout === '' ? null : JSON.parse(stdout) }
}

it('twmd drill restores the newest backup to a temporary folder and reports what a restore would lose', async () => {
  expect((await backup()).code).toBe(0)
  expect(await drill()).toMatchObject({
    code: 0,
    report: { usesSince: 0, accountsSince: 0, keysSince: 0, faults: [], backup: { ledgerRows: 3 } },
  })
  const control = openControl(folder, SECRETS)
  const { id } = control.accounts.ensure(readEmail('late@example.test')!, new Date())
  control.keys.issue(id, 'late', new Date())
  control.close()
  expect(await drill()).toMatchObject({ code: 0, report: { usesSince: 0, accountsSince: 1, keysSince: 1, live: { accounts: 3 } } })
  const { stdout } = await run(['drill', backups])
  expect(stdout).toMatch(
    /2 accounts, 2 active keys and 3 uses of 3 credits\.\n.*lose 0 uses, 1 accounts and 1 keys.*\nThe backup is good\.\n$/,
  )
  expect(readdirSync(join(folder.dir, 'tmp'))).toEqual([])
})

it('twmd drill rejects an incomplete, foreign or damaged backup and wrong secrets', async () => {
  await backup()
  const [file] = readdirSync(backups).map(name => join(backups, name))
  // A use that is one hour old but missing in the backup, so it counts as lost.
  await uses(1)
  expect(await drill()).toMatchObject({
    code: 1,
    report: { usesSince: 1, faults: [expect.stringMatching(/has 3 uses \(3 credits\), but the current state file has 4 \(4 credits\)/)] },
  })
  folder.inspect(db => db.exec('DELETE FROM usage_daily'))
  expect((await drill()).code).toBe(1)
  const other = await drill(file, { KEY_PEPPER: 'another pepper of some other service' })
  expect(other).toMatchObject({
    code: 1,
    report: { faults: expect.arrayContaining([expect.stringMatching(/cannot start with the backup/)]) },
  })
  folder.inspect(db => db.exec('DELETE FROM usage_ledger'))
  expect((await drill()).report.faults[0]).toMatch(/^3 uses of the backup are not in the current state file/)
  appendFileSync(file!, 'x')
  expect(await drill()).toMatchObject({ code: 1, report: null, stderr: expect.stringMatching(/^The backup is incomplete or was changed/) })
  rmSync(file!)
  expect(await drill()).toMatchObject({ code: 2, stderr: expect.stringContaining('No backup in') })
})

it('twmd backup --keep deletes older backups and no other files', async () => {
  writeFileSync(join(backups, 'notes.txt'), 'mine')
  for (const day of ['20260101', '20260102', '20260103']) inState(join(backups, `state-${day}T000000Z.sqlite`), () => {})
  expect((await run(['backup', backups, '--keep', '2'])).code).toBe(0)
  const left = readdirSync(backups).filter(name => !/-(wal|shm)$/.test(name))
  expect(left).toEqual(['notes.txt', 'state-20260103T000000Z.sqlite', expect.stringMatching(/^state-20\d{6}T\d{6}Z\.sqlite$/)])
  for (const [args, message] of [
    [['backup', join(backups, 'one.sqlite'), '--keep', '2'], /--keep needs an existing folder/],
    [['backup', backups, '--keep', '0'], /whole number from 1/],
  ] as const) {
    const { code, stderr } = await run(args)
    expect([code === 0, stderr]).toEqual([false, expect.stringMatching(message)])
  }
})

it('twmd drill accepts a reopened account, and rejects monthly sums that differ from the ledger', async () => {
  const control = openControl(folder, SECRETS)
  const [email, now] = [readEmail('again@example.test')!, new Date()]
  const first = control.accounts.ensure(email, now).id
  const { keyId } = control.keys.issue(first, 'first', now)
  await control.ledger.record({ requestId: 'req_again', accountId: first, keyId, dataset: 'events', at: taipei(now), credits: 5, rows: 1 })
  control.accounts.close(first, now)
  const second = control.accounts.ensure(email, now).id
  expect(control.ledger.used(second, taipei(now).slice(0, 7))).toBe(5)
  control.close()
  await backup()
  expect(await drill()).toMatchObject({ code: 0, report: { faults: [] } })
  const [former] = readdirSync(backups)
  folder.inspect(db => db.prepare('UPDATE account_period SET credits = credits + 1 WHERE account_id = ?').run(second))
  rmSync(join(backups, former!))
  await backup()
  expect(await drill()).toMatchObject({ code: 1, report: { faults: [expect.stringMatching(/8 in its ledger, 8 by day, 9 by month/)] } })
})
