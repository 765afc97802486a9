import { type Dataset, pathOf } from './dataset.ts'
import type { Filter } from './filter.ts'
import { isDailySeries } from './series.ts'

/** A dataset's rows of one day, of every key: read like a dataset, at a path of its own, under the same name and at the same price. */
export interface CrossSection extends Dataset {
  readonly path: string
  readonly sectionOf: Dataset
}

/**
 * The cross-section of a dataset, ordered by key, then by the rest of the grain; undefined where its rows are no series by day. It takes the
 * dataset's filters but those of the key and of the date, for which it has `date`.
 */
export function crossSection(dataset: Dataset): CrossSection | undefined {
  const { key, date, grain, filters, columns, example, title, titleZh, description, descriptionZh } = dataset
  if (key === undefined || date === undefined || !isDailySeries(dataset)) return undefined
  const fixed = [key, date]
  const others = Object.entries(filters).filter(([, { column, also }]) => !fixed.includes(column) && !(also && fixed.includes(also)))
  const day: Filter = {
    column: date,
    op: 'eq',
    required: true,
    example: String(example[0]?.[date]),
    doc: `One day, all of whose rows are read. ${columns[date]!.doc}`,
  }
  return {
    ...dataset,
    sectionOf: dataset,
    path: `${pathOf(dataset)}/cross-section`,
    title: `${title}: cross-section`,
    titleZh: `${titleZh}橫斷面`,
    description: `All rows of one day, by ${key}. ${description}`,
    descriptionZh: `單日所有 ${key} 的資料列。${descriptionZh}`,
    filters: Object.fromEntries([['date', day], ...others]),
    order: [key, ...grain.filter(name => !fixed.includes(name))].map(name => [name, 'asc'] as const),
    sortable: [],
  }
}
