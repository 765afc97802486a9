import { cp } from 'node:fs/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Dataset, loadCatalog } from '../../catalog/index.ts'
import type { Workspace } from '../../ingest/publish/index.ts'
import { addFiles, declaredFields, type PartStats, tableMetadata, tableName } from '../../src/tables/index.ts'
import { examples } from '../fixtures/publish/examples.ts'
import { stored } from '../fixtures/publish/store.ts'
import { dataFolder, openTestWorkspace } from '../support.ts'

const datasets = [...(await loadCatalog()).values()]
const published = datasets.filter(({ planned }) => !planned)
let folder: Awaited<ReturnType<typeof dataFolder>>
let w: Workspace
beforeAll(async () => {
  folder = await dataFolder()
  await cp(await examples(), folder.dir, { recursive: true })
  w = await openTestWorkspace(folder.dir)
})
afterAll(async () => {
  w.close()
  await folder.remove()
})

/** What the engine finds in the parts, in the words of Delta. */
const DELTA: Readonly<Record<string, string>> = {
  VARCHAR: 'string',
  DATE: 'date',
  TIMESTAMP: 'timestamp',
  DOUBLE: 'double',
  BIGINT: 'long',
  BOOLEAN: 'boolean',
}
const files = ({ slug }: Dataset): string =>
  stored(w.releases, slug)
    .files.map(file => `'${file}'`)
    .join(', ')

describe('a dataset as an open table', () => {
  it('has a name that SQL takes, and an id of its own that never changes', () => {
    for (const dataset of datasets) expect(tableName(dataset)).toMatch(/^[a-z][a-z_]*$/)
    const ids = datasets.map(dataset => tableMetadata(dataset, false).id)
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(new Set(ids).size).toBe(datasets.length)
    expect(tableMetadata({ ...datasets[0]!, slug: 'bond-yield-curve' }, false).id).toBe('dccde628-ba15-8616-80a6-e97ffa6b1f0e')
  })

  it.each(published)('$slug declares the columns its parts hold, in their order, each with its meaning', async dataset => {
    const fields = declaredFields(dataset)
    const found = await w.session.rows(`DESCRIBE SELECT * FROM read_parquet([${files(dataset)}])`)
    expect(fields.map(({ name, type }) => [name, type])).toEqual(found.map(row => [row['column_name'], DELTA[String(row['column_type'])]]))
    for (const { metadata } of fields) expect(metadata.comment).toBeTruthy()
    expect(JSON.parse(tableMetadata(dataset, false).schemaString)).toEqual({ type: 'struct', fields })
  })

  it.each(published)('$slug tells of each part what is in it', async dataset => {
    const { manifest, paths } = stored(w.releases, dataset.slug)
    const adds = addFiles(dataset, manifest, 0)
    expect(adds.map(({ path }) => `${paths.home}/${path}`)).toEqual(manifest.parts.map(({ sha256 }) => paths.part(sha256)))
    for (const { path, stats } of adds) {
      const { numRecords, minValues, maxValues, nullCount } = JSON.parse(stats) as PartStats
      const named = Object.keys(minValues)
      expect(named).toEqual([dataset.key, dataset.date].filter(name => name !== undefined))
      const measures = named.map(name => `min(${name})::VARCHAR, max(${name})::VARCHAR, (count(*) - count(${name}))::INTEGER`)
      const [row] = await w.session.rows(`SELECT ${['count(*)::INTEGER', ...measures].join(', ')} FROM '${paths.home}/${path}'`)
      const told = [numRecords, ...named.flatMap(name => [minValues[name], maxValues[name], nullCount[name] ?? 0])]
      expect(Object.values(row!)).toEqual(told)
    }
  })

  it('says nothing of days and keys in a part that was written for other columns', () => {
    const [dataset] = published
    const { manifest } = stored(w.releases, dataset!.slug)
    const [add] = addFiles(dataset!, { ...manifest, schema_hash: '0'.repeat(64) }, 0)
    expect(JSON.parse(add!.stats)).toEqual({ numRecords: manifest.parts[0]!.rows, minValues: {}, maxValues: {}, nullCount: {} })
  })
})
