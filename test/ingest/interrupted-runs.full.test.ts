import { cpSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Feed } from '../../ingest/formats/index.ts'
import { ingestFiles } from '../../ingest/index.ts'
import { CHECKOUT, twmdOf } from '../fixtures/cli/twmd.ts'
import { feeds } from '../fixtures/ingest/bodies.ts'
import { DAYS, FILES, interruptionSetup, KILLED_DAYS, replaceUnseen, TRADES } from './interruption.ts'

let i: Awaited<ReturnType<typeof interruptionSetup>>
beforeEach(async () => {
  i = await interruptionSetup()
})
afterEach(() => i.s.close())

it('an interrupted ingest run resumes if the added files sort after the files that it had read', async () => {
  const files = i.dayFiles()
  await i.interrupted(files.slice(0, -1))
  replaceUnseen(files[0]!, '"1,001"', '"9,001"')
  const { publications } = await i.run(files)
  expect(publications).toMatchObject([{ outcome: { changes: { rows_added: 2 * FILES } } }])
  expect(await i.servedShares(DAYS[0]!)).toBe(1_001)
})

it.each<[string, (files: readonly string[]) => readonly string[]]>([
  ['a file that was read has changed', files => [i.dayFile(DAYS[0]!, 7_777), ...files.slice(1)]],
  ['a file that was read is no longer named', files => files.slice(1)],
  ['files that were read are named in another order', files => [files[1]!, files[0]!, ...files.slice(2)]],
])('an interrupted ingest run starts over when %s', async (_, change) => {
  const files = i.dayFiles()
  await i.interrupted(files)
  replaceUnseen(files[1]!, '"1,002"', '"9,002"')
  const named = change(files)
  const { publications } = await i.run(named)
  expect(publications).toMatchObject([{ outcome: { changes: { rows_added: 2 * named.length } } }])
  expect(await i.servedShares(DAYS[1]!)).toBe(9_002)
})

it.each([
  ['a spooled row', `${TRADES}.csv`, ',1001,', ',1003,'],
  [
    'the recorded end of the spooled rows',
    'files.ndjson',
    '"ends":{"institutional-positioning":[',
    '"ends":{"institutional-positioning":[1',
  ],
  ['the journal of files', 'files.ndjson', '"path":"', '"qath":"'],
])('an interrupted ingest run starts over when %s is corrupt', async (_, name, from, replacement) => {
  const files = i.dayFiles()
  await i.interrupted(files)
  replaceUnseen(files[1]!, '"1,002"', '"9,002"')
  const [spool = ''] = readdirSync(join(i.s.dir, 'staging'))
  const file = join(i.s.dir, 'staging', spool, name)
  const text = readFileSync(file, 'utf8')
  expect(text).toContain(from)
  writeFileSync(file, text.replace(from, replacement))
  const { publications } = await i.run(files)
  expect(publications).toMatchObject([{ outcome: { changes: { rows_added: 2 * FILES } } }])
  expect([await i.servedShares(DAYS[0]!), await i.servedShares(DAYS[1]!)]).toEqual([1_001, 9_002])
})

it('an interrupted ingest run starts over if the code of the feed changed', async () => {
  const files = i.dayFiles(KILLED_DAYS)
  await i.killed()
  const checkout = join(i.s.dir, 'checkout')
  for (const name of ['catalog', 'ingest', 'portal', 'src', 'package.json'])
    cpSync(join(CHECKOUT, name), join(checkout, name), { recursive: true })
  symlinkSync(join(CHECKOUT, 'node_modules'), join(checkout, 'node_modules'))
  const feed = join(checkout, 'ingest/feeds/twse-t86.ts')
  writeFileSync(feed, `${readFileSync(feed, 'utf8')}\n/* another version */\n`)
  replaceUnseen(files[1]!, '"1,002"', '"9,002"')
  expect(await twmdOf(checkout, i.s.dir, 'ingest', 'twse-t86', i.folder)).toMatchObject({ code: 0 })
  expect(await i.servedShares(KILLED_DAYS[1]!)).toBe(9_002)
})

it('a spooled row of more than two million bytes is read back whole', async () => {
  const feed = feeds.get('twse-t86')!
  const market = 'x'.repeat(3_000_000)
  const wordy: Feed = {
    ...feed,
    parse(...given) {
      const parsed = feed.parse(...given)
      return parsed.kind === 'rows' ? { ...parsed, rows: { [TRADES]: parsed.rows[TRADES]!.map(row => ({ ...row, market })) } } : parsed
    },
  }
  const options = { requestedDay: undefined, accept: [], progress: () => {} }
  const { results } = await ingestFiles(i.s.workspace, wordy, [i.dayFile(DAYS[0]!, 1)], options)
  expect(results).toMatchObject([{ outcome: 'refused', said: 'known_market' }])
})

it('a resumed ingest run reports an earlier refused file again and quarantines it once', async () => {
  const files = i.dayFiles()
  writeFileSync(files[3]!, '<html><title>Home</title></html>')
  await i.interrupted(files)
  const { results } = await i.run(files)
  expect(results.filter(({ outcome }) => outcome === 'refused')).toMatchObject([{ file: `${DAYS[3]}.json` }])
  expect(readdirSync(join(i.s.dir, 'quarantine'))).toHaveLength(1)
})
