import { type Dataset, pathOf } from './dataset.ts'
import type { Filter } from './filter.ts'
import { isDailySeries } from './series.ts'

/**
 * All rows of a dataset on one day. A cross-section has the name and price of the dataset, but
 * another path.
 */
export interface CrossSection extends Dataset {
  readonly path: string
  readonly sectionOf: Dataset
}

/**
 * Returns the cross-section of a dataset. Undefined if the rows are not a daily series. Rows are
 * ordered by key, then by the rest of the grain. The filter `date` replaces the filters of key and
 * date.
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
    doc: `Day whose rows are returned. ${columns[date]!.doc}`,
  }
  return {
    ...dataset,
    sectionOf: dataset,
    path: `${pathOf(dataset)}/cross-section`,
    title: `${title}: cross-section`,
    titleZh: `${titleZh}（單日全部資料）`,
    description: `Rows of one day for all values of ${key}. ${description}`,
    descriptionZh: `單日所有 ${key} 的資料列。${descriptionZh}`,
    filters: Object.fromEntries([['date', day], ...others]),
    order: [key, ...grain.filter(name => !fixed.includes(name))].map(name => [name, 'asc'] as const),
    sortable: [],
  }
}
