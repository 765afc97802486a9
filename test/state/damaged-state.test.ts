import { closeSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { readEmail } from '../../src/accounts/index.ts'
import { openControl } from '../../src/control/index.ts'
import { SECRETS, service, type TestService } from '../support.ts'
import { overwrite, preparedFolder } from './folder.ts'

describe('/readyz', () => {
  let s: TestService
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    s = await service({ examples: false })
    await s.publish('securities-firm-master', s.dataset('securities-firm-master').example)
  })
  afterEach(async () => {
    await s.close()
    vi.useRealTimers()
  })

  const ready = async () => {
    const { statusCode, body } = await s.get('/readyz')
    return [statusCode, JSON.parse(body).checks.state]
  }
  const READY = [200, 'ok']
  const UNREADY = [503, 'the state file does not respond']

  it.each([
    ['every page', 0],
    ['all pages after the first', 1],
  ])('/readyz reports 503 after %s of the state file were overwritten, and 200 after the file is replaced', async (_, page) => {
    const file = join(s.dir, 'state.sqlite')
    const read = (key: string) => s.get('/v2/account/entitlements', key).then(({ statusCode }) => statusCode)
    const key = s.keyOn('max')
    s.control.db.pragma('wal_checkpoint(TRUNCATE)')
    expect([await read(key), await ready()]).toEqual([200, READY])
    const backup = readFileSync(file)
    overwrite(file, page)
    vi.advanceTimersByTime(1_000)
    expect(await ready()).toEqual(UNREADY)
    expect(await ready()).toEqual(UNREADY)
    const back = openSync(file, 'r+')
    writeSync(back, backup)
    closeSync(back)
    expect([await read(key), await ready()]).toEqual([200, READY])
  })

  it('/readyz finds damage in the last of 500 keys within ten checks', async () => {
    s.keyOn('max')
    const { id } = s.control.accounts.byEmail(readEmail('max@example.test')!, s.now())!
    for (let count = 1; count < 500; count++) s.control.keys.issue(id, `key ${count}`, s.now())
    s.control.db.pragma('foreign_keys = OFF')
    s.control.db.prepare("UPDATE api_key SET account_id = 'nobody' WHERE rowid = 500").run()
    const verdicts: unknown[] = []
    for (let count = 0; count < 11; count++) {
      vi.advanceTimersByTime(1_000)
      verdicts.push((await ready())[0])
    }
    expect(verdicts.indexOf(503)).toBeGreaterThan(5)
    expect(verdicts.at(-1)).toBe(503)
  })
})

it('if a request reads damaged pages of the state file, it is refused with the error "integrity"', async () => {
  const s = await service({ examples: false })
  const key = s.keyOn('max')
  const usage = () => s.get('/v2/account/usage-summary', key)
  s.control.db.pragma('wal_checkpoint(TRUNCATE)')
  expect((await usage()).statusCode).toBe(200)
  overwrite(join(s.dir, 'state.sqlite'), 1)
  s.control.db.pragma('shrink_memory')
  const { statusCode, body } = await usage()
  await s.close()
  expect([statusCode, JSON.parse(body).error.error_code]).toEqual([500, 'integrity'])
})

/** The file with one bit flipped in the table name of each foreign key to `account`. */
function renamed(file: Buffer): Buffer {
  const changed = Buffer.from(file)
  const reference = 'REFERENCES account'
  for (let start = changed.indexOf(reference); start >= 0; start = changed.indexOf(reference, start + 1))
    changed.write('accownt', start + 'REFERENCES '.length)
  return changed
}

it('opening a damaged state file throws an error that names the file and twmd restore', async () => {
  const folder = await preparedFolder(1)
  const intact = readFileSync(folder.stateDb)
  for (const [what, damage] of [
    ['other bytes', () => writeFileSync(folder.stateDb, 'not a state file'.repeat(1_000))],
    ['overwritten after the first page', () => overwrite(folder.stateDb, 1)],
    ['another table name in a foreign key', () => writeFileSync(folder.stateDb, renamed(intact))],
  ] as const) {
    damage()
    expect
      .soft(() => openControl({ stateDb: folder.stateDb }, SECRETS).close(), what)
      .toThrow(`The state file ${folder.stateDb} is damaged`)
    expect.soft(() => openControl({ stateDb: folder.stateDb }, SECRETS).close(), what).toThrow('twmd restore <backup>')
    writeFileSync(folder.stateDb, intact)
  }
  await folder.remove()
})
