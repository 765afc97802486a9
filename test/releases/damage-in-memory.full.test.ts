import { readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { day } from '../fixtures/publish/rows.ts'
import { releaseIds, stored } from '../fixtures/publish/store.ts'
import { scrubbed } from '../fixtures/releases/scrubbed.ts'
import { service, type TestService } from '../support.ts'

const SLUG = 'institutional-positioning'
const PATH = `/v2/datasets/${SLUG}`
const DAYS = ['2026-06-25', '2026-06-26', '2026-06-29', '2026-06-30']
let s: TestService
let key: string
let part: string
let whole: Buffer
let newest: string
let parent: string

/** Three releases, each with its own part. The served release is in memory. */
beforeEach(async () => {
  s = await service({ examples: false })
  await s.publish(SLUG, [...day(DAYS[0]!, 1), ...day(DAYS[1]!, 2)])
  await s.publish(SLUG, day(DAYS[2]!, 3))
  await s.publish(SLUG, day(DAYS[3]!, 4))
  const { paths, delta } = stored(s.workspace.releases, SLUG)
  part = paths.part(delta[0]!.sha256)
  whole = readFileSync(part)
  ;[parent, newest] = releaseIds(s.workspace.releases, SLUG).slice(-2) as [string, string]
  key = s.keyOn('max')
})
afterEach(() => s.close())

async function read(query = '?symbol=2330') {
  const { statusCode: status, headers, body } = await s.get(`${PATH}${query}`, key)
  const { data = [], error } = JSON.parse(body) as { data?: readonly { readonly trade_date: string }[]; error?: { error_code: string } }
  const days = data.map(({ trade_date }) => trade_date).toSorted()
  const isOlder = String(headers['x-warnings']).includes('newest_release_damaged_older_one_served')
  return { status, release: headers['x-release'], days, isOlder, code: error?.error_code }
}
/** Reads while the engine fails, so the rows must come from memory. */
async function readFromMemory() {
  const { read: readRows } = s.pool
  Object.assign(s.pool, { read: () => Promise.reject(new Error('the engine was called')) })
  try {
    return await read()
  } finally {
    Object.assign(s.pool, { read: readRows })
  }
}
const ofNewest = () => ({ status: 200, release: newest, days: DAYS, isOlder: false, code: undefined })
const ofParent = () => ({
  status: 200,
  release: parent,
  days: DAYS.slice(0, 3),
  isOlder: true,
  code: undefined,
})

const DAMAGES: readonly (readonly [what: string, damage: (file: string) => void])[] = [
  ['overwritten', file => writeFileSync(file, Buffer.alloc(statSync(file).size, 7))],
  [
    'changed by one bit',
    file =>
      writeFileSync(
        file,
        readFileSync(file).map((byte, at) => (at === 500 ? byte ^ 1 : byte)),
      ),
  ],
  ['cut off', file => truncateSync(file, 20)],
  ['removed', file => rmSync(file)],
]

it.each(DAMAGES)('reads of keys in memory succeed even if the file of their rows is %s', async (_, damage) => {
  damage(part)
  for (let times = 0; times < 3; times++) expect(await readFromMemory()).toEqual(ofNewest())
})

it.each(DAMAGES)('if the file of rows in memory is %s, reads use the older release once the scrub finds the damage', async (_, damage) => {
  damage(part)
  await scrubbed(s.releases)
  expect(await read()).toEqual(ofParent())
  await s.columns.refresh()
  expect(await readFromMemory()).toEqual(ofParent())
  writeFileSync(part, whole)
  await expect.poll(async () => (await read()).release, { timeout: 60_000 }).toBe(newest)
  await s.columns.refresh()
  expect(await readFromMemory()).toEqual(ofNewest())
})

it('if a read of all keys finds damage, reads of keys in memory use the older release', async () => {
  writeFileSync(part, Buffer.alloc(whole.length, 7))
  expect(await readFromMemory()).toEqual(ofNewest())
  expect(await read(`/cross-section?date=${DAYS[2]}`)).toMatchObject({ status: 200, release: parent })
  await s.columns.refresh()
  expect(await readFromMemory()).toEqual(ofParent())
})

it('a dataset in memory is refused once all of its releases are found damaged', async () => {
  const { parts } = stored(s.workspace.releases, SLUG).paths
  const files = readdirSync(parts).map(name => [join(parts, name), readFileSync(join(parts, name))] as const)
  for (const [file, bytes] of files) writeFileSync(file, Buffer.alloc(bytes.length, 7))
  await scrubbed(s.releases)
  expect(await read()).toMatchObject({ status: 503, code: 'data_unavailable' })
  for (const [file, bytes] of files) writeFileSync(file, bytes)
  await expect.poll(async () => (await read()).release, { timeout: 60_000 }).toBe(newest)
  await s.columns.refresh()
  expect(await readFromMemory()).toEqual(ofNewest())
})
