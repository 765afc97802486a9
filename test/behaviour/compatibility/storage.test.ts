import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { loadCatalog, schemaHash } from '../../../catalog/index.ts'
import { bucketOf } from '../../../src/releases/index.ts'

/**
 * Schema hashes by slug. They are also in stored releases. If a hash changes, stored parts no
 * longer match the catalog.
 */
const golden = JSON.parse(await readFile(new URL('schema-hashes.json', import.meta.url), 'utf8')) as Readonly<Record<string, string>>
const catalog = await loadCatalog()

it('every dataset keeps the schema hash that its stored releases contain', () => {
  for (const [slug, hash] of Object.entries(golden)) expect.soft(schemaHash(catalog.get(slug)!), slug).toBe(hash)
})

/**
 * 32-bit FNV-1a over the key's UTF-8 bytes, modulo 1, 3, 4 and 16. Another program computed the
 * expected values.
 */
it.each([
  ['2330', [0, 0, 1, 9]],
  ['0050', [0, 0, 0, 8]],
  ['00632R', [0, 1, 2, 10]],
  ['585b', [0, 0, 3, 15]],
  ['585B', [0, 0, 3, 15]],
  ['10Y', [0, 0, 3, 7]],
  ['半導體', [0, 0, 0, 0]],
])('rows of key %s are stored in buckets %j', (key, buckets) => {
  expect([1, 3, 4, 16].map(count => bucketOf(key, count))).toEqual(buckets)
})
