import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { MIGRATIONS } from '../../src/state/migrations.ts'
import { serving } from '../fixtures/cli/twmd.ts'
import { dataFolder, SECRETS } from '../support.ts'
import { plain } from './schema.ts'

let folder: Awaited<ReturnType<typeof dataFolder>>
beforeAll(async () => {
  folder = await dataFolder()
})
afterAll(() => folder.remove())

/** Starts and stops `twmd serve`. @returns the log lines of the event `migrated` */
async function migratedLines(): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const service = await serving(folder.dir, 'serve', SECRETS)
  await service.stop()
  const lines = service.output().split('\n')
  return lines.filter(line => line.includes('"event":"migrated"')).map(line => JSON.parse(line))
}

it('twmd serve logs the event "migrated" when it opens a state file of an older schema', async () => {
  const older = MIGRATIONS.length - 1
  plain(join(folder.dir, 'state.sqlite'), db => {
    for (const step of MIGRATIONS.slice(0, older)) db.exec(step)
    db.pragma(`user_version = ${older}`)
  })
  const copy = `state.sqlite.before-schema-${older}`
  expect(await migratedLines()).toEqual([
    expect.objectContaining({ event: 'migrated', from: older, to: MIGRATIONS.length, copy, msg: expect.stringContaining('.') }),
  ])
  expect(existsSync(join(folder.dir, copy))).toBe(true)
}, 60_000)
