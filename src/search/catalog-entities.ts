import { type Catalog, type Dataset, fieldsOf, listedFields, served } from '../../catalog/index.ts'
import type { SearchEntity } from './entity.ts'

export function catalogEntities(catalog: Catalog): readonly SearchEntity[] {
  const queried = [...fieldsOf(catalog.values()).values()].flatMap(listedFields)
  const queryFields = new Map(queried.toReversed().map(({ dataset, columnName, name }) => [`${dataset.id}.${columnName}`, name]))
  return served(catalog).flatMap(dataset => [datasetEntity(dataset), ...fieldEntities(dataset, queryFields)])
}

const schemaPath = ({ slug }: Dataset): string => `/v2/datasets/${slug}/schema`

function datasetEntity(dataset: Dataset): SearchEntity {
  const { slug, id, title, titleZh, description, descriptionZh, filters } = dataset
  const allValues = Object.values(filters).flatMap(filter => ('all' in filter && typeof filter.all === 'string' ? [filter.all] : []))
  return {
    type: 'dataset',
    id,
    title,
    subtitle: titleZh,
    titles: { en: title, zh: titleZh },
    market: null,
    delistedOn: null,
    codes: [id, slug, ...allValues],
    names: [title, titleZh],
    description: `${description} ${descriptionZh}`,
    datasets: [id],
    reads: [],
    url: schemaPath(dataset),
    queryField: null,
  }
}

const fieldEntities = (dataset: Dataset, queryFields: ReadonlyMap<string, string>): readonly SearchEntity[] =>
  Object.entries(dataset.columns).map(([name, { zh, doc, docZh }]) => ({
    type: 'field',
    id: `${dataset.id}.${name}`,
    title: name,
    subtitle: `${zh} · ${dataset.titleZh}`,
    titles: { en: name.replaceAll('_', ' '), zh },
    market: null,
    delistedOn: null,
    codes: [`${dataset.id}.${name}`, name],
    names: [zh],
    description: `${doc} ${docZh}`,
    datasets: [dataset.id],
    reads: [],
    url: schemaPath(dataset),
    queryField: queryFields.get(`${dataset.id}.${name}`) ?? null,
  }))
