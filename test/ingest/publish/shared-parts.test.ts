import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { damagedParts, stored } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from './publisher.ts'

const SLUG = 'trading-calendar'
let s: Publisher
beforeEach(async () => {
  s = await publisher()
})
afterEach(() => s.close())

it('a part of an earlier release is reused when its rows are published again, and rewritten when it is damaged', async () => {
  const publish = async (reason: string) => {
    await s.publish(SLUG, [{ market: 'TWSE', date: '2026-06-19', is_open: false, reason }])
    return stored(s.workspace.releases, SLUG).files
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
  expect(damagedParts(s.workspace.releases, SLUG)).toEqual([])
})
