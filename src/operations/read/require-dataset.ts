import { type Catalog, type Dataset, type PlanId, served } from '../../../catalog/index.ts'
import { nearest, Refusal } from '../../core/index.ts'
import { findDataset } from '../../coverage/index.ts'

/** Finds a served dataset by slug or id. @throws Refusal unknown_dataset with the nearest name */
export function requireDataset(catalog: Catalog, name: string): Dataset {
  const dataset = findDataset(catalog, name)
  if (dataset) return dataset
  const allowed = served(catalog).map(({ slug }) => slug)
  throw new Refusal('unknown_dataset', { did_you_mean: nearest(name.replaceAll('_', '-').toLowerCase(), allowed) ?? null, allowed })
}

/** Returns the minimum plan of a dataset by slug or id. Undefined if the name is unknown. */
export const requiredPlanOf = (catalog: Catalog, name: string): PlanId | undefined => findDataset(catalog, name)?.access?.plan
