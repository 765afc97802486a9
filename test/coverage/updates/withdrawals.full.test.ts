import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { serveAgain } from '../../../ingest/publish/index.ts'
import { releasePaths } from '../../../src/releases/index.ts'
import { twmd } from '../../fixtures/cli/twmd.ts'
import { day, trade } from '../../fixtures/publish/rows.ts'
import { service, type TestService } from '../../support.ts'

const SLUG = 'institutional-positioning'
interface Entry {
  readonly update_id: string
  readonly kind: string
  readonly release_version: string
  readonly previous_release_version: string | null
  readonly withdrawn_release_versions: readonly string[]
}

let s: TestService
let a: string
let b: string
let c: string
const publish = async (rows: Parameters<TestService['publish']>[1], options = {}): Promise<string> =>
  (await s.publish(SLUG, rows, options)).release!
beforeEach(async () => {
  s = await service({ examples: false })
  a = await publish([...day('2026-06-24', 1), ...day('2026-06-25', 2)])
  b = await publish([trade('1101', '2026-06-24', 9_999), ...day('2026-06-24', 1).slice(1)])
  c = await publish(day('2026-06-26', 3))
})
afterEach(() => s.close())

const takeUp = async (): Promise<void> => {
  await s.releases.refresh()
  await s.publications.refresh()
}
const serve = async (release: string): Promise<void> => {
  await serveAgain(s.workspace, s.dataset(SLUG), release)
  await takeUp()
}
const feed = async (query = '?since=2000-01-01'): Promise<readonly Entry[]> => (await s.get(`/v2/updates${query}`)).json().data
const summary = (entries: readonly Entry[]) => entries.map(({ kind, release_version: release }) => [kind, release])

it('the updates feed lists an undone withdrawal as another entry with its own id', async () => {
  expect(await twmd(s.dir, 'releases', 'serve', SLUG, a)).toMatchObject({ code: 0 })
  await takeUp()
  await serve(c)
  const entries = await feed()
  expect(summary(entries)).toEqual([
    ['withdrawal', c],
    ['withdrawal', a],
    ['new_rows', c],
    ['revision', b],
    ['new_rows', a],
  ])
  expect(entries[0]).toMatchObject({
    added: { rows: 3, data_date_from: '2026-06-26', data_date_to: '2026-06-26' },
    changed: { rows: 1, data_date_from: '2026-06-24', data_date_to: '2026-06-24' },
    removed: null,
    previous_release_version: a,
    withdrawn_release_versions: [],
  })
  expect(new Set(entries.map(({ update_id }) => update_id)).size).toBe(entries.length)
  const pages: Entry[] = []
  for (let next: string | null = ''; next !== null; ) {
    const page: { data: Entry[]; next_cursor: string | null } = (await s.get(`/v2/updates?since=2000-01-01&limit=1${next}`)).json()
    pages.push(...page.data)
    next = page.next_cursor === null ? null : `&cursor=${page.next_cursor}`
  }
  expect(pages).toEqual(entries)
})

it('the updates feed lists a withdrawal without a common ancestor as a replacement of all rows', async () => {
  const samples = await service({ examples: false })
  const sample = (await samples.publish(SLUG, day('2026-06-24', 1), { synthetic: true })).release!
  await samples.publish(SLUG, [...day('2026-06-29', 2), ...day('2026-06-30', 3)])
  await serveAgain(samples.workspace, samples.dataset(SLUG), sample)
  await samples.releases.refresh()
  await samples.publications.refresh()
  const [entry] = (await samples.get('/v2/updates?since=2000-01-01')).json().data
  await samples.close()
  expect(entry).toMatchObject({
    kind: 'withdrawal',
    synthetic: true,
    added: { rows: 3, data_date_from: '2026-06-24', data_date_to: '2026-06-24' },
    removed: { rows: 6, data_date_from: '2026-06-29', data_date_to: '2026-06-30' },
  })
})

const paths = () => releasePaths(s.workspace.releases, SLUG)
const readAgain = async (): Promise<void> => {
  await publish(day('2026-06-30', 8))
}

it('if a withdrawal is killed before the older release is served, the updates feed ignores its record', async () => {
  await serve(a)
  const record = readdirSync(paths().withdrawals)
  expect(record).toHaveLength(1)
  writeFileSync(paths().current, `${c}\n`)
  await takeUp()
  expect(summary(await feed())).toEqual([
    ['new_rows', c],
    ['revision', b],
    ['new_rows', a],
  ])
  await readAgain()
  expect((await feed()).map(({ kind }) => kind)).not.toContain('withdrawal')
})

it('the updates feed skips a damaged withdrawal record with a log line', async () => {
  await serve(a)
  const [name] = readdirSync(paths().withdrawals)
  writeFileSync(join(paths().withdrawals, name!), '{')
  await readAgain()
  expect((await feed()).map(({ kind }) => kind)).toEqual(['new_rows', 'new_rows'])
  expect(s.lines.filter(line => line.includes('reading a withdrawal'))).not.toEqual([])
})
