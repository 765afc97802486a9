import { readdirSync, rmSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { serveAgain } from '../../../ingest/publish/index.ts'
import { day } from '../../fixtures/publish/rows.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from './publisher.ts'

const SLUG = 'institutional-positioning'
let s: Publisher
let first: string
let last: ReturnType<typeof stored>
beforeEach(async () => {
  s = await publisher()
  await s.publish(SLUG, [...day('2026-06-26', 1), ...day('2026-06-29', 2)])
  first = stored(s.workspace.releases, SLUG).release
  await s.publish(SLUG, day('2026-06-30', 3))
  last = stored(s.workspace.releases, SLUG)
})
afterEach(() => s.close())

const serve = (release: string) => serveAgain(s.workspace, s.dataset(SLUG), release)
const current = () => stored(s.workspace.releases, SLUG)

const more = () => s.publish(SLUG, day('2026-07-01', 4))

it('if the file "current" of a dataset is missing, publications are refused until a release is named', async () => {
  rmSync(last.paths.current)
  const before = readdirSync(last.paths.home)
  await expect(more()).rejects.toThrow(
    `The file with the served release of ${SLUG} is missing, and 2 releases are retained. Select a release listed by twmd releases list ${SLUG} with twmd releases serve ${SLUG} <release>.`,
  )
  expect(readdirSync(last.paths.home)).toEqual(before)
  await serve(last.release)
  await more()
  expect(current().manifest).toMatchObject({ parent: last.release, changes: { rows_added: 3 }, statistics: { rows: 12 } })
})

it('if the file "current" is missing, the only release of a dataset is served and built upon, even without new rows', async () => {
  rmSync(last.paths.release(last.release), { recursive: true })
  rmSync(last.paths.current)
  await s.publish(SLUG, [...day('2026-06-26', 1), ...day('2026-06-29', 2)])
  expect(current().release).toBe(first)
  rmSync(last.paths.current)
  await more()
  expect(current().manifest).toMatchObject({ parent: first, statistics: { rows: 9 } })
  rmSync(last.paths.release(current().release), { recursive: true })
  rmSync(last.paths.current)
  await serve(first)
  expect(current().release).toBe(first)
})
