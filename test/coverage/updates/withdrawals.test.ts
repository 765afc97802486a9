import { afterAll, beforeAll, expect, it } from 'vitest'
import { serveAgain } from '../../../ingest/publish/index.ts'
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
beforeAll(async () => {
  s = await service({ examples: false, inMemory: false })
  a = await publish([...day('2026-06-24', 1), ...day('2026-06-25', 2)])
  b = await publish([trade('1101', '2026-06-24', 9_999), ...day('2026-06-24', 1).slice(1)])
  c = await publish(day('2026-06-26', 3))
})
afterAll(() => s.close())

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

/**
 * The steps of docs/updates.md: entries after the first match, or null if the dataset has to be
 * fetched again.
 */
function since(mine: string, entries: readonly Entry[]): readonly Entry[] | null {
  const met = entries.findIndex(
    ({ release_version, withdrawn_release_versions }) => release_version === mine || withdrawn_release_versions.includes(mine),
  )
  if (met < 0) return null
  return entries.slice(0, entries[met]!.release_version === mine ? met : met + 1)
}

it('the updates feed lists a release that is served again, with the days to refetch and the withdrawn releases', async () => {
  await serve(a)
  const [entry, ...others] = await feed('')
  expect(entry).toMatchObject({
    dataset: SLUG,
    category: 'capital_flows',
    kind: 'withdrawal',
    data_date_from: '2026-06-24',
    data_date_to: '2026-06-26',
    added: null,
    changed: { rows: 1, data_date_from: '2026-06-24', data_date_to: '2026-06-24' },
    removed: { rows: 3, data_date_from: '2026-06-26', data_date_to: '2026-06-26' },
    data_as_of: '2026-06-25',
    release_version: a,
    previous_release_version: c,
    withdrawn_release_versions: [b, c],
  })
  expect(summary(others)).toEqual([['new_rows', a]])
})

it('clients that follow the updates feed find their position after a withdrawal and a publication, whichever release they have', async () => {
  const d = await publish(day('2026-06-29', 4))
  const entries = await feed()
  expect(summary(entries)).toEqual([
    ['new_rows', d],
    ['withdrawal', a],
    ['new_rows', a],
  ])
  expect([entries[0]!.previous_release_version, entries[1]!.previous_release_version]).toEqual([a, c])
  expect(summary(since(a, entries)!)).toEqual([['new_rows', d]])
  for (const mine of [b, c])
    expect(summary(since(mine, entries)!)).toEqual([
      ['new_rows', d],
      ['withdrawal', a],
    ])
})
