import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ended, startTwmd } from '../fixtures/cli/twmd.ts'
import { DAYS, FILES, interruptionSetup, KILLED_DAYS, replaceUnseen, TRADES } from './interruption.ts'

let i: Awaited<ReturnType<typeof interruptionSetup>>
beforeEach(async () => {
  i = await interruptionSetup()
})
afterEach(() => i.s.close())

it('an interrupted ingest run resumes without rereading files and publishes one release', async () => {
  const files = i.dayFiles()
  await i.interrupted(files)
  replaceUnseen(files[0]!, '"1,001"', '"9,001"')
  const { results, publications } = await i.run(files)
  expect(publications).toMatchObject([{ dataset: TRADES, outcome: { status: 'published', changes: { rows_added: 2 * FILES } } }])
  expect(results.map(({ file, outcome, rows }) => [file, outcome, rows])).toEqual(DAYS.map(day => [`${day}.json`, 'published', 2]))
  expect([await i.servedShares(DAYS[0]!), await i.servedShares(DAYS.at(-1)!)]).toEqual([1_001, 1_000 + FILES])
  expect(readdirSync(join(i.s.dir, 'staging'))).toEqual([])
})

it('twmd ingest resumes after a kill when the same command is repeated', async () => {
  const files = i.dayFiles(KILLED_DAYS)
  await i.killed()
  replaceUnseen(files[0]!, '"1,001"', '"9,001"')
  const { code, stdout } = await ended(startTwmd(i.s.dir, ['ingest', 'twse-t86', i.folder]))
  expect([code, stdout]).toEqual([
    0,
    expect.stringContaining(`twse-t86: ${KILLED_DAYS.length} published, 0 unchanged, 0 empty, 0 refused.`),
  ])
  expect(await i.servedShares(KILLED_DAYS[0]!)).toBe(1_001)
})
