import type { Dataset } from '../../../catalog/index.ts'
import { type Fault, nearest, nearestParam, parameterRefusal } from '../../core/index.ts'
import { COMMON_PARAMS, type ReadParams } from '../../read/index.ts'

type Scalar = string | number | boolean

interface RowsArguments {
  /** Absent only if `files` is true. */
  readonly columns?: readonly string[] | undefined
  readonly files: boolean
  readonly filters: Readonly<Record<string, Scalar | readonly Scalar[]>>
  readonly sort?: string | undefined
  readonly range?: string | undefined
  readonly release?: string | undefined
  readonly as_of?: string | undefined
  readonly cross_section: boolean
}

export interface RowsQuery {
  readonly dataset: Dataset
  /** Parameters of the equivalent HTTP read, without limit and offset. */
  readonly params: ReadParams
  readonly columns: readonly string[]
}

/**
 * @param sections cross-sections, keyed by the slug of their dataset
 * @throws Refusal invalid_parameter
 */
export function parseRowsQuery(dataset: Dataset, sections: ReadonlyMap<string, Dataset>, input: RowsArguments): RowsQuery {
  const { files, filters, sort, range, release, as_of, cross_section: isCrossSection } = input
  const target = isCrossSection ? sections.get(dataset.slug) : dataset
  if (!target) throw parameterRefusal(dataset, [noCrossSection(dataset.slug)])
  const columns = input.columns ?? (files ? Object.keys(target.columns) : undefined)
  if (!columns) throw parameterRefusal(dataset, [WITHOUT_COLUMNS])
  const otherArguments = [...COMMON_PARAMS, 'envelope'] as readonly string[]
  const misplaced = Object.keys(filters).filter(name => otherArguments.includes(name))
  if (misplaced.length > 0) throw parameterRefusal(dataset, misplaced.map(misplacedFault))
  const unknownFilters = Object.keys(filters).filter(name => !Object.hasOwn(target.filters, name))
  if (unknownFilters.includes('date') && !isCrossSection && sections.has(dataset.slug))
    throw parameterRefusal(dataset, [dateWithoutCrossSection(dataset.slug)])
  if (unknownFilters.length > 0)
    throw parameterRefusal(dataset, [...unknownFilters.map(unknownFilterFault(target)), ...missingFaults(target, filters)])
  const distinct = [...new Set(columns)]
  const unknownNames = distinct.filter(name => !Object.hasOwn(target.columns, name))
  if (unknownNames.length > 0) throw parameterRefusal(dataset, [unknownColumnsFault(unknownNames, Object.keys(target.columns))])
  const texts = Object.entries(filters).map(([name, value]) => [name, [value].flat().join(',')])
  const params = {
    ...Object.fromEntries(texts),
    columns: distinct.join(','),
    ...(sort !== undefined && { sort }),
    ...(range !== undefined && { range }),
  }
  return {
    dataset: target,
    params: { ...params, ...(release !== undefined && { release }), ...(as_of !== undefined && { as_of }) },
    columns: distinct,
  }
}

const noCrossSection = (slug: string): Fault => ({
  loc: ['arguments', 'cross_section'],
  words: { en: `${slug} has no cross-section: omit cross_section`, zh: `${slug} 沒有單日全部資料（cross-section）；請省略 cross_section` },
  type: 'enum',
})

const WITHOUT_COLUMNS: Fault = {
  loc: ['arguments', 'columns'],
  words: {
    en: 'columns: name the columns you need, as a list; describe_dataset lists them',
    zh: 'columns：請以清單列出所需欄位；describe_dataset 會列出可用的欄位',
  },
  type: 'missing',
}

const dateWithoutCrossSection = (slug: string): Fault => ({
  loc: ['arguments', 'filters', 'date'],
  words: {
    en: `date selects all keys of one day of ${slug}; send cross_section: true with it. For one key, use start_date and end_date`,
    zh: `date 用於讀取 ${slug} 單日的全部資料列；請一併傳送 cross_section: true。查詢單一代號時請用 start_date 與 end_date`,
  },
  type: 'unknown_parameter',
})

const misplacedFault = (name: string): Fault => ({
  loc: ['arguments', 'filters', name],
  words: {
    en: `${name} is not a filter: pass columns, sort, range, limit, cursor, release and as_of as arguments of the tool, not in filters`,
    zh: `${name} 不是篩選條件；columns、sort、range、limit、cursor、release 與 as_of 為此工具的參數，不屬於 filters`,
  },
  type: 'unknown_parameter',
})

/** Suggests only filters, not other parameters of HTTP reads. */
function unknownFilterFault({ slug, filters }: Dataset): (name: string) => Fault {
  const filterNames = Object.keys(filters)
  return name => {
    const suggestion = nearestParam(name, filterNames)
    const words = {
      en: `${name} is not a filter of ${slug}; accepted: ${filterNames.join(', ')}${suggestion ? `; did you mean ${suggestion}?` : ''}`,
      zh: `${name} 不是 ${slug} 的篩選條件；可用的篩選條件：${filterNames.join('、')}${suggestion ? `；您是指 ${suggestion} 嗎？` : ''}`,
    }
    return { loc: ['arguments', 'filters', name], words, type: 'unknown_parameter' }
  }
}

const missingFaults = (dataset: Dataset, filters: RowsArguments['filters']): readonly Fault[] =>
  Object.entries(dataset.filters)
    .filter(([name, { required }]) => required && !Object.hasOwn(filters, name))
    .map(([name, { doc }]) => ({
      loc: ['arguments', 'filters', name],
      words: { en: `filters must contain ${name}. ${doc}`, zh: `filters 必須包含 ${name}` },
      type: 'missing',
    }))

const MAX_NAMED = 10

function unknownColumnsFault(unknown: readonly string[], all: readonly string[]): Fault {
  const suggestion = nearest(unknown[0]!, all)
  const listed = unknown.slice(0, MAX_NAMED)
  const more = unknown.length - MAX_NAMED
  const words = {
    en: `columns contains the unknown columns ${listed.join(', ')}${more > 0 ? ` and ${more} more` : ''}; available: ${all.join(', ')}${suggestion ? `; did you mean ${suggestion}?` : ''}`,
    zh: `columns 含有不存在的欄位 ${listed.join('、')}${more > 0 ? ` 等 ${unknown.length} 個` : ''}；可用的欄位：${all.join('、')}${suggestion ? `；您是指 ${suggestion} 嗎？` : ''}`,
  }
  return { loc: ['arguments', 'columns'], words, type: 'enum' }
}
