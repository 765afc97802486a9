import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openState } from '../../src/state/db.ts'
import { inspectBackup } from '../../src/state/index.ts'
import { callers } from '../behaviour/restarts/callers.ts'
import { serving } from '../fixtures/cli/twmd.ts'
import { SECRETS } from '../support.ts'
import { accountsOf, FIRMS, type Folder, inState, preparedFolder } from './folder.ts'

let folder: Folder
let good: Buffer
/** Folder for damaged copies. */
let bench: string
beforeAll(async () => {
  folder = await preparedFolder(3)
  bench = join(folder.dir, 'bench')
  mkdirSync(bench)
  folder.inspect(db => {
    const { id, accountId } = db.prepare('SELECT id, account_id AS accountId FROM api_key').get() as { id: string; accountId: string }
    const insert = db.prepare("INSERT INTO usage_ledger VALUES (?, ?, ?, 'events', '2026-07-01T20:00:00.000+08:00', 2, 5)")
    for (let index = 0; index < 500; index++) insert.run(`req_${index}`, accountId, id)
  })
  expect((await folder.run(['backup', join(bench, 'good')])).code).toBe(0)
  good = readFileSync(join(bench, 'good'))
})
afterAll(() => folder.remove())

/** SHA-256 of every file in the data folder. */
const contents = (): Readonly<Record<string, string>> =>
  Object.fromEntries(
    readdirSync(folder.dir, { recursive: true, withFileTypes: true })
      .filter(entry => entry.isFile() && !/-shm$|\.lock$/.test(entry.name))
      .map(({ parentPath, name }) => join(parentPath, name))
      .map(file => [file, createHash('sha256').update(readFileSync(file)).digest('hex')]),
  )

function copy(name: string, bytes: Uint8Array | string): string {
  const file = join(bench, name)
  writeFileSync(file, bytes)
  return file
}

/** The backup with one flipped bit. */
function flipped(position: number): Buffer {
  const bytes = Buffer.from(good)
  bytes[position]! ^= 1 << (position % 8)
  return bytes
}

const isWhole = (file: string): boolean => {
  try {
    return inspectBackup(file).accounts === 3
  } catch {
    return false
  }
}

describe('R2: damaged backups', () => {
  it('the verification of a backup finds a flipped bit at any of 560 places in a backup', () => {
    expect(isWhole(copy('as-it-was', good))).toBe(true)
    const passed: number[] = []
    for (let position = 0; position < good.length; position += Math.floor(good.length / 500))
      if (isWhole(copy('flipped', flipped(position)))) passed.push(position)
    for (let back = 1; back <= 60; back++) if (isWhole(copy('flipped', flipped(good.length - back)))) passed.push(-back)
    expect(passed).toEqual([])
  })

  it('the verification of a backup detects that a backup was cut off at any of 140 places, except where only the seal is missing', () => {
    const lengths = [
      ...Array.from({ length: 100 }, (_, index) => index + 1),
      ...Array.from({ length: 40 }, (_, index) => 4_096 * (index + 1)),
    ]
    const passed = lengths.filter(cut => cut < good.length && isWhole(copy('cut', good.subarray(0, good.length - cut))))
    expect(passed).toEqual([good.length % 4_096])
    expect(isWhole(copy('longer', Buffer.concat([good, Buffer.from('x')])))).toBe(false)
  })

  it('twmd restore refuses damaged backups with exit code 1 and one sentence, and changes nothing', async () => {
    const foreign = join(bench, 'foreign')
    const other = openState(':memory:')
    other.exec(`VACUUM INTO '${foreign}'`)
    other.close()
    const refused: readonly (readonly [string, string])[] = [
      ['flipped', copy('flipped', flipped(good.length >> 1))],
      ['another program’s', copy('strange', strange())],
      ['missing', join(bench, 'missing')],
      ['a folder', bench],
    ]
    for (const [what, file] of refused) {
      const before = contents()
      for (const args of what === 'flipped'
        ? [
            ['restore', file],
            ['restore', file, '--verify'],
          ]
        : [['restore', file]]) {
        const { code, stdout, stderr } = await folder.run(args)
        expect([what, code, stdout]).toEqual([what, 1, ''])
        expect(stderr.trimEnd(), what).toMatch(/^[A-Z][^\n]{10,}\.$/)
        expect(stderr).not.toMatch(/\n\s+at |node_modules/)
      }
      expect(contents(), what).toEqual(before)
    }
    expect(folder.inspect(accountsOf)).toMatchObject({ check: 'ok', ledger: 500 })
  })

  it('twmd restore refuses a backup of a newer version', async () => {
    const newer = join(bench, 'newer.sqlite')
    cpSync(join(bench, 'good'), newer)
    inState(newer, db => db.pragma('user_version = 99'))
    // Without a seal, as when an operator copies the state file of a stopped service.
    const before = contents()
    const { code, stderr } = await folder.run(['restore', newer])
    expect([code, stderr]).toEqual([1, expect.stringContaining('newer version of twmd')])
    expect(contents()).toEqual(before)
  })
})

/** A valid SQLite file of another program. */
function strange(): Buffer {
  const file = join(bench, 'strange.sqlite')
  const db = openState(file)
  db.exec('DROP TABLE usage_ledger')
  db.pragma('journal_mode = DELETE')
  db.close()
  const bytes = readFileSync(file)
  rmSync(file)
  return bytes
}

describe('R2: restore', () => {
  it('twmd restore is refused while a service runs, and the service keeps answering', async () => {
    const { url, child, stop } = await serving(folder.dir, 'serve', SECRETS)
    const load = callers(4, `${url}${FIRMS}`, folder.keys)
    await load.more(20)
    const { code, stderr } = await folder.run(['restore', join(bench, 'good')])
    expect([code, stderr.trim()]).toEqual([1, `${folder.stateDb} is in use by process ${child.pid}. Stop it first.`])
    await load.more(20)
    await load.stop()
    expect(load.refused).toEqual([])
    expect(await stop()).toBe(0)
  })

  it('twmd restore ignores the process id file of a killed service', async () => {
    writeFileSync(`${folder.stateDb}.pid`, String(process.pid))
    expect((await folder.run(['restore', join(bench, 'good')])).code).toBe(0)
    expect(existsSync(`${folder.stateDb}.pid`)).toBe(false)
  })

  it('twmd restore keeps the previous state, including its write-ahead log, and can restore it', async () => {
    const { url, child } = await serving(folder.dir, 'serve', SECRETS)
    const load = callers(4, `${url}${FIRMS}`, folder.keys)
    await load.more(50)
    child.kill('SIGKILL')
    await load.stop()
    expect(readdirSync(folder.dir)).toContain('state.sqlite-wal')
    const ledgerOf = async (args: readonly string[]) => JSON.parse((await folder.run([...args, '--json'])).stdout).ledgerRows
    expect(await ledgerOf(['restore', join(bench, 'good')])).toBe(500)
    expect(folder.inspect(accountsOf)).toMatchObject({ check: 'ok', ledger: 500 })
    const former = await ledgerOf(['restore', `${folder.stateDb}.before-restore`])
    expect(former).toBeGreaterThanOrEqual(550)
    expect(folder.inspect(accountsOf)).toMatchObject({ check: 'ok', ledger: former, daily: former - 500 })
    expect(await ledgerOf(['restore', `${folder.stateDb}.before-restore`])).toBe(500)
  })
})
