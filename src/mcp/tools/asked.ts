import type { Dataset } from '../../../catalog/index.ts'
import { type Fault, nearest, nearestParam, parameterRefusal } from '../../core/index.ts'
import { COMMON_PARAMS, type ReadParams } from '../../read/index.ts'

type Scalar = string | number | boolean

/** Which rows an agent wants, as it says so. */
interface RowsQuestion {
  readonly columns: readonly string[]
  readonly filters: Readonly<Record<string, Scalar | readonly Scalar[]>>
  readonly sort?: string | undefined
  readonly range?: string | undefined
  readonly release?: string | undefined
  readonly cross_section: boolean
}

/** What is asked of one dataset, found in the catalog and checked as far as the tool has to. */
export interface Asked {
  readonly dataset: Dataset
  /** As a read over HTTP has them, without the window. */
  readonly params: ReadParams
  readonly columns: readonly string[]
}

/** @param sections by slug of the dataset they are of. @throws Refusal invalid_parameter */
export function askedOf(dataset: Dataset, sections: ReadonlyMap<string, Dataset>, input: RowsQuestion): Asked {
  const { columns, filters, sort, range, release, cross_section: isSection } = input
  const read = isSection ? sections.get(dataset.slug) : dataset
  if (!read) throw parameterRefusal(dataset, [noSection(dataset.slug)])
  const own = [...COMMON_PARAMS, 'envelope'] as readonly string[]
  const misplaced = Object.keys(filters).filter(name => own.includes(name))
  if (misplaced.length > 0) throw parameterRefusal(dataset, misplaced.map(misplacedFault))
  const foreign = Object.keys(filters).filter(name => !Object.hasOwn(read.filters, name))
  if (foreign.length > 0) throw parameterRefusal(dataset, [...foreign.map(foreignFault(read)), ...missingFaults(read, filters)])
  const unknown = columns.filter(name => !Object.hasOwn(read.columns, name))
  if (unknown.length > 0) throw parameterRefusal(dataset, [unknownColumns(unknown, Object.keys(read.columns))])
  const texts = Object.entries(filters).map(([name, value]) => [name, [value].flat().join(',')])
  const distinct = [...new Set(columns)]
  const params = {
    ...Object.fromEntries(texts),
    columns: distinct.join(','),
    ...(sort !== undefined && { sort }),
    ...(range !== undefined && { range }),
  }
  return { dataset: read, params: { ...params, ...(release !== undefined && { release }) }, columns: distinct }
}

const noSection = (slug: string): Fault => ({
  loc: ['arguments', 'cross_section'],
  words: { en: `${slug} has no cross-section; leave cross_section out`, zh: `${slug} 沒有橫斷面資料；請省略 cross_section` },
  type: 'enum',
})

const misplacedFault = (name: string): Fault => ({
  loc: ['arguments', 'filters', name],
  words: {
    en: `${name} is not a filter; of these the tool takes columns, sort, range, limit, cursor and release beside filters`,
    zh: `${name} 不是篩選條件；此工具另以 columns、sort、range、limit、cursor 與 release 參數接受`,
  },
  type: 'unknown_parameter',
})

/** Names what are filters of this dataset, and nothing else that a read over HTTP takes. */
function foreignFault({ slug, filters }: Dataset): (name: string) => Fault {
  const known = Object.keys(filters)
  return name => {
    const guess = nearestParam(name, known)
    const words = {
      en: `${name} is not a filter of ${slug}; known: ${known.join(', ')}${guess ? `; did you mean ${guess}?` : ''}`,
      zh: `${name} 不是 ${slug} 的篩選條件；可用的篩選條件：${known.join('、')}${guess ? `；您是指 ${guess} 嗎？` : ''}`,
    }
    return { loc: ['arguments', 'filters', name], words, type: 'unknown_parameter' }
  }
}

const missingFaults = (dataset: Dataset, given: RowsQuestion['filters']): readonly Fault[] =>
  Object.entries(dataset.filters)
    .filter(([name, { required }]) => required && !Object.hasOwn(given, name))
    .map(([name, { doc }]) => ({
      loc: ['arguments', 'filters', name],
      words: { en: `filters must have ${name}: ${doc}`, zh: `filters 必須包含 ${name}` },
      type: 'missing',
    }))

/** Unknown columns that a sentence names. */
const MOST_NAMED = 10

function unknownColumns(unknown: readonly string[], all: readonly string[]): Fault {
  const guess = nearest(unknown[0]!, all)
  const [named, more] = [unknown.slice(0, MOST_NAMED), unknown.length - MOST_NAMED]
  const words = {
    en: `columns names ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}, and there are ${all.join(', ')}${guess ? `; did you mean ${guess}?` : ''}`,
    zh: `columns 指定了 ${named.join('、')}${more > 0 ? ` 等 ${unknown.length} 個` : ''}；可用的欄位：${all.join('、')}${guess ? `；您是指 ${guess} 嗎？` : ''}`,
  }
  return { loc: ['arguments', 'columns'], words, type: 'enum' }
}
