import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import Sqlite from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formerState, openState } from '../../../src/accounts/state/db.ts'
import { MIGRATIONS } from '../../../src/accounts/state/migrations.ts'
import { CHECKOUT, serving, twmd } from '../../fixtures/cli/twmd.ts'
import { dataFolder } from '../../support.ts'
import { created, type Folder, preparedFolder } from './folder.ts'

let folder: Folder
beforeAll(async () => {
  folder = await preparedFolder()
})
afterAll(() => folder.remove())

/** Looks at a file as it is, without bringing it up to date. */
function plain<T>(file: string, work: (db: Sqlite.Database) => T): T {
  const db = new Sqlite(file)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

/** What stands in the way of a table: triggers have names of their own. */
const MADE = "SELECT name FROM sqlite_master WHERE type IN ('table', 'index') AND name NOT LIKE 'sqlite_%'"

/** Version and tables: all of a schema or nothing of it. */
const schemaOf = (file: string) =>
  plain(file, db => ({
    version: db.pragma('user_version', { simple: true }),
    tables: db
      .prepare("SELECT name FROM sqlite_master WHERE type IN ('table', 'index', 'trigger') AND name NOT LIKE 'sqlite_%'")
      .pluck()
      .all(),
  }))

describe('R5 a state file of a newer version', () => {
  const SENTENCE = 'The state file was written by a newer version of twmd. Start that version, or restore a backup made by this one.'

  it('is refused by every command in one sentence, and stays as it is', async () => {
    plain(folder.stateDb, db => db.pragma(`user_version = ${MIGRATIONS.length + 1}`))
    const before = readFileSync(folder.stateDb)
    for (const args of [['serve'], ['keys', 'create', '--email', 'a@example.test', '--plan', 'free'], ['keys', 'rotate']]) {
      const { code, stdout, stderr } = await folder.run(args)
      expect([args, code === 0, stdout, stderr.trim()]).toEqual([args, false, '', SENTENCE])
    }
    const doctor = await folder.run(['doctor', '--json'])
    expect(doctor.code).toBe(1)
    expect(JSON.parse(doctor.stdout)).toContainEqual({ check: 'state', ok: false, said: SENTENCE })
    expect(readFileSync(folder.stateDb)).toEqual(before)
    plain(folder.stateDb, db => db.pragma(`user_version = ${MIGRATIONS.length}`))
    expect((await folder.run(['doctor'])).code).toBe(0)
  })
})

describe('R5 bringing a state file up to date', () => {
  it.each(MIGRATIONS.map((_, index) => index))('from version %i does all of it and keeps what is there', version => {
    const file = join(folder.dir, `from-${version}.sqlite`)
    plain(file, db => {
      for (const step of MIGRATIONS.slice(0, version)) db.exec(step)
      if (version > 0) db.exec("INSERT INTO account (id, email_hash, status, created_at) VALUES ('acct_1', x'00', 'active', '2026')")
      db.pragma(`user_version = ${version}`)
    })
    openState(file).close()
    expect(schemaOf(file)).toEqual(schemaOf(folder.stateDb))
    expect(plain(file, db => db.prepare('SELECT id FROM account').pluck().all())).toEqual(version > 0 ? ['acct_1'] : [])
    // The way back: what the version of twmd before reads is kept beside it.
    if (version === 0) return expect(existsSync(formerState(file, 0))).toBe(false)
    expect(statSync(formerState(file, version)).mode & 0o777).toBe(0o600)
    expect(schemaOf(formerState(file, version)).version).toBe(version)
    expect(plain(formerState(file, version), db => db.prepare('SELECT id FROM account').pluck().all())).toEqual(['acct_1'])
  })

  it('keeps the state before the last upgrade alone, and files of others', () => {
    const file = join(folder.dir, 'twice.sqlite')
    const older = MIGRATIONS.length - 2
    writeFileSync(`${file}.before-schema-notes.txt`, 'mine')
    for (const version of [older, older + 1]) {
      rmSync(file, { force: true })
      plain(file, db => {
        for (const step of MIGRATIONS.slice(0, version)) db.exec(step)
        db.pragma(`user_version = ${version}`)
      })
      openState(file).close()
    }
    const kept = readdirSync(folder.dir).filter(name => name.startsWith('twice.sqlite.before'))
    expect(kept).toEqual([`twice.sqlite.before-schema-${older + 1}`, 'twice.sqlite.before-schema-notes.txt'])
  })

  it.each([
    ['still to be done', MIGRATIONS.length - 1, [`before-schema-${MIGRATIONS.length - 1}`]],
    ['done by another since', MIGRATIONS.length, []],
  ])('that was killed while it kept the state leaves a copy that the next start removes: %s', async (_, version, finished) => {
    const file = join(folder.dir, `killed-at-${version}.sqlite`)
    plain(file, db => {
      for (const step of MIGRATIONS.slice(0, version)) db.exec(step)
      db.pragma(`user_version = ${version}`)
    })
    const killed = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
    await once(killed, 'exit')
    const former = formerState(file, MIGRATIONS.length - 1)
    const living = `${former}.${process.ppid}`
    for (const part of [`${former}.${killed.pid}`, `${former}.${process.pid}`, living]) writeFileSync(part, 'a part of a copy')
    openState(file).close()
    const kept = readdirSync(folder.dir).filter(name => name.startsWith(`${basename(file)}.before`))
    expect(kept).toEqual([...finished.map(name => `${basename(file)}.${name}`), basename(living)])
  })

  it('that fails at any of its statements does nothing', () => {
    const made = plain(folder.stateDb, db => db.prepare<[], string>(MADE).pluck().all())
    for (const name of made) {
      const file = join(folder.dir, `in-the-way-of-${name}.sqlite`)
      plain(file, db => db.exec(`CREATE TABLE ${name} (in_the_way)`))
      expect(() => openState(file), name).toThrow(name)
      expect(schemaOf(file)).toEqual({ version: 0, tables: [name] })
    }
  })

  it('that is killed at any moment has done all or nothing, and the next start does the rest', async () => {
    const { dir, remove } = await dataFolder()
    const [whole, nothing] = [schemaOf(folder.stateDb), { version: 0, tables: [] }]
    for (let kill = 0; kill < 10; kill++) {
      const child = maker(join(dir, `${kill}-`))
      const gone = once(child, 'exit')
      await created(join(dir, `${kill}-0.sqlite`), child)
      // The moment of the kill: each try gets a little further into the migrations.
      await sleep(2 * kill)
      child.kill('SIGKILL')
      await gone
    }
    const files = readdirSync(dir).filter(name => name.endsWith('.sqlite'))
    expect(files.length).toBeGreaterThanOrEqual(10)
    for (const name of files) {
      const schema = schemaOf(join(dir, name))
      expect([whole, nothing]).toContainEqual(schema)
      openState(join(dir, name)).close()
      expect(schemaOf(join(dir, name))).toEqual(whole)
    }
    await remove()
  })

  it('happens once, however many processes open a new file at the same time', async () => {
    const { dir, remove } = await dataFolder()
    const makers = Array.from({ length: 4 }, () => maker(join(dir, 'same-'), 20))
    const codes = await Promise.all(makers.map(child => once(child, 'exit')))
    expect(codes.map(([code]) => code)).toEqual([0, 0, 0, 0])
    // Two connections that close at the same moment leave their -wal and -shm files to whoever opens the file next.
    const files = readdirSync(dir).filter(name => name.endsWith('.sqlite'))
    expect(files.length).toBe(20)
    for (const name of files) expect(schemaOf(join(dir, name)), name).toEqual(schemaOf(folder.stateDb))
    await remove()
  })
})

/** A process that makes state files one after another. */
function maker(prefix: string, count = 1_000_000): ChildProcess {
  const script = `
    import { openState } from '${join(CHECKOUT, 'src/accounts/state/db.ts')}'
    for (let index = 0; index < ${count}; index++) openState('${prefix}' + index + '.sqlite').close()`
  return spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], { stdio: ['ignore', 'ignore', 'inherit'] })
}

describe('a state file', () => {
  it('and all that lies beside it is read by its owner alone, whatever the shell allows', async () => {
    const { dir, remove } = await dataFolder()
    const umask = process.umask(0)
    try {
      expect((await twmd(dir, 'keys', 'create', '--email', 'a@example.test', '--plan', 'free')).code).toBe(0)
      const { stop } = await serving(dir, 'serve')
      expect((await twmd(dir, 'backup', join(dir, 'state.backup'))).code).toBe(0)
      const modes = readdirSync(dir)
        .filter(name => statSync(join(dir, name)).isFile())
        .map(name => [name, (statSync(join(dir, name)).mode & 0o777).toString(8)])
      const beside = ['-shm', '-wal', '.lock', '.pid'].map(ending => `state.sqlite${ending}`)
      expect(modes).toEqual(['secrets.json', 'state.backup', 'state.sqlite', ...beside].map(name => [name, '600']))
      expect(await stop()).toBe(0)
    } finally {
      process.umask(umask)
    }
    await remove()
  })
})
