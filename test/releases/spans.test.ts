import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Manifest, readServedSpans, readSpans, releasePaths, type Spans, sha256OfText } from '../../src/releases/index.ts'
import { weekdays } from '../fixtures/publish/rows.ts'

const SLUG = 'institutional-positioning'
const RELEASE = '20260701T060000123Z'

let root = ''
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'twmd-'))
})
afterAll(() => rm(root, { recursive: true }))

async function manifestOf(text: string): Promise<Manifest> {
  const file = releasePaths(root, SLUG).spans(RELEASE)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
  return { dataset: SLUG, release: RELEASE, statistics: { spans: sha256OfText(text) } } as Manifest
}

/** Spans of so many keys and days that they are parsed in several slices. */
const SPANS: Spans = {
  base: Object.fromEntries(Array.from({ length: 2_000 }, (_, key) => [`K${key}`, ['2013-07-03', '2026-05-29', 3_300]])),
  delta: { K1: ['2026-06-01', '2026-06-01', 1] },
  slices: Object.fromEntries(weekdays('2013-07-03', 3_300).map(day => [`TWSE ${day}`, [2_000, '1:2dde935ad8e08af']])),
}
const RECEIVED = { source_rows: { 'TWSE 2026-06-01': [1, 1, 1] }, delta: { 'a.csv': [2, 2, 2] } } as const
const UNUSUAL = ['],', '{"}', '},"delta":{', '},"slices":{', '},"received":{', '\\', '', '股', '__proto__'] as const

it.each([
  ['of a release', JSON.stringify({ ...SPANS, received: RECEIVED })],
  ['of an old release', JSON.stringify(SPANS)],
  ['without rows', JSON.stringify({ base: {}, delta: {}, slices: {}, received: {} })],
  ['in another order', JSON.stringify({ slices: SPANS.slices, received: RECEIVED, base: SPANS.base, delta: SPANS.delta })],
  ['with line breaks', JSON.stringify(SPANS, null, 1)],
  ...UNUSUAL.map(name => {
    const padded = { ...SPANS.base, [name]: [null, null, 1], K: [null, null, 2] }
    return [
      `with the key ${JSON.stringify(name)}`,
      JSON.stringify({ ...SPANS, base: padded, delta: padded, received: { [name]: { [name]: [1, 1, 1] } } }),
    ]
  }),
])('a served release has the same spans as a publication reads: %s', async (_, text) => {
  const manifest = await manifestOf(text!)
  const { base, delta, slices } = await readServedSpans(root, manifest)
  const { received: __, ...spans } = await readSpans(root, manifest)
  expect({ base, delta, slices }).toEqual(spans)
})

it('other bytes than those of the manifest are refused', async () => {
  const manifest = await manifestOf(JSON.stringify(SPANS))
  await manifestOf(JSON.stringify({ ...SPANS, delta: {} }))
  await expect(readServedSpans(root, manifest)).rejects.toThrow('damaged')
})
