import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { releaseIds } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from '../publish/publisher.ts'
import { inboxOf, outcomesOf, type TestInbox } from './inbox.ts'

const CALENDAR = 'trading-calendar'
const calendar = (day: string): string => `market,date,is_open\nTWSE,${day},false\n`
let s: Publisher
let inbox: TestInbox
beforeEach(async () => {
  s = await publisher()
  inbox = inboxOf(s)
})
afterEach(() => s.close())

it('if the journal line of a file is damaged, the file is recognized in the release and not published twice', async () => {
  const drop = () => inbox.drop(`${CALENDAR}/a.csv`, calendar('2026-06-19'))
  drop()
  await inbox.once()
  inbox.drop(`${CALENDAR}/b.csv`, calendar('2026-06-22'))
  await inbox.once()
  const before = releaseIds(s.workspace.releases, CALENDAR)
  const journal = join(s.dir, 'archive', 'taken.ndjson')
  const whole = readFileSync(journal, 'utf8')
  for (const [field, from, replacement] of [
    ['the sha256', '"sha256":"', '"sha256":"g'],
    ['the releases', '"releases":', '"releasgs":'],
    ['the release', '"releases":{"trading-calendar":"2', '"releases":{"trading-calendar":"3'],
    ['the folder', '"inbox":"t', '"inbox":"u'],
  ] as const) {
    expect(whole).toContain(from)
    writeFileSync(journal, whole.replaceAll(from, replacement))
    drop()
    expect.soft(outcomesOf(await inbox.once()), `${field} damaged`).toEqual({ 'a.csv': 'already' })
    expect.soft(releaseIds(s.workspace.releases, CALENDAR), `${field} damaged`).toEqual(before)
  }
})
