import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { quote } from '../../fixtures/publish/rows.ts'
import { stored } from '../../fixtures/publish/store.ts'
import { type Publisher, publisher } from './publisher.ts'

const QUOTES = 'daily-prices'
let s: Publisher
beforeEach(async () => {
  s = await publisher()
})
afterEach(() => s.close())

/** The first 60 bits of a row's md5. */
const bitsOf = (row: string): bigint => BigInt(`0x${createHash('md5').update(row).digest('hex').slice(0, 15)}`)

it("the fingerprint of a day is the XOR of its rows' md5 sums and begins with a version", async () => {
  const rows = [quote('1101', '2026-06-22', 1_000, { open: 10.05, close: null }), quote('2330', '2026-06-22', 3, { name: '台積電' })]
  await s.publish(QUOTES, rows)
  const { spans, paths, release } = stored(s.workspace.releases, QUOTES)
  const first = bitsOf(';high=11;low=9;name=7:股1101;open=1.0050000000000001e+01;ticker=4:1101;trades=1;turnover=10000;volume=1000')
  const second = bitsOf(';close=1.0500000000000000e+01;high=11;low=9;name=9:台積電;open=10;ticker=4:2330;trades=1;turnover=30;volume=3')
  expect(spans.slices['TWSE 2026-06-22']).toEqual([2, `1:${(first ^ second).toString(16)}`])
  // Version 0.1.0 refuses spans with any other key.
  expect(Object.keys(JSON.parse(readFileSync(paths.spans(release), 'utf8')))).toEqual(['base', 'delta', 'slices', 'received'])
})

it('the fingerprint of a day ignores row order and changes with a single figure', async () => {
  const day = (date: string, last: number) => [quote('1101', date, 7), quote('2330', date, last)]
  await s.publish(QUOTES, [...day('2026-06-22', 5), ...day('2026-06-23', 5).reverse()], { accept: ['same_body'] })
  await s.publish(QUOTES, day('2026-06-24', 6))
  const { slices } = stored(s.workspace.releases, QUOTES).spans
  const fingerprintOf = (date: string): string => slices[`TWSE ${date}`]![1]
  expect(fingerprintOf('2026-06-23')).toBe(fingerprintOf('2026-06-22'))
  expect(fingerprintOf('2026-06-24')).not.toBe(fingerprintOf('2026-06-22'))
})
