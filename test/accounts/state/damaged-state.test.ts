import { closeSync, fstatSync, openSync, readFileSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { readEmail } from '../../../src/accounts/index.ts'
import { SECRETS, service, type TestService } from '../../support.ts'
import { type Folder, preparedFolder } from './folder.ts'

const PAGE = 4_096

/** Overwrites a file in place, from a page on to its end. */
function overwrite(path: string, page: number): void {
  const file = openSync(path, 'r+')
  const bytes = fstatSync(file).size - page * PAGE
  writeSync(file, Buffer.alloc(bytes, 'overwritten '), 0, bytes, page * PAGE)
  closeSync(file)
}

describe('/readyz on a state file that is overwritten while it is served', () => {
  let s: TestService
  beforeEach(async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    s = await service()
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
  const UNREADY = [503, 'the state file does not answer']

  it.each([
    ['whole', 0],
    ['but for its first page', 1],
  ])('%s is not ready, and ready again once the file is put back', async (_, page) => {
    const file = join(s.dir, 'state.sqlite')
    const read = (key: string) => s.get('/v2/account/entitlements', key).then(({ statusCode }) => statusCode)
    const key = s.keyOn('max')
    s.control.db.pragma('wal_checkpoint(TRUNCATE)')
    expect([await read(key), await ready()]).toEqual([200, READY])
    const kept = readFileSync(file)
    overwrite(file, page)
    vi.advanceTimersByTime(1_000)
    expect(await ready()).toEqual(UNREADY)
    expect(await ready()).toEqual(UNREADY)
    const back = openSync(file, 'r+')
    writeSync(back, kept)
    closeSync(back)
    expect([await read(key), await ready()]).toEqual([200, READY])
  })

  it('reads all keys in turn, so that damage to the last of many is found', async () => {
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

describe('a start on a damaged state file', () => {
  let folder: Folder
  beforeAll(async () => {
    folder = await preparedFolder(1)
  })
  afterAll(() => folder.remove())

  it.each([
    ['of other bytes', () => writeFileSync(folder.stateDb, 'not a state file'.repeat(1_000))],
    ['overwritten but for its first page', () => overwrite(folder.stateDb, 1)],
  ])('%s fails with one sentence that names it and what to do', async (_, spoil) => {
    const kept = readFileSync(folder.stateDb)
    spoil()
    const { code, stderr } = await folder.run(['serve'], { PORT: '0', ...SECRETS })
    writeFileSync(folder.stateDb, kept)
    expect([code, stderr.trim().split('\n')]).toEqual([1, [expect.stringContaining(`The state file ${folder.stateDb} is damaged`)]])
    expect(stderr).toContain('twmd restore <backup>')
  })
})
