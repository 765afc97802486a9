import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ended, startTwmd, twmd } from '../fixtures/cli/twmd.ts'
import { sha256 } from '../fixtures/publish/store.ts'

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

describe('R5 the state file', () => {
  it('of a newer version is refused by every command that opens it, in one sentence, and is left as it is', async () => {
    expect((await createKey()).code).toBe(0)
    const known = version()
    within(db => db.exec(`PRAGMA wal_checkpoint(TRUNCATE); PRAGMA user_version = ${known + 1}`))
    const before = sha256(readFileSync(file()))
    const message = 'The state file was written by a newer version of twmd. Start that version, or restore a backup made by this one.\n'
    expect(await createKey()).toEqual({ code: 2, stdout: '', stderr: message })
    const served = await ended(startTwmd(dir, ['serve'], { PORT: '0', LOG_LEVEL: 'silent' }))
    expect(served).toEqual({ code: 2, stdout: '', stderr: message })
    expect([sha256(readFileSync(file())), version()]).toEqual([before, known + 1])
    within(db => db.exec(`PRAGMA user_version = ${known}`))
    expect((await createKey()).code).toBe(0)
  })

  it('whose upgrade fails half way keeps the schema it had, all of it and nothing more', async () => {
    within(db => db.exec('CREATE TABLE usage_ledger (something_else TEXT)'))
    expect((await createKey()).code).not.toBe(0)
    const tables = within(db => db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all())
    expect([tables.map(({ name }) => name), version()]).toEqual([['usage_ledger'], 0])
    within(db => db.exec('DROP TABLE usage_ledger'))
    expect((await createKey()).code).toBe(0)
  })
})

it('keys create says what an address has to be', async () => {
  const { code, stderr } = await twmd(dir, 'keys', 'create', '--email', 'no address', '--plan', 'free')
  expect([code === 0, stderr.trim()]).toEqual([false, '--email must be one plain address, for example analyst@example.com.'])
})

it.each([
  ['note\nbook', '--name must have no characters that cannot be seen, such as ends of lines.'],
  ['\u3164', '--name must have no characters that cannot be seen, such as ends of lines.'],
  ['  ', '--name must have 1 to 64 characters; it had 0.'],
  ['n'.repeat(65), '--name must have 1 to 64 characters; it had 65.'],
])('keys create refuses the name %j and makes nothing', async (name, said) => {
  expect((await createKey()).code).toBe(0)
  const { code, stdout, stderr } = await twmd(dir, 'keys', 'create', '--email', 'b@example.com', '--plan', 'free', '--name', name)
  expect([code === 0, stdout, stderr.trim()]).toEqual([false, '', said])
  expect(within(db => db.prepare('SELECT count(*) AS accounts FROM account').get())).toEqual({ accounts: 1 })
})

it('keys create leaves out the blanks around a name', async () => {
  await twmd(dir, 'keys', 'create', '--email', 'b@example.com', '--plan', 'free', '--name', ' 夜間 匯入 ')
  expect(within(db => db.prepare('SELECT name FROM api_key').get())).toEqual({ name: '夜間 匯入' })
})
