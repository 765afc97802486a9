import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { releaseIds } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'
import { inboxOf, outcomesOf, type TestInbox } from './inbox.ts'

const CALENDAR = 'trading-calendar'
const calendar = (day: string): string => `market,date,is_open\nTWSE,${day},false\n`
let s: TestService
let inbox: TestInbox
beforeEach(async () => {
  s = await service({ examples: false })
  inbox = inboxOf(s)
})
afterEach(() => s.close())

it.each([
  ['the sha256', '"sha256":"', '"sha256":"g'],
  ['the releases', '"releases":', '"releasgs":'],
  ['the release', '"releases":{"trading-calendar":"2', '"releases":{"trading-calendar":"3'],
  ['the folder', '"inbox":"t', '"inbox":"u'],
])('a file is found in the release where %s in its line of the journal is damaged, and nothing is published twice', async (_, from, to) => {
  const drop = () => inbox.drop(`${CALENDAR}/a.csv`, calendar('2026-06-19'))
  drop()
  await inbox.once()
  inbox.drop(`${CALENDAR}/b.csv`, calendar('2026-06-22'))
  await inbox.once()
  const before = releaseIds(s.workspace.releases, CALENDAR)
  const journal = join(s.dir, 'archive', 'taken.ndjson')
  const damaged = readFileSync(journal, 'utf8').replaceAll(from, to)
  expect(damaged).not.toBe(readFileSync(journal, 'utf8'))
  writeFileSync(journal, damaged)
  drop()
  expect(outcomesOf(await inbox.once())).toEqual({ 'a.csv': 'already' })
  expect(releaseIds(s.workspace.releases, CALENDAR)).toEqual(before)
})
