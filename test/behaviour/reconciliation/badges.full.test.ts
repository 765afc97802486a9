import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Row } from '../../../catalog/index.ts'
import { body, ingest, t86Body } from '../../fixtures/ingest/bodies.ts'
import { day } from '../../fixtures/publish/rows.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { scrubbed } from '../../fixtures/releases/scrubbed.ts'
import { service, type TestService } from '../../support.ts'
import { badge, counts } from './badges.ts'

const SLUG = 'institutional-positioning'
let s: TestService
beforeEach(async () => {
  s = await service({ examples: false, inMemory: false })
})
afterEach(() => s.close())

it('a badge lists each missing comparison once, with its dataset', async () => {
  await s.publish('daily-prices', s.dataset('daily-prices').example as Row[], { synthetic: true })
  await s.publish(SLUG, day('2026-06-29', 1), { synthetic: true })
  const { methods, unchecked } = await badge(s, SLUG)
  expect(methods.filter(({ method }) => method === 'source_rows').map(({ dataset }) => dataset)).toEqual([SLUG, 'daily_prices'])
  expect(unchecked).toEqual(expect.arrayContaining(['source_rows', 'daily_prices.source_rows']))
  expect(new Set(unchecked).size).toBe(unchecked.length)
})

it('a badge reports the older release while a newer release is damaged', async () => {
  const [older, newer] = ['2026-06-29', '2026-06-30'].map(date =>
    body(s, `${date}.json`, t86Body(date, { '2330': [date.length, 1, date.endsWith('9') ? 1 : 2] })),
  )
  await ingest(s, 'twse-t86', [older!])
  const before = await badge(s, SLUG)
  await ingest(s, 'twse-t86', [newer!])
  expect(await counts(s, SLUG, 'source_rows')).toEqual([2, 2, 2])
  const { files, delta } = stored(s.workspace.releases, SLUG)
  const file = files.find(name => name.includes(delta[0]!.sha256))!
  const bytes = readFileSync(file)
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(file, bytes)
  await scrubbed(s.releases)
  expect(await badge(s, SLUG)).toEqual({ ...before, status: 'degraded' })
})
