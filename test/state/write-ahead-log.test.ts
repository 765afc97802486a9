import { statSync } from 'node:fs'
import { join } from 'node:path'
import Sqlite from 'better-sqlite3'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openState } from '../../src/state/db.ts'
import { dataFolder } from '../support.ts'

const MIB = 2 ** 20
let folder: Awaited<ReturnType<typeof dataFolder>>
beforeEach(async () => {
  folder = await dataFolder()
})
afterEach(() => folder.remove())

it('the write-ahead log is truncated to 64 MiB after a long read has ended', () => {
  const file = join(folder.dir, 'state.sqlite')
  const log = (): number => statSync(`${file}-wal`).size
  const db = openState(file)
  db.exec('CREATE TABLE filler (bytes BLOB)')
  const reader = new Sqlite(file, { readonly: true })
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM filler').get()
  const write = db.prepare('INSERT INTO filler VALUES (randomblob(?))')
  for (let written = 0; written < 72; written += 8) write.run(8 * MIB)
  expect(log()).toBeGreaterThan(72 * MIB)
  reader.exec('COMMIT')
  reader.close()
  db.pragma('wal_checkpoint')
  write.run(1)
  expect(log()).toBeLessThanOrEqual(64 * MIB)
  db.close()
})
