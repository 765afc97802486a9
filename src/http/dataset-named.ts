import type { Dataset } from '../../catalog/dataset.ts'
import { type Catalog, served } from '../../catalog/load.ts'
import { Refusal } from '../core/errors.ts'
import { nearest } from '../core/nearest.ts'

/** A served dataset by its slug or its id with underscores. @throws Refusal unknown_dataset with the nearest name */
export function datasetNamed(catalog: Catalog, name: string): Dataset {
  const datasets = served(catalog)
  const found = datasets.find(({ slug, id }) => slug === name || id === name || id.replaceAll('-', '_') === name)
  if (found) return found
  const slugs = datasets.map(({ slug }) => slug)
  throw new Refusal('unknown_dataset', { did_you_mean: nearest(name.replaceAll('_', '-').toLowerCase(), slugs) ?? null, allowed: slugs })
}
