import { type Catalog, crossSections, type Dataset, pathOf, served } from '../../../../catalog/index.ts'
import { nearest, Refusal } from '../../../core/index.ts'
import { findDataset, findDescribed } from '../../../coverage/index.ts'

export const LIST = '/v2/datasets'

/** Suggests the nearest name, or the path of a dataset with its own path. */
export function unknownHere(name: string, catalog: Catalog): Refusal {
  const allowed = served(catalog).flatMap(({ path, slug }) => (path === undefined ? [slug] : []))
  const elsewhere = findDataset(catalog, name)?.path
  if (name === '')
    return new Refusal(
      'unknown_dataset',
      { read_at: LIST, allowed },
      {
        en: `The dataset is missing from the path. All datasets are listed at ${LIST}.`,
        zh: `路徑中缺少資料集。清單請見 ${LIST}。`,
      },
    )
  const described = findDescribed(catalog, name)
  if (described && !described.access) return notByItself(described, allowed)
  const did_you_mean = nearest(name.replaceAll('_', '-').toLowerCase(), allowed) ?? null
  if (elsewhere === undefined) return new Refusal('unknown_dataset', { did_you_mean, allowed })
  return new Refusal(
    'unknown_dataset',
    { read_at: elsewhere, allowed },
    {
      en: `This dataset has another path. Read it at ${elsewhere}.`,
      zh: `此路徑無法讀取該資料集，請改用 ${elsewhere}。`,
    },
  )
}

/** Suggests a field query. */
function notByItself({ id, slug, fields = [] }: Dataset, allowed: readonly string[]): Refusal {
  const types = [...new Set(fields.map(({ entity }) => entity))]
  const read_at = `/v2/query?entity_type=${types[0]}`
  return new Refusal(
    'unknown_dataset',
    { dataset: id, slug, read_at, allowed },
    {
      en: `This dataset cannot be read directly. Query its fields in /v2/query with entity_type=${types.join(' and ')}; /v2/query/fields lists them.`,
      zh: `此資料集不單獨提供。請於 /v2/query 以 entity_type=${types.join('、')} 查詢其欄位，欄位清單見 /v2/query/fields。`,
    },
  )
}

export function withoutSection(name: string, catalog: Catalog): Refusal {
  const dataset = findDescribed(catalog, name)
  const allowed = crossSections(catalog).map(({ slug }) => slug)
  if (!dataset)
    return new Refusal('unknown_dataset', { did_you_mean: nearest(name.replaceAll('_', '-').toLowerCase(), allowed) ?? null, allowed })
  if (!dataset.access) return notByItself(dataset, allowed)
  const path = pathOf(dataset)
  return new Refusal(
    'unknown_dataset',
    { read_at: path, allowed },
    {
      en: `This dataset is not a daily series and has no cross-sections. Read it at ${path}.`,
      zh: `此資料集不是逐日資料，無法查詢單日全部資料（cross-section）。請改用 ${path}。`,
    },
  )
}
