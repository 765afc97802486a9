import { type Catalog, type Dataset, type PlanId, served } from '../../../catalog/index.ts'
import { nearest, Refusal } from '../../core/index.ts'
import { findDataset } from '../../coverage/index.ts'

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

/** The least plan of a dataset by slug or id; undefined for a name that no dataset has which is read by itself. */
export const leastPlanOf = (catalog: Catalog, name: string): PlanId | undefined => findDataset(catalog, name)?.access?.plan
