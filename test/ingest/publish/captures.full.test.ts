import { closeSync, openSync, readSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { t86Body } from '../../fixtures/ingest/bodies.ts'
import { type Publisher, publisher } from './publisher.ts'

let s: Publisher
beforeEach(async () => {
  s = await publisher()
})
afterEach(() => s.close())

const day = (date: string, bought: number) => s.file(`${date}.json`, t86Body(date, { '2330': [bought, 0, 0], '1101': [-bought, 0, 0] }))

function endOf(file: string): string {
  const { size } = statSync(file)
  const [handle, bytes] = [openSync(file, 'r'), Buffer.alloc(1_000)]
  readSync(handle, bytes, 0, 1_000, size - 1_000)
  closeSync(handle)
  return bytes.toString()
}

it('a capture is appended to a 3 GiB journal without reading it', async () => {
  const file = join(s.workspace.captures, 'twse-t86.ndjson')
  await s.ingest('twse-t86', [day('2026-06-22', 1)])
  // Longer than the maximum length of strings and buffers.
  truncateSync(file, 3 * 2 ** 30)
  const { results } = await s.ingest('twse-t86', [day('2026-06-23', 2)])
  expect(results.map(({ outcome }) => outcome)).toEqual(['published'])
  expect(JSON.parse(endOf(file).split('\n').at(-2)!)).toMatchObject({ date: '2026-06-23', outcome: 'published' })
})
