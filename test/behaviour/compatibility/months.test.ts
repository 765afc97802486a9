import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { collectReleases } from '../../../ingest/history/index.ts'
import { Manifest, sha256OfText } from '../../../src/releases/index.ts'
import { twmd } from '../../fixtures/cli/twmd.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'
import { APPENDED, DAYS, rowsOf, SLUG } from './months.ts'

/**
 * `test/behaviour/compatibility/months/` contains releases that
 * `test/behaviour/compatibility/months.ts` wrote when months were introduced. They are never
 * rewritten, because an upgraded service finds such folders.
 */
const GOLDEN = 'test/behaviour/compatibility/months'
const [FIRST, SECOND] = ['20260629T120000000Z', '20260630T120000000Z']
const NEXT = '2026-07-01'

let s: TestService
beforeAll(async () => {
  s = await service({ examples: false, inMemory: false })
  cpSync(join(GOLDEN, SLUG), join(s.dir, 'releases', SLUG), { recursive: true })
  await s.releases.refresh()
})
afterAll(() => s.close())

const monthsOf = () => stored(s.workspace.releases, SLUG).manifest.months!
async function read(path: string) {
  const { headers, body } = await s.get(`/v2/datasets/${SLUG}${path}`, s.keyOn('max'))
  const { data } = JSON.parse(body) as { readonly data: readonly Record<string, unknown>[] }
  return { release: headers['x-release'], rows: data.map(row => [row['ticker'], row['trade_date'], row['foreign_net_buy']]) }
}
const written = (day: string) => rowsOf(day).map(row => [row['ticker'], row['trade_date'], row['foreign_net_buy']])
const section = (day: string) => read(`/cross-section?date=${day}`)

const names = (files: readonly { readonly sha256: string }[]): readonly string[] =>
  files.map(({ sha256 }) => `${sha256}.parquet`).toSorted()

it('a cross-section of a stored release with monthly parts returns the original rows', async () => {
  for (const day of [DAYS[0]!, DAYS[15]!, DAYS[16]!, DAYS[50]!, DAYS.at(-1)!, APPENDED])
    expect(await section(day)).toEqual({ release: SECOND, rows: written(day) })
})

it('the history of a key in a stored release with monthly parts combines rows of buckets and of the delta part', async () => {
  const rows = [...DAYS, APPENDED].flatMap(day => written(day).filter(([ticker]) => ticker === '1103')).reverse()
  expect(await read('?symbol=1103&limit=100')).toEqual({ release: SECOND, rows })
})

it('a stored release with monthly parts can be read by its id', async () => {
  const day = DAYS.at(-1)!
  expect(await read(`/cross-section?date=${day}&release=${FIRST}`)).toEqual({ release: FIRST, rows: written(day) })
})

it('a manifest schema without months refuses a manifest with months and names the field', () => {
  const { error } = Manifest.omit({ months: true }).safeParse(stored(s.workspace.releases, SLUG).manifest)
  expect(error?.issues).toMatchObject([{ code: 'unrecognized_keys', keys: ['months'] }])
})

it('a release whose manifest has an unknown key is not served or built upon, and the log names the key', async () => {
  const later = await service({ examples: false, inMemory: false })
  cpSync(join(GOLDEN, SLUG), join(later.dir, 'releases', SLUG), { recursive: true })
  const { paths, manifest } = stored(later.workspace.releases, SLUG)
  const text = JSON.stringify({ ...manifest, weeks: [] })
  writeFileSync(paths.manifest(SECOND), text)
  writeFileSync(paths.seal(SECOND), sha256OfText(text))
  await later.releases.refresh()
  expect(later.releases.current(later.dataset(SLUG))).toMatchObject({ id: FIRST, degraded: true })
  expect(later.lines.filter(line => line.includes(SECOND)).join()).toContain('weeks')
  await expect(later.publish(SLUG, rowsOf(NEXT))).rejects.toThrow(/weeks/)
  expect(readFileSync(paths.current, 'utf8').trim()).toBe(SECOND)
  await later.close()
})

it('a publication over stored releases keeps their monthly parts', async () => {
  const before = monthsOf()
  expect(await s.publish(SLUG, rowsOf(NEXT))).toMatchObject({ status: 'published' })
  expect(monthsOf().slice(0, before.length)).toEqual(before)
  expect(monthsOf().slice(before.length)).toMatchObject([{ first_date: NEXT, last_date: NEXT, rows: 330 }])
  for (const day of [DAYS[0]!, APPENDED, NEXT]) expect((await section(day)).rows).toEqual(written(day))
  expect(await twmd(s.dir, 'releases', 'verify', SLUG)).toMatchObject({ code: 0, stderr: '' })
})

it('a publication writes monthly parts to the folder of months, even if older releases have them among the parts', () => {
  const { paths, manifest } = stored(s.workspace.releases, SLUG)
  expect(readdirSync(paths.months).toSorted()).toEqual(names(manifest.months!))
  for (const id of [FIRST, SECOND])
    for (const { sha256 } of stored(s.workspace.releases, SLUG, id).manifest.months!) expect(existsSync(paths.part(sha256))).toBe(true)
})

it('stored releases stay readable by id after the next publication', async () => {
  const day = DAYS[0]!
  for (const id of [FIRST, SECOND]) expect(await section(`${day}&release=${id}`)).toEqual({ release: id, rows: written(day) })
})

it('garbage collection deletes monthly parts once no retained release uses them', async () => {
  expect(await s.publish(SLUG, rowsOf('2026-07-02'))).toMatchObject({ status: 'published' })
  const collected = await collectReleases(s.workspace, s.dataset(SLUG), { since: new Date('2100-01-01'), immediately: true })
  expect(collected).toMatchObject({ removed: [FIRST, SECOND], held: null })
  const [served, parent] = [undefined, collected.kept[0]!.release].map(id => stored(s.workspace.releases, SLUG, id).manifest)
  const { paths } = stored(s.workspace.releases, SLUG)
  const retained = [served!, parent!]
  expect(readdirSync(paths.parts).toSorted()).toEqual([...new Set(names(retained.flatMap(({ parts }) => parts)))])
  expect(readdirSync(paths.months).toSorted()).toEqual([...new Set(names(retained.flatMap(({ months }) => months!)))])
  for (const day of [DAYS[0]!, APPENDED, NEXT]) expect((await section(day)).rows).toEqual(written(day))
  expect(await twmd(s.dir, 'releases', 'verify', SLUG)).toMatchObject({ code: 0, stderr: '' })
})
