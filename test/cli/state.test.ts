import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readConfig } from '../../src/core/index.ts'
import { startService } from '../../src/main.ts'
import { twmd } from '../fixtures/cli/in-process.ts'
import { sha256 } from '../fixtures/publish/store.ts'
import { SECRETS } from '../support.ts'

let dir: string
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twmd-'))
})
afterEach(() => rm(dir, { recursive: true, force: true }))

const file = () => join(dir, 'state.sqlite')
const createKey = () => twmd(dir, 'keys', 'create', '--email', 'analyst@example.com', '--plan', 'free')

function within<T>(work: (db: DatabaseSync) => T): T {
  const db = new DatabaseSync(file())
  try {
    return work(db)
  } finally {
    db.close()
  }
}
const version = (): number => within(db => Number(db.prepare('PRAGMA user_version').get()!['user_version']))

it('R5: a state file of a newer version is refused by commands and the service, and stays unchanged', async () => {
  expect((await createKey()).code).toBe(0)
  const schemaVersion = version()
  within(db => db.exec(`PRAGMA wal_checkpoint(TRUNCATE); PRAGMA user_version = ${schemaVersion + 1}`))
  const before = sha256(readFileSync(file()))
  const message = 'The state file was written by a newer version of twmd. Start that version, or restore a backup made by this one.\n'
  expect(await createKey()).toEqual({ code: 2, stdout: '', stderr: message })
  await expect(startService({ config: readConfig({ DATA_DIR: dir, PORT: '0' }), secrets: SECRETS, log: () => {} })).rejects.toThrow(
    message.trim(),
  )
  expect([sha256(readFileSync(file())), version()]).toEqual([before, schemaVersion + 1])
  within(db => db.exec(`PRAGMA user_version = ${schemaVersion}`))
  expect((await createKey()).code).toBe(0)
})

it('R5: a failed migration leaves the schema of the state file unchanged', async () => {
  within(db => db.exec('CREATE TABLE usage_ledger (something_else TEXT)'))
  expect((await createKey()).code).not.toBe(0)
  const tables = within(db => db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all())
  expect([tables.map(({ name }) => name), version()]).toEqual([['usage_ledger'], 0])
  within(db => db.exec('DROP TABLE usage_ledger'))
  expect((await createKey()).code).toBe(0)
})

it('twmd keys create refuses an invalid --email with an example of a valid address', async () => {
  const { code, stderr } = await twmd(dir, 'keys', 'create', '--email', 'no address', '--plan', 'free')
  expect([code === 0, stderr.trim()]).toEqual([false, '--email must be one plain address, for example analyst@example.com.'])
})

it.each([
  ['note\nbook', '--name must not contain invisible characters, for example line breaks.'],
  ['\u3164', '--name must not contain invisible characters, for example line breaks.'],
  ['  ', '--name must have 1 to 64 characters; it had 0.'],
  ['n'.repeat(65), '--name must have 1 to 64 characters; it had 65.'],
])('twmd keys create refuses --name %j and creates no account', async (name, message) => {
  expect((await createKey()).code).toBe(0)
  const { code, stdout, stderr } = await twmd(dir, 'keys', 'create', '--email', 'b@example.com', '--plan', 'free', '--name', name)
  expect([code === 0, stdout, stderr.trim()]).toEqual([false, '', message])
  expect(within(db => db.prepare('SELECT count(*) AS accounts FROM account').get())).toEqual({ accounts: 1 })
})

it('twmd keys create trims the name of a key', async () => {
  await twmd(dir, 'keys', 'create', '--email', 'b@example.com', '--plan', 'free', '--name', ' 夜間 匯入 ')
  expect(within(db => db.prepare('SELECT name FROM api_key').get())).toEqual({ name: '夜間 匯入' })
})
