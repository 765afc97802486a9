import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
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

/** Gives the named days of the served release, or all of them, hashes of the engine that wrote it, which carry no version. */
const makeOld = (slug: string, only?: string): void =>
  rewrite(slug, spans => ({
    ...spans,
    slices: Object.fromEntries(
      Object.entries(spans.slices).map(([name, slice], index) => [name, only && name !== only ? slice : [slice[0], `A${index}`]]),
    ),
  }))

describe('the fingerprint of a day’s rows', () => {
  it('is made of their md5 and not of the engine’s own hash, and begins with its version', async () => {
    const rows = [quote('1101', '2026-06-22', 1_000, { open: 10.05, close: null }), quote('2330', '2026-06-22', 3, { name: '台積電' })]
    await s.publish(QUOTES, rows)
    const { spans, paths, release } = stored(s.workspace.releases, QUOTES)
    const first = bitsOf(';high=11;low=9;name=7:股1101;open=1.0050000000000001e+01;ticker=4:1101;trades=1;turnover=10000;volume=1000')
    const second = bitsOf(';close=1.0500000000000000e+01;high=11;low=9;name=9:台積電;open=10;ticker=4:2330;trades=1;turnover=30;volume=3')
    expect(spans.slices['TWSE 2026-06-22']).toEqual([2, `1:${(first ^ second).toString(16)}`])
    // Version 0.1.0 refuses spans with any other keys.
    expect(Object.keys(JSON.parse(readFileSync(paths.spans(release), 'utf8')))).toEqual(['base', 'delta', 'slices', 'received'])
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
    makeOld(TRADES)
    await s.releases.refresh()
    expect((await s.get(`/v2/datasets/${TRADES}?symbol=2330`, s.keyOn('pro'))).json().data).toHaveLength(2)
    const refused = await s.publish(TRADES, day('2026-06-24', 8))
    expect(refused).toMatchObject({ status: 'refused', faults: [{ rule: 'same_body', samples: ['TWSE 2026-06-24', 'TWSE 2026-06-23'] }] })
    expect(await s.publish(TRADES, day('2026-06-24', 9))).toMatchObject({ status: 'published', faults: [] })
    const after = stored(s.workspace.releases, TRADES).spans
    expect(after.slices).toMatchObject(spans.slices)
  })

  it('may have days of both kinds, since an older version has published upon it', async () => {
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

  it('is published upon though a part the batch does not touch is damaged; its days are fingerprinted once it is restored', async () => {
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
})

describe('spans with keys of a later version', () => {
  it('are read, and the release is served and published upon', async () => {
    const day = (date: string, volume: number) => [trade('1101', date, volume), trade('2330', date, volume + 1)]
    await s.publish(TRADES, day('2026-06-22', 5))
    rewrite(TRADES, spans => ({ ...spans, later: { of: 'any form' } }))
    await s.releases.refresh()
    expect((await s.get(`/v2/datasets/${TRADES}?symbol=2330`, s.keyOn('pro'))).json().data).toHaveLength(1)
    expect(await s.publish(TRADES, day('2026-06-23', 8))).toMatchObject({ status: 'published' })
  })
})
