import { readdirSync, rmSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { twmd } from '../../fixtures/cli/twmd.ts'
import { day } from '../../fixtures/publish/rows.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const SLUG = 'institutional-positioning'
let s: TestService
let first: string
let last: ReturnType<typeof stored>
beforeEach(async () => {
  s = await service({ examples: false })
  await s.publish(SLUG, [...day('2026-06-26', 1), ...day('2026-06-29', 2)])
  first = stored(s.workspace.releases, SLUG).release
  await s.publish(SLUG, day('2026-06-30', 3))
  last = stored(s.workspace.releases, SLUG)
})
afterEach(() => s.close())

const serve = (release: string) => twmd(s.dir, 'releases', 'serve', SLUG, release)
const current = () => stored(s.workspace.releases, SLUG)

describe('a dataset without the file that names its served release', () => {
  const more = () => s.publish(SLUG, day('2026-07-01', 4))

  it('is published no further until a release is named, and then builds on that one', async () => {
    rmSync(last.paths.current)
    const before = readdirSync(last.paths.home)
    await expect(more()).rejects.toThrow(
      `The file that names the served release of ${SLUG} is missing, and 2 releases are kept; name one with twmd releases serve ${SLUG} <release>, of those that twmd releases list ${SLUG} shows.`,
    )
    expect(readdirSync(last.paths.home)).toEqual(before)
    expect((await serve(last.release)).code).toBe(0)
    await more()
    expect(current().manifest).toMatchObject({ parent: last.release, changes: { rows_added: 3 }, statistics: { rows: 12 } })
  })

  it('builds on its only release, which may never have been served, and names it even where nothing is new', async () => {
    rmSync(last.paths.release(last.release), { recursive: true })
    rmSync(last.paths.current)
    await s.publish(SLUG, [...day('2026-06-26', 1), ...day('2026-06-29', 2)])
    expect(current().release).toBe(first)
    rmSync(last.paths.current)
    await more()
    expect(current().manifest).toMatchObject({ parent: first, statistics: { rows: 9 } })
    rmSync(last.paths.release(current().release), { recursive: true })
    rmSync(last.paths.current)
    expect((await serve(first)).code).toBe(0)
  })
})
