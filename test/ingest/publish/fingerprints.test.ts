import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { quote, trade } from '../../fixtures/publish/rows.ts'
import { sha256, stored } from '../../fixtures/publish/store.ts'
import { service, type TestService } from '../../support.ts'

const QUOTES = 'daily-quotes'
const TRADES = 'institutional-positioning'
let s: TestService
beforeEach(async () => {
  s = await service({ examples: false })
})
afterEach(() => s.close())

/** The first 60 bits of a row's md5. */
const bitsOf = (row: string): bigint => BigInt(`0x${createHash('md5').update(row).digest('hex').slice(0, 15)}`)

/** Rewrites the served release as one that carries hashes of the engine that wrote it and names no version of them. */
function makeOld(): void {
  const { paths, release, manifest, spans } = stored(s.workspace.releases, TRADES)
  const { fingerprint_version: _, ...rest } = spans
  const slices = Object.fromEntries(Object.entries(spans.slices).map(([name, [rows]], index) => [name, [rows, `A${index}`]]))
  const text = JSON.stringify({ ...rest, slices })
  const sealed = `${JSON.stringify({ ...manifest, statistics: { ...manifest.statistics, spans: sha256(text) } }, null, 1)}\n`
  writeFileSync(paths.spans(release), text)
  writeFileSync(paths.manifest(release), sealed)
  writeFileSync(paths.seal(release), `${sha256(sealed)}\n`)
}

describe('the fingerprint of a day’s rows', () => {
  it('is made of their md5 and not of the engine’s own hash, and has a version beside it', async () => {
    const rows = [quote('1101', '2026-06-22', 1_000, { open: 10.05, close: null }), quote('2330', '2026-06-22', 3, { name: '台積電' })]
    await s.publish(QUOTES, rows)
    const { spans, paths, release } = stored(s.workspace.releases, QUOTES)
    const first = bitsOf(';high=11;low=9;name=7:股1101;open=1.0050000000000001e+01;ticker=4:1101;trades=1;turnover=10000;volume=1000')
    const second = bitsOf(';close=1.0500000000000000e+01;high=11;low=9;name=9:台積電;open=10;ticker=4:2330;trades=1;turnover=30;volume=3')
    expect(spans.slices['TWSE 2026-06-22']).toEqual([2, (first ^ second).toString(16)])
    expect(JSON.parse(readFileSync(paths.spans(release), 'utf8'))).toMatchObject({ fingerprint_version: 1 })
  })

  it('is equal for the same rows in any order, and differs with a single figure', async () => {
    const day = (date: string, last: number) => [quote('1101', date, 7), quote('2330', date, last)]
    await s.publish(QUOTES, [...day('2026-06-22', 5), ...day('2026-06-23', 5).reverse()], { accept: ['same_body'] })
    await s.publish(QUOTES, day('2026-06-24', 6))
    const { slices } = stored(s.workspace.releases, QUOTES).spans
    const of = (date: string): string => slices[`TWSE ${date}`]![1]
    expect(of('2026-06-23')).toBe(of('2026-06-22'))
    expect(of('2026-06-24')).not.toBe(of('2026-06-22'))
  })
})

describe('a release written before fingerprints had a version', () => {
  const day = (date: string, volume: number) => [trade('1101', date, volume), trade('2330', date, volume + 1)]

  it('is served, and published upon: a day whose rows equal one of its days is refused as before', async () => {
    await s.publish(TRADES, [...day('2026-06-22', 5), ...day('2026-06-23', 8)])
    const { spans } = stored(s.workspace.releases, TRADES)
    makeOld()
    await s.releases.refresh()
    expect((await s.get(`/v2/datasets/${TRADES}?symbol=2330`, s.keyOn('pro'))).json().data).toHaveLength(2)
    const refused = await s.publish(TRADES, day('2026-06-24', 8))
    expect(refused).toMatchObject({ status: 'refused', faults: [{ rule: 'same_body', samples: ['TWSE 2026-06-24', 'TWSE 2026-06-23'] }] })
    expect(await s.publish(TRADES, day('2026-06-24', 9))).toMatchObject({ status: 'published', faults: [] })
    const after = stored(s.workspace.releases, TRADES).spans
    expect(after.fingerprint_version).toBe(1)
    expect(after.slices).toMatchObject(spans.slices)
  })
})
