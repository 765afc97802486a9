import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { CatalogDataset, DatasetSchema, SchemaColumn } from '../../../clients/typescript/src/index.ts'
import { ask } from '../../api/client.ts'
import { type Screened, screenedBy } from './screen.ts'

export interface ScreenedDataset extends Screened {
  readonly columns: readonly SchemaColumn[]
}

/**
 * Loads the datasets that conditions can use. Null until the chosen columns are loaded.
 *
 * @param chosen datasets whose columns are needed. Null for all
 */
export function useScreened(catalog: readonly CatalogDataset[], chosen: readonly string[] | null): readonly ScreenedDataset[] | null {
  const loaded = useSignal<ReadonlyMap<string, ScreenedDataset>>(new Map())
  const possible = catalog.filter(dataset => screenedBy(dataset) && (chosen === null || chosen.includes(dataset.slug)))
  const slugs = possible.map(({ slug }) => slug).join()
  useEffect(() => {
    const missing = possible.filter(({ slug }) => !loaded.value.has(slug))
    void Promise.all(missing.map(load)).then(found => {
      loaded.value = new Map([...loaded.value, ...found])
    })
  }, [slugs])
  const all = possible.map(({ slug }) => loaded.value.get(slug))
  return catalog.length === 0 || all.includes(undefined) ? null : all.flatMap(one => (one && one.columns.length > 0 ? [one] : []))
}

/** Loads the columns of a dataset. If the schema cannot be loaded, the dataset has no columns. */
async function load(dataset: CatalogDataset): Promise<readonly [slug: string, screened: ScreenedDataset]> {
  const answer = await ask<DatasetSchema>({ path: `/v2/datasets/${dataset.slug}/schema`, asVisitor: true })
  const schema = answer.ok ? answer.body : undefined
  const columns = (schema?.columns ?? []).filter(({ range_filterable: isRanged }) => isRanged)
  return [dataset.slug, { ...screenedBy(dataset, schema)!, columns }]
}
