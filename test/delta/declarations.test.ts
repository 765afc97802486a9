import { cp } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Dataset, loadCatalog } from '../../catalog/index.ts'
import type { Workspace } from '../../ingest/publish/index.ts'
import { addFiles, declaredFields, type PartStats, tableMetadata, tableName } from '../../src/delta/index.ts'
import { examples } from '../fixtures/publish/examples.ts'
import { stored } from '../fixtures/publish/store.ts'
import { dataFolder, openTestWorkspace } from '../support.ts'

const datasets = [...(await loadCatalog()).values()]
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

/** Delta's name for each column type that the engine reports. */
const DELTA: Readonly<Record<string, string>> = {
  VARCHAR: 'string',
  DATE: 'date',
  'TIMESTAMP WITH TIME ZONE': 'timestamp',
  DOUBLE: 'double',
  BIGINT: 'long',
  BOOLEAN: 'boolean',
}
const files = ({ slug }: Dataset): string =>
  stored(w.releases, slug)
    .files.map(file => `'${file}'`)
    .join(', ')

it('every table has a name that is valid in SQL, and its own stable id', () => {
  for (const dataset of datasets) expect(tableName(dataset)).toMatch(/^[a-z][a-z_]*$/)
  const ids = datasets.map(dataset => tableMetadata(dataset, false).id)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(new Set(ids).size).toBe(datasets.length)
  expect(tableMetadata({ ...datasets[0]!, slug: 'bond-yield-curve' }, false).id).toBe('dccde628-ba15-8616-80a6-e97ffa6b1f0e')
})

it('every table declares that its log and removed files are retained for a hundred years', () => {
  const retention = 'interval 36500 days'
  for (const dataset of datasets)
    expect.soft(tableMetadata(dataset, false).configuration, dataset.slug).toMatchObject({
      'delta.logRetentionDuration': retention,
      'delta.deletedFileRetentionDuration': retention,
    })
})

it('every table declares the columns of its parts in order, each with a comment', async () => {
  for (const dataset of datasets) {
    const fields = declaredFields(dataset)
    const found = await w.session.rows(`DESCRIBE SELECT * FROM read_parquet([${files(dataset)}])`)
    const columns = found.map(row => [row['column_name'], DELTA[String(row['column_type'])]])
    expect
      .soft(
        fields.map(({ name, type }) => [name, type]),
        dataset.slug,
      )
      .toEqual(columns)
    for (const { name, metadata } of fields) expect.soft(metadata.comment, `${dataset.slug}.${name}`).toBeTruthy()
    expect.soft(JSON.parse(tableMetadata(dataset, false).schemaString), dataset.slug).toEqual({ type: 'struct', fields })
  }
})

it('every table log states row count, bounds and null counts of each part', async () => {
  for (const dataset of datasets) {
    const { manifest, paths } = stored(w.releases, dataset.slug)
    const adds = addFiles(dataset, manifest, 0)
    expect
      .soft(
        adds.map(({ path }) => `${paths.home}/${path}`),
        dataset.slug,
      )
      .toEqual(manifest.parts.map(({ sha256 }) => paths.part(sha256)))
    for (const { path, stats } of adds) {
      const { numRecords, minValues, maxValues, nullCount } = JSON.parse(stats) as PartStats
      const names = Object.keys(minValues)
      expect.soft(names, dataset.slug).toEqual([dataset.key, dataset.date].filter(name => name !== undefined))
      const required = names.filter(name => !dataset.columns[name]!.nullable)
      expect.soft(Object.keys(nullCount), `${dataset.slug}, columns without nulls`).toEqual(required)
      const measures = names.map(name => `min(${name})::VARCHAR, max(${name})::VARCHAR, (count(*) - count(${name}))::INTEGER`)
      const [row] = await w.session.rows(`SELECT ${['count(*)::INTEGER', ...measures].join(', ')} FROM '${paths.home}/${path}'`)
      const stated = [numRecords, ...names.flatMap(name => [minValues[name], maxValues[name], nullCount[name] ?? 0])]
      expect.soft(Object.values(row!), `${dataset.slug}, ${path}`).toEqual(stated)
    }
  }
})

it('the statistics of a part with another schema omit days and keys', () => {
  const [dataset] = datasets
  const { manifest } = stored(w.releases, dataset!.slug)
  const [add] = addFiles(dataset!, { ...manifest, schema_hash: '0'.repeat(64) }, 0)
  expect(JSON.parse(add!.stats)).toEqual({ numRecords: manifest.parts[0]!.rows, minValues: {}, maxValues: {}, nullCount: {} })
})
