import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { day } from '../../fixtures/publish/rows.ts'
import { damagedParts, stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const SLUG = 'institutional-positioning'
const CALENDAR = 'trading-calendar'
let s: TestService
beforeAll(async () => {
  s = await service({ examples: false })
})
afterAll(() => s.close())

it('rows that are being read into memory stay valid if a publication writes the same part again', async () => {
  await s.publish(SLUG, day('2026-06-29', 1))
  const release = s.releases.current(s.dataset(SLUG))
  const read = async (): Promise<string> => {
    await s.publish(SLUG, day('2026-06-29', 2))
    await s.publish(SLUG, day('2026-06-29', 1))
    return 'read'
  }
  expect(await s.releases.loadVerified(release, release.manifest.parts, read)).toBe('read')
})

it('a part of an earlier release is reused when its rows are published again, and rewritten when it is damaged', async () => {
  const publish = async (reason: string) => {
    await s.publish(CALENDAR, [{ market: 'TWSE', date: '2026-06-19', is_open: false, reason }])
    return stored(s.workspace.releases, CALENDAR).files
  }
  const versionOf = (file: string): readonly number[] => {
    const { ino, ctimeMs } = statSync(file)
    return [ino, ctimeMs]
  }
  const first = await publish('a')
  const versions = first.map(versionOf)
  expect(await publish('b')).not.toEqual(first)
  expect(await publish('a')).toEqual(first)
  expect(first.map(versionOf)).toEqual(versions)
  await publish('b')
  const bytes = readFileSync(first[0]!)
  bytes[10]! ^= 1
  writeFileSync(first[0]!, bytes)
  expect(await publish('a')).toEqual(first)
  expect(damagedParts(s.workspace.releases, CALENDAR)).toEqual([])
})
