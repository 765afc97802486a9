import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { day } from '../../fixtures/publish/rows.ts'
import { damagedParts, stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const SLUG = 'institutional-positioning'
let s: TestService
beforeEach(async () => {
  s = await service({ examples: false })
  await s.publish(SLUG, day('2026-06-29', 1))
})
afterEach(() => s.close())

const files = (): readonly string[] => stored(s.workspace.releases, SLUG).files
const versionOf = (file: string): readonly number[] => {
  const { ino, ctimeMs } = statSync(file)
  return [ino, ctimeMs]
}

it('a file that an earlier release names stays the file it is when a publication writes the same rows again', async () => {
  const first = files()
  const versions = first.map(versionOf)
  await s.publish(SLUG, day('2026-06-29', 2))
  expect(files()).not.toEqual(first)
  await s.publish(SLUG, day('2026-06-29', 1))
  expect(files()).toEqual(first)
  expect(first.map(versionOf)).toEqual(versions)
})

it('what is read into memory is kept though a publication writes the rows of the read file again meanwhile', async () => {
  const release = s.releases.current(s.dataset(SLUG))
  const read = async (): Promise<string> => {
    await s.publish(SLUG, day('2026-06-29', 2))
    await s.publish(SLUG, day('2026-06-29', 1))
    return 'read'
  }
  expect(await s.releases.takeIn(release, release.manifest.parts, read)).toBe('read')
})

it('a damaged file that an earlier release names is replaced by a whole one', async () => {
  const [file] = files() as readonly [string]
  await s.publish(SLUG, day('2026-06-29', 2))
  const bytes = readFileSync(file)
  bytes[10]! ^= 1
  writeFileSync(file, bytes)
  await s.publish(SLUG, day('2026-06-29', 1))
  expect([files(), damagedParts(s.workspace.releases, SLUG)]).toEqual([[file], []])
})
