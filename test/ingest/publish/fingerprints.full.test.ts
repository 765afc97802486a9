import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Spans } from '../../../src/releases/index.ts'
import { quote, trade } from '../../fixtures/publish/rows.ts'
import { sha256, stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const QUOTES = 'daily-prices'
const TRADES = 'institutional-positioning'
let s: TestService
beforeEach(async () => {
  s = await service({ examples: false })
})
afterEach(() => s.close())

/** Rewrites the spans of the served release. */
function rewrite(slug: string, change: (spans: Spans) => object): void {
  const { paths, release, manifest, spans } = stored(s.workspace.releases, slug)
  const text = JSON.stringify(change(spans))
  const sealed = `${JSON.stringify({ ...manifest, statistics: { ...manifest.statistics, spans: sha256(text) } }, null, 1)}\n`
  writeFileSync(paths.spans(release), text)
  writeFileSync(paths.manifest(release), sealed)
  writeFileSync(paths.seal(release), `${sha256(sealed)}\n`)
}

/**
 * Replaces the fingerprints of one day of the served release, or of all days, with unversioned
 * hashes, as in early releases.
 */
const makeOld = (slug: string, only?: string): void =>
  rewrite(slug, spans => ({
    ...spans,
    slices: Object.fromEntries(
      Object.entries(spans.slices).map(([name, slice], index) => [name, only && name !== only ? slice : [slice[0], `A${index}`]]),
    ),
  }))

const day = (date: string, volume: number) => [trade('1101', date, volume), trade('2330', date, volume + 1)]

it('a publication on a release with unversioned fingerprints still refuses a repeated day, and writes versioned fingerprints', async () => {
  await s.publish(TRADES, [...day('2026-06-22', 5), ...day('2026-06-23', 8)])
  const { spans } = stored(s.workspace.releases, TRADES)
  makeOld(TRADES)
  const refused = await s.publish(TRADES, day('2026-06-24', 8))
  expect(refused).toMatchObject({ status: 'refused', faults: [{ rule: 'same_body', samples: ['TWSE 2026-06-24', 'TWSE 2026-06-23'] }] })
  expect(await s.publish(TRADES, day('2026-06-24', 9))).toMatchObject({ status: 'published', faults: [] })
  const after = stored(s.workspace.releases, TRADES).spans
  expect(after.slices).toMatchObject(spans.slices)
})

it('a repeated day is refused, whether the release has a versioned or an unversioned fingerprint of that day', async () => {
  await s.publish(TRADES, [...day('2026-06-22', 5), ...day('2026-06-23', 8)])
  const { spans } = stored(s.workspace.releases, TRADES)
  makeOld(TRADES, 'TWSE 2026-06-23')
  for (const [seed, twin] of [
    [5, 'TWSE 2026-06-22'],
    [8, 'TWSE 2026-06-23'],
  ] as const)
    expect(await s.publish(TRADES, day('2026-06-24', seed))).toMatchObject({
      faults: [{ rule: 'same_body', samples: ['TWSE 2026-06-24', twin] }],
    })
  await s.publish(TRADES, day('2026-06-24', 9))
  expect(stored(s.workspace.releases, TRADES).spans.slices).toMatchObject(spans.slices)
})

it('days of a damaged part keep unversioned fingerprints until the part is restored', async () => {
  const quotes = (date: string, volume: number) => [quote('1101', date, volume), quote('2330', date, volume + 1)]
  await s.publish(QUOTES, [...quotes('2026-06-22', 5), ...quotes('2026-06-23', 8)])
  await s.publish(QUOTES, quotes('2026-06-24', 11))
  const { spans, base, paths } = stored(s.workspace.releases, QUOTES)
  makeOld(QUOTES)
  const file = paths.part(base[0]!.sha256)
  const whole = readFileSync(file)
  writeFileSync(file, Buffer.alloc(whole.length))
  expect(await s.publish(QUOTES, quotes('2026-06-25', 11))).toMatchObject({ faults: [{ rule: 'same_body' }] })
  expect(await s.publish(QUOTES, quotes('2026-06-25', 8))).toMatchObject({ status: 'published' })
  expect(stored(s.workspace.releases, QUOTES).spans.slices).toMatchObject({
    ...spans.slices,
    'TWSE 2026-06-22': [2, 'A0'],
    'TWSE 2026-06-23': [2, 'A1'],
  })
  writeFileSync(file, whole)
  expect(await s.publish(QUOTES, quotes('2026-06-26', 5))).toMatchObject({ faults: [{ rule: 'same_body' }] })
  await s.publish(QUOTES, quotes('2026-06-26', 14))
  expect(stored(s.workspace.releases, QUOTES).spans.slices).toMatchObject(spans.slices)
})

it('a release whose spans have unknown keys is served, and the next publication builds on it', async () => {
  const day = (date: string, volume: number) => [trade('1101', date, volume), trade('2330', date, volume + 1)]
  await s.publish(TRADES, day('2026-06-22', 5))
  rewrite(TRADES, spans => ({ ...spans, later: { of: 'any form' } }))
  await s.releases.refresh()
  expect((await s.get(`/v2/datasets/${TRADES}?symbol=2330`, s.keyOn('pro'))).json().data).toHaveLength(1)
  expect(await s.publish(TRADES, day('2026-06-23', 8))).toMatchObject({ status: 'published' })
})
