import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formerStatePath, openState } from '../../src/state/db.ts'
import { MIGRATIONS } from '../../src/state/migrations.ts'
import { type Folder, preparedFolder } from './folder.ts'
import { MADE, plain, schemaOf } from './schema.ts'

let folder: Folder
beforeAll(async () => {
  folder = await preparedFolder()
})
afterAll(() => folder.remove())

describe('R5: migrations', () => {
  it.each(MIGRATIONS.map((_, index) => index))(
    'the service migrates a state file from version %i, keeps its rows and a copy of the file',
    version => {
      const file = join(folder.dir, `from-${version}.sqlite`)
      plain(file, db => {
        for (const step of MIGRATIONS.slice(0, version)) db.exec(step)
        if (version > 0) db.exec("INSERT INTO account (id, email_hash, status, created_at) VALUES ('acct_1', x'00', 'active', '2026')")
        db.pragma(`user_version = ${version}`)
      })
      openState(file).close()
      expect(schemaOf(file)).toEqual(schemaOf(folder.stateDb))
      expect(plain(file, db => db.prepare('SELECT id FROM account').pluck().all())).toEqual(version > 0 ? ['acct_1'] : [])
      // The copy lets an operator return to the previous version of twmd.
      if (version === 0) return expect(existsSync(formerStatePath(file, 0))).toBe(false)
      expect(statSync(formerStatePath(file, version)).mode & 0o777).toBe(0o600)
      expect(schemaOf(formerStatePath(file, version)).version).toBe(version)
      expect(plain(formerStatePath(file, version), db => db.prepare('SELECT id FROM account').pluck().all())).toEqual(['acct_1'])
    },
  )

  it('a migration keeps only the copy of the last upgrade and deletes no other file', () => {
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
    const copies = readdirSync(folder.dir).filter(name => name.startsWith('twice.sqlite.before'))
    expect(copies).toEqual([`twice.sqlite.before-schema-${older + 1}`, 'twice.sqlite.before-schema-notes.txt'])
  })

  it.each([
    ['the migration is pending', MIGRATIONS.length - 1, [`before-schema-${MIGRATIONS.length - 1}`]],
    ['another process has migrated', MIGRATIONS.length, []],
  ])('a start deletes the partial copy of a killed migration when %s', async (_, version, finished) => {
    const file = join(folder.dir, `killed-at-${version}.sqlite`)
    plain(file, db => {
      for (const step of MIGRATIONS.slice(0, version)) db.exec(step)
      db.pragma(`user_version = ${version}`)
    })
    const killed = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
    await once(killed, 'exit')
    const former = formerStatePath(file, MIGRATIONS.length - 1)
    const living = `${former}.${process.ppid}`
    for (const part of [`${former}.${killed.pid}`, `${former}.${process.pid}`, living]) writeFileSync(part, 'a part of a copy')
    openState(file).close()
    const copies = readdirSync(folder.dir).filter(name => name.startsWith(`${basename(file)}.before`))
    expect(copies).toEqual([...finished.map(name => `${basename(file)}.${name}`), basename(living)])
  })

  it('a migration that fails at any statement changes nothing', () => {
    const made = plain(folder.stateDb, db => db.prepare<[], string>(MADE).pluck().all())
    for (const name of made) {
      const file = join(folder.dir, `in-the-way-of-${name}.sqlite`)
      plain(file, db => db.exec(`CREATE TABLE ${name} (in_the_way)`))
      expect(() => openState(file), name).toThrow(name)
      expect(schemaOf(file)).toEqual({ version: 0, tables: [name] })
    }
  })
})

it('R5: opening a state file of a newer version throws and leaves it unchanged', () => {
  const file = join(folder.dir, 'newer.sqlite')
  openState(file).close()
  plain(file, db => db.pragma(`user_version = ${MIGRATIONS.length + 1}`))
  const before = readFileSync(file)
  expect(() => openState(file)).toThrow('was written by a newer version of twmd')
  expect(readFileSync(file)).toEqual(before)
})
