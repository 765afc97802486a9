import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ended, startTwmd } from '../../fixtures/cli/twmd.ts'
import { type Publisher, publisher } from '../publish/publisher.ts'

const FEED = 'twse-t86'
let s: Publisher
beforeEach(async () => {
  s = await publisher()
})
afterEach(() => s.close())

it('twmd ingest obeys QUARANTINE_MAX_DAYS and names the folders it deletes', async () => {
  const old = join(s.workspace.quarantine, FEED, '2020-01-01T090000-old.html-0123abcd')
  mkdirSync(old, { recursive: true })
  const page = s.file('a.html', '<html>')
  const run = (variables: Readonly<Record<string, string>>) => ended(startTwmd(s.dir, ['ingest', FEED, page], variables))
  expect((await run({ QUARANTINE_MAX_DAYS: '100000' })).stderr).not.toContain('removed')
  const { stderr } = await run({})
  expect(stderr).toContain(`\ndeleted from the quarantine, which reached its limit: ${old}\n`)
  expect(existsSync(old)).toBe(false)
})
