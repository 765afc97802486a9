import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openState } from '../../src/state/db.ts'
import { MIGRATIONS } from '../../src/state/migrations.ts'
import { CHECKOUT, serving, twmd } from '../fixtures/cli/twmd.ts'
import { dataFolder } from '../support.ts'
import { created, type Folder, preparedFolder } from './folder.ts'
import { plain, schemaOf } from './schema.ts'

let folder: Folder
beforeAll(async () => {
  folder = await preparedFolder()
})
afterAll(() => folder.remove())

const SENTENCE = 'The state file was written by a newer version of twmd. Start that version, or restore a backup made by this one.'

it('R5: every command refuses a state file of a newer version and leaves it unchanged', async () => {
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

it('R5: if a migration is killed at any moment, its changes are complete or absent; the next start completes them', async () => {
  const { dir, remove } = await dataFolder()
  const [whole, nothing] = [schemaOf(folder.stateDb), { version: 0, tables: [] }]
  for (let kill = 0; kill < 10; kill++) {
    const child = maker(join(dir, `${kill}-`))
    const gone = once(child, 'exit')
    await created(join(dir, `${kill}-0.sqlite`), child)
    // Each kill happens a little later during the migrations.
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

it('R5: processes that open a new state file at the same time migrate it once', async () => {
  const { dir, remove } = await dataFolder()
  const makers = Array.from({ length: 4 }, () => maker(join(dir, 'same-'), 20))
  const codes = await Promise.all(makers.map(child => once(child, 'exit')))
  expect(codes.map(([code]) => code)).toEqual([0, 0, 0, 0])
  // If two connections close simultaneously, the -wal and -shm files remain for the process that
  // opens the file next.
  const files = readdirSync(dir).filter(name => name.endsWith('.sqlite'))
  expect(files.length).toBe(20)
  for (const name of files) expect(schemaOf(join(dir, name)), name).toEqual(schemaOf(folder.stateDb))
  await remove()
})

/** Starts a process that creates state files one after another. */
function maker(prefix: string, count = 1_000_000): ChildProcess {
  const script = `
    import { openState } from '${join(CHECKOUT, 'src/state/db.ts')}'
    for (let index = 0; index < ${count}; index++) openState('${prefix}' + index + '.sqlite').close()`
  return spawn(process.execPath, ['--input-type=module-typescript', '--eval', script], { stdio: ['ignore', 'ignore', 'inherit'] })
}

it('the state file and every file in its folder have mode 0600, whatever the umask', async () => {
  const { dir, remove } = await dataFolder()
  const umask = process.umask(0)
  try {
    expect((await twmd(dir, 'keys', 'create', '--email', 'a@example.test', '--plan', 'free')).code).toBe(0)
    const { stop } = await serving(dir, 'serve')
    expect((await twmd(dir, 'backup', join(dir, 'state.backup'))).code).toBe(0)
    await expect.poll(() => existsSync(join(dir, 'state.sqlite.owed.reserve')), { timeout: 30_000 }).toBe(true)
    const modes = readdirSync(dir)
      .filter(name => statSync(join(dir, name)).isFile())
      .map(name => [name, (statSync(join(dir, name)).mode & 0o777).toString(8)])
    const relatedFiles = ['-shm', '-wal', '.lock', '.owed.reserve', '.pid'].map(ending => `state.sqlite${ending}`)
    expect(modes).toEqual(['secrets.json', 'state.backup', 'state.sqlite', ...relatedFiles].map(name => [name, '600']))
    expect(await stop()).toBe(0)
  } finally {
    process.umask(umask)
  }
  await remove()
})
