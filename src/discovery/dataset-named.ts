import { type Catalog, type Dataset, served } from '../../catalog/index.ts'
import { nearest, Refusal } from '../core/index.ts'

/** A served dataset by its slug or its id, with underscores too; undefined for any other name. */
export const findDataset = (catalog: Catalog, name: string): Dataset | undefined =>
  served(catalog).find(({ slug, id }) => slug === name.replaceAll('_', '-') || id === name || id.replaceAll('-', '_') === name)

/** A served dataset by its slug or its id, with underscores too. @throws Refusal unknown_dataset with the nearest name */
export function datasetNamed(catalog: Catalog, name: string): Dataset {
  const found = findDataset(catalog, name)
  if (found) return found
  const slugs = served(catalog).map(({ slug }) => slug)
  throw new Refusal('unknown_dataset', { did_you_mean: nearest(name.replaceAll('_', '-').toLowerCase(), slugs) ?? null, allowed: slugs })
}
