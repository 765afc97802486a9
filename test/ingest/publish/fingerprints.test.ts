import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Spans } from '../../../src/releases/index.ts'
import { quote, trade } from '../../fixtures/publish/rows.ts'
import { sha256, stored } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from './publisher.ts'

const QUOTES = 'daily-prices'
const TRADES = 'institutional-positioning'
let s: Publisher
beforeEach(async () => {
  s = await publisher()
})
afterEach(() => s.close())

/** The first 60 bits of a row's md5. */
const bitsOf = (row: string): bigint => BigInt(`0x${createHash('md5').update(row).digest('hex').slice(0, 15)}`)

/** Rewrites the spans of the served release. */
function rewrite(slug: string, change: (spans: Spans) => object): void {
  const { paths, release, manifest, spans } = stored(s.workspace.releases, slug)
  const text = JSON.stringify(change(spans))
  const sealed = `${JSON.stringify({ ...manifest, statistics: { ...manifest.statistics, spans: sha256(text) } }, null, 1)}\n`
  writeFileSync(paths.spans(release), text)
  writeFileSync(paths.manifest(release), sealed)
  writeFileSync(paths.seal(release), `${sha256(sealed)}\n`)
}

/** Replaces the fingerprints of the served release by hashes without a version, as early releases have. */
const makeOld = (slug: string): void =>
  rewrite(slug, spans => ({
    ...spans,
    slices: Object.fromEntries(Object.entries(spans.slices).map(([name, slice], index) => [name, [slice[0], `A${index}`]])),
  }))

it("the fingerprint of a day is the XOR of its rows' md5 sums and begins with a version", async () => {
  const rows = [quote('1101', '2026-06-22', 1_000, { open: 10.05, close: null }), quote('2330', '2026-06-22', 3, { name: '台積電' })]
  await s.publish(QUOTES, rows)
  const { spans, paths, release } = stored(s.workspace.releases, QUOTES)
  const first = bitsOf(';high=11;low=9;name=7:股1101;open=1.0050000000000001e+01;ticker=4:1101;trades=1;turnover=10000;volume=1000')
  const second = bitsOf(';close=1.0500000000000000e+01;high=11;low=9;name=9:台積電;open=10;ticker=4:2330;trades=1;turnover=30;volume=3')
  expect(spans.slices['TWSE 2026-06-22']).toEqual([2, `1:${(first ^ second).toString(16)}`])
  // Version 0.1.0 refuses spans with any other keys.
  expect(Object.keys(JSON.parse(readFileSync(paths.spans(release), 'utf8')))).toEqual(['base', 'delta', 'slices', 'received'])
})

it('the fingerprint of a day ignores row order and changes with a single figure', async () => {
  const day = (date: string, last: number) => [quote('1101', date, 7), quote('2330', date, last)]
  await s.publish(QUOTES, [...day('2026-06-22', 5), ...day('2026-06-23', 5).reverse()], { accept: ['same_body'] })
  await s.publish(QUOTES, day('2026-06-24', 6))
  const { slices } = stored(s.workspace.releases, QUOTES).spans
  const of = (date: string): string => slices[`TWSE ${date}`]![1]
  expect(of('2026-06-23')).toBe(of('2026-06-22'))
  expect(of('2026-06-24')).not.toBe(of('2026-06-22'))
})

const day = (date: string, volume: number) => [trade('1101', date, volume), trade('2330', date, volume + 1)]

it('a release with unversioned fingerprints still refuses a repeated day and gets new fingerprints when built upon', async () => {
  await s.publish(TRADES, [...day('2026-06-22', 5), ...day('2026-06-23', 8)])
  const { spans } = stored(s.workspace.releases, TRADES)
  makeOld(TRADES)
  const refused = await s.publish(TRADES, day('2026-06-24', 8))
  expect(refused).toMatchObject({ status: 'refused', faults: [{ rule: 'same_body', samples: ['TWSE 2026-06-24', 'TWSE 2026-06-23'] }] })
  expect(await s.publish(TRADES, day('2026-06-24', 9))).toMatchObject({ status: 'published', faults: [] })
  const after = stored(s.workspace.releases, TRADES).spans
  expect(after.slices).toMatchObject(spans.slices)
})
