import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { CatalogDataset, DatasetSchema, SchemaColumn } from '../../../clients/typescript/src/index.ts'
import { ask, type Refused } from '../../api/client.ts'
import { type Screened, screenedBy } from './screen.ts'

export interface ScreenedDataset extends Screened {
  readonly columns: readonly SchemaColumn[]
}

interface LoadedDatasets {
  /** Null until the chosen columns are loaded. */
  readonly datasets: readonly ScreenedDataset[] | null
  /** Why a schema could not be loaded. Null if none was refused. */
  readonly refused: Refused | null
  /** Requests refused schemas again. */
  readonly again: () => void
}

/**
 * Loads the datasets that conditions can use.
 *
 * @param chosen datasets whose columns are needed. Null for all
 */
export function useScreened(catalog: readonly CatalogDataset[], chosen: readonly string[] | null): LoadedDatasets {
  const [loaded, turn] = [useSignal<ReadonlyMap<string, ScreenedDataset | Refused>>(new Map()), useSignal(0)]
  const possible = catalog.filter(dataset => screenedBy(dataset) && (chosen === null || chosen.includes(dataset.slug)))
  const slugs = possible.map(({ slug }) => slug).join()
  useEffect(() => {
    const missing = possible.filter(({ slug }) => !isLoaded(loaded.value.get(slug)))
    void Promise.all(missing.map(load)).then(found => {
      loaded.value = new Map([...loaded.value, ...found])
    })
  }, [slugs, turn.value])
  const all = possible.map(({ slug }) => loaded.value.get(slug))
  return {
    datasets: catalog.length === 0 || all.includes(undefined) ? null : all.filter(isLoaded).filter(({ columns }) => columns.length > 0),
    refused: all.find((one): one is Refused => one !== undefined && !isLoaded(one)) ?? null,
    again: () => (turn.value += 1),
  }
}

const isLoaded = (one: ScreenedDataset | Refused | undefined): one is ScreenedDataset => one !== undefined && 'columns' in one

/** Loads the columns of a dataset. */
async function load(dataset: CatalogDataset): Promise<readonly [slug: string, screened: ScreenedDataset | Refused]> {
  const answer = await ask<DatasetSchema>({ path: `/v2/datasets/${dataset.slug}/schema`, asVisitor: true })
  if (!answer.ok) return [dataset.slug, answer.refused]
  const schema = answer.body
  const columns = schema.columns.filter(({ range_filterable: isRanged }) => isRanged)
  return [dataset.slug, { ...screenedBy(dataset, schema)!, columns }]
}
