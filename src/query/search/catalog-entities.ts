import type { Dataset } from '../../../catalog/dataset.ts'
import { type Catalog, served } from '../../../catalog/load.ts'
import type { Entity } from './entity.ts'

/** Served datasets and every column of theirs. */
export const catalogEntities = (catalog: Catalog): readonly Entity[] =>
  served(catalog).flatMap(dataset => [datasetEntity(dataset), ...fieldEntities(dataset)])

const schemaPath = ({ slug }: Dataset): string => `/v2/datasets/${slug}/schema`

function datasetEntity(dataset: Dataset): Entity {
  const { slug, id, title, titleZh, description } = dataset
  return {
    type: 'dataset',
    id,
    title,
    subtitle: titleZh,
    market: null,
    codes: [id, slug],
    names: [title, titleZh],
    description,
    datasets: [id],
    url: schemaPath(dataset),
  }
}

const fieldEntities = (dataset: Dataset): readonly Entity[] =>
  Object.entries(dataset.columns).map(([name, { zh, doc }]) => ({
    type: 'field',
    id: `${dataset.id}.${name}`,
    title: name,
    subtitle: `${zh} · ${dataset.title}`,
    market: null,
    codes: [`${dataset.id}.${name}`, name],
    names: [zh],
    description: doc,
    datasets: [dataset.id],
    url: schemaPath(dataset),
  }))
