import { type Catalog, type Dataset, served } from '../../catalog/index.ts'
import { nearest, Refusal } from '../core/index.ts'
import { findDataset } from '../discovery/index.ts'

/**
 * The dataset of that slug or id, of those that are read by themselves.
 *
 * @throws Refusal unknown_dataset with the nearest name
 */
export function soldDataset(catalog: Catalog, name: string): Dataset {
  const found = findDataset(catalog, name)
  if (found) return found
  const allowed = served(catalog).map(({ slug }) => slug)
  throw new Refusal('unknown_dataset', { did_you_mean: nearest(name.replaceAll('_', '-').toLowerCase(), allowed) ?? null, allowed })
}
