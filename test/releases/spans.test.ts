import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Manifest, readServedSpans, readSpans, releasePaths, type Spans, sha256OfText } from '../../src/releases/index.ts'

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

const SPANS: Spans = {
  base: { 1101: ['2013-07-03', '2026-05-29', 3_300], 2330: [null, null, 1] },
  delta: { 1101: ['2026-06-01', '2026-06-01', 1] },
  slices: { 'TWSE 2026-06-01': [2_000, '1:2dde935ad8e08af'] },
}
const RECEIVED: Spans['received'] = { source_rows: { 'TWSE 2026-06-01': [1, 1, 1] }, received: { 'a.csv': [2, 2, 2] } }

it.each<[string, Spans]>([
  ['of a release', { ...SPANS, received: RECEIVED }],
  ['of a release from before received rows were counted', SPANS],
  ['of a release without rows', { base: {}, delta: {}, slices: {}, received: {} }],
  ...['received', ',"received":{', '"},"received":{"', '\\', '', '股'].map<[string, Spans]>(key => [
    `with the key ${JSON.stringify(key)}`,
    { base: { ...SPANS.base, [key]: [null, null, 1] }, delta: { [key]: [null, null, 2] }, slices: { [key]: [1, key] }, received: RECEIVED },
  ]),
])('a service reads the same spans as a publication: %s', async (_, spans) => {
  const manifest = await manifestOf(JSON.stringify(spans))
  const { received, ...others } = await readSpans(root, manifest)
  expect(received).toEqual(spans.received)
  expect(await readServedSpans(root, manifest)).toEqual(others)
})

it('a service refuses spans whose bytes do not match the manifest', async () => {
  const manifest = await manifestOf(JSON.stringify(SPANS))
  await manifestOf(JSON.stringify({ ...SPANS, delta: {} }))
  await expect(readServedSpans(root, manifest)).rejects.toThrow('damaged')
})
